/** The least client of @langchain/mcp-adapters: lists tools and closes. */
import { MultiServerMCPClient } from '@langchain/mcp-adapters';

const client = new MultiServerMCPClient({ subject: { transport: 'http', url: process.argv.at(-1) } });
await client.getTools();
await client.close();
