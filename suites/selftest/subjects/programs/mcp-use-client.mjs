/** The least client of mcp-use: lists tools and closes. */
import { MCPClient } from 'mcp-use';

const client = new MCPClient({ mcpServers: { subject: { url: process.argv.at(-1) } } });
const session = await client.createSession('subject');
await session.listTools();
await client.closeAllSessions();
