"""The least client of the Python SDK with credentials of its own."""

import asyncio
import json
import os
import sys

from mcp.client import Client
from mcp.client.auth.extensions.client_credentials import (
    ClientCredentialsOAuthProvider,
    PrivateKeyJWTOAuthProvider,
    SignedJWTParameters,
)
from mcp.client.streamable_http import streamable_http_client
from mcp.shared._httpx_utils import create_mcp_http_client


class Storage:
    tokens = client_info = None

    async def get_tokens(self):
        return self.tokens

    async def set_tokens(self, tokens):
        self.tokens = tokens

    async def get_client_info(self):
        return self.client_info

    async def set_client_info(self, client_info):
        self.client_info = client_info


def auth(url, given):
    common = {"server_url": url, "storage": Storage(), "client_id": given.get("client_id")}
    if "private_key_pem" in given:
        signed = SignedJWTParameters(
            issuer=given["client_id"],
            subject=given["client_id"],
            signing_algorithm=given["signing_algorithm"],
            signing_key=given["private_key_pem"],
        )
        return PrivateKeyJWTOAuthProvider(**common, assertion_provider=signed.create_assertion_provider())
    if "client_secret" in given:
        return ClientCredentialsOAuthProvider(**common, client_secret=given["client_secret"])
    return None


async def main():
    url = sys.argv[-1]
    given = json.loads(os.environ.get("MCP_CONFORMANCE_CONTEXT", "{}"))
    http = create_mcp_http_client(auth=auth(url, given))
    async with Client(streamable_http_client(url, http_client=http)) as client:
        await client.list_tools()
        for _ in range(2):
            await client.call_tool("test-tool", {})


asyncio.run(main())
