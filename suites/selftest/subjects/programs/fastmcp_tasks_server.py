"""The least server of fastmcp for Python with the tasks extension."""

import asyncio

from fastmcp import FastMCP
from fastmcp_tasks import TasksExtension

server = FastMCP("tasks")
server.add_extension(TasksExtension())


@server.tool(task=True, annotations={"readOnlyHint": True})
async def test_task(durationMs: int = 0, outcome: str = "ok") -> str:
    """Works for some time."""
    await asyncio.sleep(durationMs / 1000)
    if outcome == "tool-error":
        raise ValueError("The work failed.")
    return f"Worked for {durationMs} ms."


@server.tool(annotations={"readOnlyHint": True})
def plain(text: str = "x") -> str:
    """Returns its text."""
    return text


if __name__ == "__main__":
    server.run(show_banner=False)
