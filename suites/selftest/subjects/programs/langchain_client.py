"""The least client of langchain-mcp-adapters: lists tools."""

import asyncio
import sys

from langchain_mcp_adapters.client import MultiServerMCPClient


async def main() -> None:
    client = MultiServerMCPClient({"subject": {"transport": "streamable_http", "url": sys.argv[-1]}})
    await client.get_tools()


asyncio.run(main())
