"""A driver for the client of the Python SDK 1.x: runs the script in MCP_CONFORM_SCRIPT (docs/clients.md), and prints a line
for each step."""

import asyncio
import json
import os
import sys
from contextlib import AsyncExitStack

import mcp.types as types
from mcp import ClientSession, StdioServerParameters
from mcp.client.sse import sse_client
from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import streamablehttp_client


class Driver:
    def __init__(self):
        self.content = {}
        self.pending = None

    async def sampling(self, _context, _params):
        said = types.TextContent(type="text", text="This is a test response from the client")
        return types.CreateMessageResult(role="assistant", content=said, model="test-model", stopReason="endTurn")

    async def elicitation(self, _context, _params):
        return types.ElicitResult(action="accept", content=self.content)

    def transport(self):
        if command := os.environ.get("MCP_CONFORM_COMMAND"):
            words = json.loads(command)
            return stdio_client(StdioServerParameters(command=words[0], args=words[1:], env=dict(os.environ)))
        url = os.environ["MCP_CONFORM_URL"]
        return sse_client(url) if os.environ["MCP_CONFORM_TRANSPORT"] == "http-sse" else streamablehttp_client(url)

    async def connect(self, _options=None):
        self.stack = AsyncExitStack()
        read, write, *_ = await self.stack.enter_async_context(self.transport())
        session = ClientSession(
            read,
            write,
            sampling_callback=self.sampling,
            elicitation_callback=self.elicitation,
            client_info=types.Implementation(name="matrix-python-1-client", version="1.0.0"),
        )
        self.session = await self.stack.enter_async_context(session)
        self.declared = (await self.session.initialize()).capabilities

    async def list(self, what, _options=None):
        if getattr(self.declared, "resources" if what == "templates" else what, None) is None:
            return
        method = getattr(self.session, "list_resource_templates" if what == "templates" else f"list_{what}")
        cursor = None
        while True:
            page = await method(params=types.PaginatedRequestParams(cursor=cursor) if cursor else None)
            cursor = page.nextCursor
            if not cursor:
                return

    async def call(self, name, arguments=None, options=None):
        async def ignore(*_):
            pass

        options = options or {}
        call = self.session.call_tool(name, arguments, progress_callback=ignore if options.get("progress") else None)
        if options.get("wait", True):
            await call
            return
        self.pending = asyncio.ensure_future(call)
        await asyncio.sleep(0.1)  # the request leaves before the next step

    async def read(self, uri, _options=None):
        await self.session.read_resource(uri)

    async def get(self, name, arguments=None, _options=None):
        await self.session.get_prompt(name, arguments)

    async def complete(self, ref, argument, _settled=None):
        if self.declared.completions is not None:
            await self.session.complete(types.PromptReference(**ref), argument)

    async def subscribe(self, uri, on=True):
        if self.declared.resources and self.declared.resources.subscribe:
            await (self.session.subscribe_resource if on else self.session.unsubscribe_resource)(uri)

    async def cancel(self, _reason=None):
        if self.pending:
            self.pending.cancel()

    async def answer(self, _method, _manner, content=None):
        self.content = content

    async def close(self):
        if self.pending:
            await asyncio.gather(self.pending, return_exceptions=True)
            self.pending = None
        await self.stack.aclose()


async def main():
    script = json.loads(os.environ["MCP_CONFORM_SCRIPT"])
    if any(verb not in "connect list call read get complete subscribe cancel answer close".split() for verb, *_ in script):
        sys.exit(127)
    driver = Driver()
    for number, (verb, *args) in enumerate(script, 1):
        try:
            await getattr(driver, verb)(*args)
            print(json.dumps({"step": number, "ok": True}), flush=True)
        except Exception as error:
            words = f"{type(error).__name__}: {error}"
            print(json.dumps({"step": number, "error": words}), flush=True)
            print(words, file=sys.stderr)
            if verb == "connect":
                sys.exit(1)


asyncio.run(main())
