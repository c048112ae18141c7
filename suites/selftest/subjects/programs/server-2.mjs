/** The least server of @modelcontextprotocol/server 2.x: a tool, a resource and a prompt; with a port over HTTP. */

import { createServer } from 'node:http';
import { toNodeHandler } from '@modelcontextprotocol/node';
import { createMcpHandler, McpServer } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import * as z from 'zod';

function forecast() {
  const server = new McpServer({ name: 'forecast', version: '1.0.0' });
  server.registerTool(
    'convert',
    {
      description: 'Converts degrees Celsius to degrees Fahrenheit.',
      inputSchema: z.object({ celsius: z.number() }),
      outputSchema: z.object({ fahrenheit: z.number() }),
      annotations: { readOnlyHint: true },
    },
    ({ celsius }) => {
      const structuredContent = { fahrenheit: (celsius * 9) / 5 + 32 };
      return { structuredContent, content: [{ type: 'text', text: JSON.stringify(structuredContent) }] };
    },
  );
  server.registerResource('today', 'forecast://today', { mimeType: 'text/plain' }, uri => ({
    contents: [{ uri: uri.href, mimeType: 'text/plain', text: 'Rain.' }],
  }));
  server.registerPrompt(
    'ask',
    { description: 'Asks for the forecast of a city.', argsSchema: z.object({ city: z.string() }) },
    ({ city }) => ({
      messages: [{ role: 'user', content: { type: 'text', text: `What is the forecast for ${city}?` } }],
    }),
  );
  return server;
}

const [port] = process.argv.slice(2);
if (port === undefined) serveStdio(forecast);
else createServer(toNodeHandler(createMcpHandler(forecast))).listen(Number(port), '127.0.0.1');
