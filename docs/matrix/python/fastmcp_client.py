"""A driver for the client of fastmcp: runs the script in MCP_CONFORM_SCRIPT (docs/clients.md), and prints a line for each
step."""

import asyncio
import json
import os
import sys

from fastmcp import Client
from fastmcp.client.transports import SSETransport, StdioTransport, StreamableHttpTransport


class Driver:
    def __init__(self):
        self.content = {}
        self.pending = None

    async def sampling(self, _messages, _params, _context):
        return "This is a test response from the client"

    async def elicitation(self, _message, _response_type, _params, _context):
        return self.content

    def transport(self):
        if command := os.environ.get("MCP_CONFORM_COMMAND"):
            words = json.loads(command)
            return StdioTransport(command=words[0], args=words[1:], env=dict(os.environ), keep_alive=False)
        url = os.environ["MCP_CONFORM_URL"]
        return SSETransport(url) if os.environ["MCP_CONFORM_TRANSPORT"] == "http-sse" else StreamableHttpTransport(url)

    async def connect(self, _options=None):
        self.client = Client(self.transport(), sampling_handler=self.sampling, elicitation_handler=self.elicitation)
        await self.client.__aenter__()

    async def list(self, what, _options=None):
        await getattr(self.client, "list_resource_templates" if what == "templates" else f"list_{what}")()

    async def call(self, name, arguments=None, options=None):
        call = self.client.call_tool(name, arguments or {}, raise_on_error=False)
        if (options or {}).get("wait", True):
            await call
            return
        self.pending = asyncio.ensure_future(call)
        await asyncio.sleep(0.1)  # the request leaves before the next step

    async def read(self, uri, _options=None):
        await self.client.read_resource(uri)

    async def get(self, name, arguments=None, _options=None):
        await self.client.get_prompt(name, arguments)

    async def cancel(self, _reason=None):
        if self.pending:
            self.pending.cancel()

    async def answer(self, _method, _manner, content=None):
        self.content = content

    async def close(self):
        if self.pending:
            await asyncio.gather(self.pending, return_exceptions=True)
            self.pending = None
        await self.client.__aexit__(None, None, None)


async def main():
    script = json.loads(os.environ["MCP_CONFORM_SCRIPT"])
    driver = Driver()
    for number, (verb, *args) in enumerate(script, 1):
        if not hasattr(driver, verb):
            continue
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
