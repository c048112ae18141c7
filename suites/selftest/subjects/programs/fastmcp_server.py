"""The least server of fastmcp for Python: a tool, a resource and a prompt; with a port over HTTP."""

import sys

from fastmcp import FastMCP

server = FastMCP("forecast")


@server.tool(annotations={"readOnlyHint": True})
def convert(celsius: float) -> float:
    """Converts degrees Celsius to degrees Fahrenheit."""
    return celsius * 9 / 5 + 32


@server.resource("forecast://today")
def today() -> str:
    """The forecast of today."""
    return "Rain."


@server.prompt
def ask(city: str) -> str:
    """Asks for the forecast of a city."""
    return f"What is the forecast for {city}?"


if __name__ == "__main__":
    if len(sys.argv) > 1:
        server.run(transport="http", host="127.0.0.1", port=int(sys.argv[1]), show_banner=False)
    else:
        server.run(show_banner=False)
