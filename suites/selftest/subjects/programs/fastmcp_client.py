"""The least client of fastmcp for Python: lists tools."""

import asyncio
import sys

from fastmcp import Client


async def main() -> None:
    async with Client(sys.argv[-1]) as client:
        await client.list_tools()


asyncio.run(main())
