/** The least client of @ai-sdk/mcp: lists tools and closes. */
import { createMCPClient } from '@ai-sdk/mcp';

const client = await createMCPClient({ transport: { type: 'http', url: process.argv.at(-1) } });
await client.tools();
await client.close();
