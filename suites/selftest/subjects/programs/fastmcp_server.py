"""The least server of fastmcp for Python: a tool, a resource and a prompt."""

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
    server.run(show_banner=False)
