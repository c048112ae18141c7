"""The least client of the Python SDK, in version 1 and 2: lists tools and calls each."""

import asyncio
import sys

from mcp import ClientSession

try:
    from mcp.client.streamable_http import streamable_http_client as connect
except ImportError:
    from mcp.client.streamable_http import streamablehttp_client as connect


async def main() -> None:
    async with connect(sys.argv[-1]) as streams:
        async with ClientSession(streams[0], streams[1]) as session:
            await session.initialize()
            tools = await session.list_tools()
            for tool in tools.tools[:3]:
                await session.call_tool(tool.name, {})


asyncio.run(main())
