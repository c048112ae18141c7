/** The least client of @modelcontextprotocol/client 2.x: lists tools, calls each, and closes. */
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';

const mode = process.argv[2];
const client = new Client(
  { name: 'client-2', version: '1.0.0' },
  mode === 'legacy' ? {} : { versionNegotiation: { mode } },
);
await client.connect(new StreamableHTTPClientTransport(new URL(process.argv.at(-1))));
if (client.getServerCapabilities()?.tools) {
  const { tools } = await client.listTools();
  for (const tool of tools.slice(0, 3))
    await client.callTool({ name: tool.name, arguments: {} }).catch(() => {});
}
await client.close();
