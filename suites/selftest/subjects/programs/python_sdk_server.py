"""The least server of the Python SDK, in version 1 and 2: a tool, a resource and a prompt; with a port over HTTP (version 2)."""

import sys

try:
    from mcp.server.mcpserver import MCPServer as Server
except ImportError:
    from mcp.server.fastmcp import FastMCP as Server

from mcp.types import ToolAnnotations

server = Server("forecast")


@server.tool(annotations=ToolAnnotations(readOnlyHint=True))
def convert(celsius: float) -> float:
    """Converts degrees Celsius to degrees Fahrenheit."""
    return celsius * 9 / 5 + 32


@server.resource("forecast://today")
def today() -> str:
    """The forecast of today."""
    return "Rain."


@server.prompt()
def ask(city: str) -> str:
    """Asks for the forecast of a city."""
    return f"What is the forecast for {city}?"


if __name__ == "__main__":
    if len(sys.argv) > 1:
        server.run(transport="streamable-http", host="127.0.0.1", port=int(sys.argv[1]))
    else:
        server.run()
