"""A driver for the client of the Python SDK (2.x): runs the script in MCP_CONFORM_SCRIPT.

    mcp-conform client -- python python-client.py
    mcp-conform client -- python python-client.py '{server}'

PYTHON_CLIENT_MODE is the version negotiation: auto (default), legacy, or a date, which pins the version.
The verbs are described in harness/scenario/script.ts.
"""

import asyncio
import json
import os
import sys
from contextlib import AsyncExitStack, suppress
from urllib.parse import parse_qs, unquote, urlparse

import httpx2
import jsonschema
import mcp_types as types
from mcp import Client, StdioServerParameters
from mcp.client.auth import OAuthClientProvider
from mcp.client.sse import sse_client
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.auth import AuthorizationCodeResult, OAuthClientInformationFull, OAuthClientMetadata
from pydantic import AnyUrl

MODE = os.environ.get("PYTHON_CLIENT_MODE", "auto")
REDIRECT = "http://127.0.0.1:3333/callback"
PLAIN = {"string": "text", "number": 1, "integer": 1, "boolean": True}


class Storage:
    """Tokens and registration, in memory."""

    tokens = None
    client = None

    async def get_tokens(self):
        return self.tokens

    async def set_tokens(self, tokens):
        self.tokens = tokens

    async def get_client_info(self):
        return self.client

    async def set_client_info(self, client_info):
        self.client = client_info


class Driver:
    """One conversation after the other; `begin` forgets everything."""

    def __init__(self):
        self.client = None
        self.stack = None
        self.begin(
            url=sys.argv[-1],
            command=json.loads(os.environ.get("MCP_CONFORM_COMMAND", "null")),
            context=json.loads(os.environ.get("MCP_CONFORMANCE_CONTEXT", "{}")),
        )

    def begin(self, url=None, command=None, context=None, **_further):
        self.url, self.command, self.context = url, command, context or {}
        self.storage = Storage()
        if client_id := self.context.get("client_id"):
            secret = self.context.get("client_secret")
            self.storage.client = OAuthClientInformationFull(
                client_id=client_id,
                client_secret=secret,
                redirect_uris=[AnyUrl(REDIRECT)],
                token_endpoint_auth_method="client_secret_basic" if secret else "none",
            )
        self.answers = {"roots/list": ["accept", [{"uri": "file:///project", "name": "project"}]]}
        self.last, self.open, self.subscription, self.listed = None, set(), None, set()

    # the decisions of the user

    async def roots(self, _context):
        manner, roots = self.answers["roots/list"]
        if manner == "refuse":
            return types.ErrorData(code=-32603, message="The roots cannot be listed.")
        return types.ListRootsResult(roots=[types.Root(**r) for r in roots or [] if accessible(r["uri"])])

    async def sampling(self, _context, _params):
        if self.answers.get("sampling/createMessage", [""])[0] == "refuse":
            return types.ErrorData(code=-1, message="User rejected sampling request")
        text = types.TextContent(type="text", text="This is a test response from the client")
        return types.CreateMessageResult(role="assistant", content=text, model="test-model", stop_reason="endTurn")

    async def elicitation(self, _context, params):
        action, content = (self.answers.get("elicitation/create") or ["accept", None])[:2]
        if action != "accept" or isinstance(params, types.ElicitRequestURLParams):
            return types.ElicitResult(action=action)
        content = fill(params.requested_schema) if content is None else content
        try:
            jsonschema.validate(content, params.requested_schema)
        except jsonschema.ValidationError as error:
            return types.ErrorData(code=-32603, message=f"The input is invalid: {error.message}")
        return types.ElicitResult(action=action, content=content)

    # authorization: the browser follows one redirect

    async def browse(self, url):
        if urlparse(url).scheme != "https" and urlparse(url).hostname not in ("localhost", "127.0.0.1", "::1"):
            raise ValueError(f"The address {url} is not opened.")
        async with httpx2.AsyncClient() as browser:
            response = await browser.get(url, follow_redirects=False)
        self.returned = parse_qs(urlparse(response.headers.get("location", "")).query)

    async def code(self):
        first = {name: values[0] for name, values in self.returned.items()}
        if "code" not in first:
            # the texts of a response are not shown: its iss is not compared yet
            raise ValueError("The authorization response has no code.")
        return AuthorizationCodeResult(code=first["code"], state=first.get("state"), iss=first.get("iss"))

    def transport(self):
        if self.command:
            return StdioServerParameters(command=self.command[0], args=self.command[1:], env=dict(os.environ))
        if os.environ.get("MCP_CONFORM_TRANSPORT") == "http-sse":
            return sse_client(self.url)
        metadata = OAuthClientMetadata(
            client_name="python-client",
            redirect_uris=[AnyUrl(REDIRECT)],
            grant_types=["authorization_code", "refresh_token"],
            response_types=["code"],
        )
        auth = OAuthClientProvider(
            server_url=self.url,
            client_metadata=metadata,
            storage=self.storage,
            redirect_handler=self.browse,
            callback_handler=self.code,
            client_metadata_url="https://client.example/client.json",
        )
        return streamable_http_client(url=self.url, http_client=httpx2.AsyncClient(auth=auth, timeout=30))

    # the verbs

    async def connect(self, options=None):
        options = options or {}
        without, declare = options.get("without", []), options.get("declare")
        wanted = lambda name: (declare is None or name in declare) and name not in without  # noqa: E731
        self.stack = AsyncExitStack()
        client = Client(
            self.transport(),
            mode=MODE,
            read_timeout_seconds=options["timeoutMs"] / 1000 if "timeoutMs" in options else None,
            client_info=types.Implementation(name="python-client", version="1.0.0"),
            list_roots_callback=self.roots if wanted("roots") else None,
            sampling_callback=self.sampling if wanted("sampling") else None,
            elicitation_callback=self.elicitation if wanted("elicitation") else None,
        )
        self.client = None
        self.client = await self.stack.enter_async_context(client)

    async def list(self, what, _options=None):
        # a host asks only for what the server declares
        name = "resources" if what == "templates" else what
        if not getattr(self.client.server_capabilities, name, None):
            return
        method = {"templates": "list_resource_templates"}.get(what, f"list_{what}")
        cursor = None
        while True:
            page = await getattr(self.client, method)(cursor=cursor)
            self.listed.update(tool.name for tool in getattr(page, "tools", []))
            cursor = page.next_cursor
            if cursor is None:
                return

    async def call(self, name, arguments=None, options=None):
        # a host calls the tools that the SDK lists, which leaves out those with an invalid definition
        if self.listed and name not in self.listed:
            raise ValueError(f"The tool {name} is not listed.")
        options = options or {}

        async def ignore(*_):
            pass

        seconds = options["timeoutMs"] / 1000 if "timeoutMs" in options else None
        callback = ignore if options.get("progress") else None
        await self.ask(self.client.call_tool(name, arguments or {}, seconds, callback), options)

    async def read(self, uri, options=None):
        await self.ask(self.client.read_resource(uri), options or {})

    async def get(self, name, arguments=None, options=None):
        await self.ask(self.client.get_prompt(name, arguments), options or {})

    async def complete(self, ref, argument, settled=None):
        if not self.client.server_capabilities.completions:
            return
        kind = types.PromptReference if ref["type"] == "ref/prompt" else types.ResourceTemplateReference
        await self.client.complete(kind(**ref), argument, settled)

    async def subscribe(self, uri, on=True):
        resources = self.client.server_capabilities.resources
        if not (resources and resources.subscribe):
            return
        if self.client.protocol_version < "2026":
            await (self.client.subscribe_resource if on else self.client.unsubscribe_resource)(uri)
            return
        if self.subscription:
            await self.subscription.aclose()
            self.subscription = None
        if on:
            self.subscription = AsyncExitStack()
            await self.subscription.enter_async_context(self.client.listen(resource_subscriptions=[uri]))

    async def cancel(self, _reason=None):
        if self.last:
            self.last.cancel()

    async def answer(self, method, manner, content=None):
        self.answers[method] = [manner, content]
        if method == "roots/list" and self.client and self.client.protocol_version < "2026":
            await self.client.send_roots_list_changed()

    async def close(self):
        await asyncio.gather(*self.open, return_exceptions=True)
        if self.subscription:
            with suppress(Exception):
                await self.subscription.aclose()
        self.subscription = None
        await self.stack.aclose()

    async def restart(self, place):
        for task in self.open:
            task.cancel()
        with suppress(Exception):
            await self.close()
        self.begin(**place)

    async def ask(self, request, options):
        seconds = options.get("timeoutMs")
        task = asyncio.ensure_future(asyncio.wait_for(request, seconds / 1000) if seconds else request)
        if options.get("wait", True):
            await task
            return
        self.last = task
        self.open.add(task)
        task.add_done_callback(self.open.discard)
        task.add_done_callback(lambda t: t.cancelled() or complain(t.exception()))
        # the request leaves when the task first runs
        await asyncio.sleep(0.05)


def accessible(uri):
    """Whether a host may give this root to a server: its path has no detours."""
    return not {".", ".."} & set(unquote(urlparse(uri).path).split("/"))


def first(p):
    """The first value of a choice; a list of one for a choice of several values."""
    if p.get("type") == "array":
        return [first(p["items"])]
    titled = [choice["const"] for choice in p.get("oneOf", p.get("anyOf", []))]
    return next(iter(p.get("enum", titled)), None)


def fill(schema):
    """Valid content for a form."""

    def value(p):
        plain = p.get("minimum", PLAIN.get(p.get("type")))
        return p.get("default", plain if first(p) is None else first(p))

    return {name: value(p) for name, p in (schema.get("properties") or {}).items()}


def complain(error):
    if error:
        print(repr(error), file=sys.stderr)


def report(step, **outcome):
    """A matrix reads what the user of the client gets."""
    if os.environ.get("MCP_CONFORM_REPORT") == "steps":
        print(json.dumps({"step": step, **outcome}), flush=True)


def examine(script):
    verbs = "connect list call read get complete subscribe cancel answer close restart".split()
    if any(verb not in verbs for verb, *_ in script):
        sys.exit(127)
    return script


async def further(address):
    async with httpx2.AsyncClient(timeout=None) as steps:
        return (await steps.get(address)).json()


async def main():
    script = json.loads(os.environ.get("MCP_CONFORM_SCRIPT", '[["connect"],["list","tools"],["close"]]'))
    examine(script)
    driver = Driver()
    failed = False
    for number, (verb, *args) in enumerate(script, 1):
        if verb == "restart":
            failed = False
            args = [args[0]]
        elif failed:
            continue
        try:
            await getattr(driver, verb)(*args)
            report(number, ok=True)
        except Exception as error:
            complain(error)
            report(number, error=repr(error))
            failed = verb == "connect"
        if verb == "restart" and "steps" in args[0]:
            # the script goes on with the steps at this address; the loop sees what is appended
            script += examine(await further(args[0]["steps"]))
    sys.exit(1 if failed else 0)


asyncio.run(main())
