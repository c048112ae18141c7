"""The least proxy of fastmcp, before the server of the harness; over HTTP at the port of the first argument."""

import json
import os
import sys

from fastmcp.client.transports import StdioTransport
from fastmcp.server import create_proxy

words = json.loads(os.environ.get("MCP_CONFORM_COMMAND", "[]"))
target = StdioTransport(words[0], words[1:]) if words else os.environ["MCP_CONFORM_URL"]
proxy = create_proxy(target)
if len(sys.argv) > 1:
    proxy.run(transport="http", port=int(sys.argv[1]), show_banner=False)
else:
    proxy.run(show_banner=False)
