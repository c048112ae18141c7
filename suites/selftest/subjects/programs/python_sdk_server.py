"""The least server of the Python SDK, in version 1 and 2: a tool, a resource and a prompt."""

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
    server.run()
