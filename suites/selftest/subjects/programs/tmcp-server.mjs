/** The least server of tmcp: a tool, a resource and a prompt; with a port over HTTP. */

import { createServer } from 'node:http';
import { Readable } from 'node:stream';
import { ZodJsonSchemaAdapter } from '@tmcp/adapter-zod';
import { HttpTransport } from '@tmcp/transport-http';
import { StdioTransport } from '@tmcp/transport-stdio';
import { McpServer } from 'tmcp';
import * as z from 'zod';

const server = new McpServer(
  { name: 'forecast', version: '1.0.0' },
  { adapter: new ZodJsonSchemaAdapter(), capabilities: { tools: {}, prompts: {}, resources: {} } },
);
server.tool(
  {
    name: 'convert',
    description: 'Converts degrees Celsius to degrees Fahrenheit.',
    schema: z.object({ celsius: z.number() }),
    outputSchema: z.object({ fahrenheit: z.number() }),
    annotations: { readOnlyHint: true },
  },
  ({ celsius }) => {
    const structuredContent = { fahrenheit: (celsius * 9) / 5 + 32 };
    return { structuredContent, content: [{ type: 'text', text: JSON.stringify(structuredContent) }] };
  },
);
server.resource({ name: 'today', description: 'The forecast of today.', uri: 'forecast://today' }, uri => ({
  contents: [{ uri, mimeType: 'text/plain', text: 'Rain.' }],
}));
server.prompt(
  { name: 'ask', description: 'Asks for the forecast of a city.', schema: z.object({ city: z.string() }) },
  ({ city }) => ({
    messages: [{ role: 'user', content: { type: 'text', text: `What is the forecast for ${city}?` } }],
  }),
);

/** Passes a request of Node to the handler of the transport, and its response back. */
async function handle(transport, incoming, outgoing) {
  const gone = new AbortController();
  outgoing.on('close', () => gone.abort());
  const hasBody = incoming.method !== 'GET' && incoming.method !== 'HEAD';
  const request = new Request(`http://127.0.0.1:${port}${incoming.url}`, {
    method: incoming.method,
    headers: incoming.headers,
    signal: gone.signal,
    ...(hasBody && { body: Readable.toWeb(incoming), duplex: 'half' }),
  });
  const response = (await transport.respond(request)) ?? new Response(null, { status: 404 });
  outgoing.writeHead(response.status, Object.fromEntries(response.headers)).flushHeaders();
  if (response.body)
    Readable.fromWeb(response.body)
      .on('error', () => outgoing.destroy())
      .pipe(outgoing);
  else outgoing.end();
}

const [port] = process.argv.slice(2);
if (port === undefined) new StdioTransport(server).listen();
else {
  const transport = new HttpTransport(server);
  createServer((incoming, outgoing) => void handle(transport, incoming, outgoing)).listen(
    Number(port),
    '127.0.0.1',
  );
}
