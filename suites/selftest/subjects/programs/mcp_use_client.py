"""The least client of mcp-use for Python: lists tools."""

import asyncio
import sys

from mcp_use import MCPClient


async def main() -> None:
    client = MCPClient.from_dict({"mcpServers": {"subject": {"url": sys.argv[-1]}}})
    session = await client.create_session("subject")
    await session.list_tools()
    await client.close_all_sessions()


asyncio.run(main())
