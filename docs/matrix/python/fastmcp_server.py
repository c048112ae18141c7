"""A server on fastmcp with the fixtures of the matrix: over stdio; with `http <port>` over Streamable HTTP at /mcp, with
`sse <port>` over HTTP with SSE at /sse."""

import asyncio
import base64
import sys

import mcp.types as types
from fastmcp import Context, FastMCP
from fastmcp.tools import ToolResult
from pydantic import BaseModel

PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg=="
server = FastMCP("matrix-fastmcp")
image = types.ImageContent.model_validate({"type": "image", "data": PIXEL, "mimeType": "image/png"})


def text(words: str) -> types.TextContent:
    return types.TextContent(type="text", text=words)


def resource(uri: str, mime: str, words: str) -> types.EmbeddedResource:
    contents = {"uri": uri, "mimeType": mime, "text": words}
    return types.EmbeddedResource.model_validate({"type": "resource", "resource": contents})


def says(*content) -> ToolResult:
    return ToolResult(content=list(content))


class Weather(BaseModel):
    temperature: float
    conditions: str


class User(BaseModel):
    username: str
    email: str


@server.tool
def test_simple_text() -> ToolResult:
    """Returns a text."""
    return says(text("This is a simple text response for testing."))


@server.tool
def test_image_content() -> ToolResult:
    """Returns an image."""
    return says(image)


@server.tool
def test_embedded_resource() -> ToolResult:
    """Returns a resource."""
    return says(resource("test://embedded-resource", "text/plain", "This is an embedded resource content."))


@server.tool
def test_multiple_content_types() -> ToolResult:
    """Returns a text, an image and a resource."""
    mixed = resource("test://mixed-content-resource", "application/json", '{"test":"data","value":123}')
    return says(text("Multiple content types test:"), image, mixed)


@server.tool
def test_error_handling() -> ToolResult:
    """Fails."""
    raise ValueError("This tool intentionally returns an error for testing")


@server.tool
def test_structured_content() -> Weather:
    """Returns structured content."""
    return Weather(temperature=22.5, conditions="Partly cloudy")


@server.tool
async def test_tool_with_progress(ctx: Context) -> ToolResult:
    """Reports progress."""
    for done in (0, 50, 100):
        await ctx.report_progress(done, 100)
    return says(text("Progress is complete."))


@server.tool
async def test_tool_with_logging(ctx: Context) -> ToolResult:
    """Logs."""
    for line in ("Tool execution started", "Tool processing data", "Tool execution completed"):
        await ctx.info(line)
    return says(text("Logging is complete."))


def is_stateless(ctx: Context) -> bool:
    """Whether a question to the client is a part of the result."""
    return ctx.request_context.protocol_version >= "2026-07-28"


@server.tool
async def test_sampling(prompt: str, ctx: Context) -> ToolResult | types.InputRequiredResult:
    """Asks the model of the client."""
    message = types.SamplingMessage(role="user", content=text(prompt))
    if not is_stateless(ctx):
        reply = await ctx.session.create_message([message], max_tokens=100, related_request_id=ctx.request_id)
    elif ctx.input_responses:
        reply = ctx.input_responses["model"]
    else:
        params = types.CreateMessageRequestParams(messages=[message], max_tokens=100)
        return types.InputRequiredResult(input_requests={"model": types.CreateMessageRequest(params=params)})
    content = reply.content[0] if isinstance(reply.content, list) else reply.content
    return says(text(f"LLM response: {content.text}"))


@server.tool
async def test_elicitation(message: str, ctx: Context) -> ToolResult | types.InputRequiredResult:
    """Asks the user of the client."""
    if not is_stateless(ctx):
        reply = await ctx.elicit(message, User)
        name = reply.data.username if reply.action == "accept" else None
        return says(text(f"User response: {reply.action}, {name}"))
    if ctx.input_responses:
        reply = ctx.input_responses["user"]
        return says(text(f"User response: {reply.action}, {(reply.content or {}).get('username')}"))
    params = types.ElicitRequestFormParams(message=message, requested_schema=User.model_json_schema())
    return types.InputRequiredResult(input_requests={"user": types.ElicitRequest(params=params)})


@server.tool
async def test_slow(durationMs: int = 1000) -> ToolResult:
    """Works for a while."""
    await asyncio.sleep(durationMs / 1000)
    return says(text("Done."))


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


@server.prompt
def test_simple_prompt() -> str:
    """A text."""
    return "This is a simple prompt for testing."


@server.prompt
def test_prompt_with_arguments(arg1: str, arg2: str) -> str:
    """Repeats its arguments."""
    return f"Prompt with arguments: arg1='{arg1}', arg2='{arg2}'"


if __name__ == "__main__":
    where = sys.argv[1:]
    if where:
        server.run(transport=where[0], host="127.0.0.1", port=int(where[1]), show_banner=False)
    else:
        server.run(show_banner=False)
