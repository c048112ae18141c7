"""A server on the Python SDK, 1.x and 2.x, with the fixtures of the matrix: over stdio; with `http <port>` over Streamable
HTTP at /mcp, with `sse <port>` over HTTP with SSE at /sse."""

import asyncio
import base64
import sys
from typing import Any

import mcp.types as types
from pydantic import BaseModel

try:
    from mcp.server.mcpserver import Context, MCPServer as Server

    SECOND = True
except ImportError:
    from mcp.server.fastmcp import Context, FastMCP as Server

    SECOND = False

PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg=="
WHERE = sys.argv[1:]
# 1.x takes the address here, 2.x in run()
address = {"host": "127.0.0.1", "port": int(WHERE[1])} if WHERE else {}
server = Server(f"matrix-python-{2 if SECOND else 1}", **({} if SECOND else address))
image = types.ImageContent(type="image", data=PIXEL, **({"mime_type": "image/png"} if SECOND else {"mimeType": "image/png"}))


def text(words: str) -> types.TextContent:
    return types.TextContent(type="text", text=words)


def resource(uri: str, mime: str, words: str) -> types.EmbeddedResource:
    contents = types.TextResourceContents.model_validate({"uri": uri, "mimeType": mime, "text": words})
    return types.EmbeddedResource(type="resource", resource=contents)


class Weather(BaseModel):
    temperature: float
    conditions: str


class User(BaseModel):
    username: str
    email: str


@server.tool(structured_output=False)
def test_simple_text() -> Any:
    """Returns a text."""
    return [text("This is a simple text response for testing.")]


@server.tool(structured_output=False)
def test_image_content() -> Any:
    """Returns an image."""
    return [image]


@server.tool(structured_output=False)
def test_embedded_resource() -> Any:
    """Returns a resource."""
    return [resource("test://embedded-resource", "text/plain", "This is an embedded resource content.")]


@server.tool(structured_output=False)
def test_multiple_content_types() -> Any:
    """Returns a text, an image and a resource."""
    mixed = resource("test://mixed-content-resource", "application/json", '{"test":"data","value":123}')
    return [text("Multiple content types test:"), image, mixed]


@server.tool(structured_output=False)
def test_error_handling() -> Any:
    """Fails."""
    raise ValueError("This tool intentionally returns an error for testing")


@server.tool()
def test_structured_content() -> Weather:
    """Returns structured content."""
    return Weather(temperature=22.5, conditions="Partly cloudy")


@server.tool(structured_output=False)
async def test_tool_with_progress(ctx: Context) -> Any:
    """Reports progress."""
    for done in (0, 50, 100):
        await ctx.report_progress(done, 100)
    return [text("Progress is complete.")]


@server.tool(structured_output=False)
async def test_tool_with_logging(ctx: Context) -> Any:
    """Logs."""
    for line in ("Tool execution started", "Tool processing data", "Tool execution completed"):
        await ctx.info(line)
    return [text("Logging is complete.")]


def is_stateless(ctx: Context) -> bool:
    """Whether questions to the client are part of the result."""
    return SECOND and (ctx.protocol_version or "") >= "2026"


@server.tool(structured_output=False)
async def test_sampling(prompt: str, ctx: Context) -> Any:
    """Asks the model of the client."""
    message = types.SamplingMessage(role="user", content=text(prompt))
    if not is_stateless(ctx):
        reply = await ctx.session.create_message([message], max_tokens=100)
    elif ctx.input_responses:
        reply = ctx.input_responses["model"]
    else:
        params = types.CreateMessageRequestParams(messages=[message], max_tokens=100)
        return types.InputRequiredResult(input_requests={"model": types.CreateMessageRequest(params=params)})
    content = reply.content[0] if isinstance(reply.content, list) else reply.content
    return [text(f"LLM response: {content.text}")]


@server.tool(structured_output=False)
async def test_elicitation(message: str, ctx: Context) -> Any:
    """Asks the user of the client."""
    if not is_stateless(ctx):
        reply = await ctx.elicit(message, User)
        return [text(f"User response: {reply.action}, {reply.data.username if reply.action == 'accept' else None}")]
    if ctx.input_responses:
        reply = ctx.input_responses["user"]
        return [text(f"User response: {reply.action}, {(reply.content or {}).get('username')}")]
    schema = {
        "type": "object",
        "properties": {"username": {"type": "string"}, "email": {"type": "string"}},
        "required": ["username", "email"],
    }
    params = types.ElicitRequestFormParams(message=message, requested_schema=schema)
    return types.InputRequiredResult(input_requests={"user": types.ElicitRequest(params=params)})


@server.tool(structured_output=False)
async def test_slow(durationMs: int = 1000) -> Any:
    """Works for a while."""
    await asyncio.sleep(durationMs / 1000)
    return [text("Done.")]


@server.resource("test://static-text", mime_type="text/plain")
def static_text() -> str:
    return "This is the content of the static text resource."


@server.resource("test://static-binary", mime_type="image/png")
def static_binary() -> bytes:
    return base64.b64decode(PIXEL)


@server.resource("test://watched-resource", mime_type="text/plain")
def watched_resource() -> str:
    return "This is the watched resource."


@server.resource("test://template/{id}/data", mime_type="application/json")
def template(id: str) -> str:
    return f'{{"id":"{id}","templateTest":true,"data":"Data for ID: {id}"}}'


@server.prompt()
def test_simple_prompt() -> str:
    """A text."""
    return "This is a simple prompt for testing."


@server.prompt()
def test_prompt_with_arguments(arg1: str, arg2: str) -> str:
    """Repeats its arguments."""
    return f"Prompt with arguments: arg1='{arg1}', arg2='{arg2}'"


@server.prompt()
def test_prompt_with_embedded_resource(resourceUri: str) -> Any:
    """Contains a resource."""
    content = resource(resourceUri, "text/plain", "Embedded resource content for testing.")
    return [{"role": "user", "content": content}]


@server.completion()
async def complete(_ref: Any, _argument: Any, _context: Any) -> types.Completion:
    return types.Completion(values=["testValue1"])


if __name__ == "__main__":
    if not WHERE:
        server.run()
    else:
        server.run(transport={"http": "streamable-http", "sse": "sse"}[WHERE[0]], **(address if SECOND else {}))
