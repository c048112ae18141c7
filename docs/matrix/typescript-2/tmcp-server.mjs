/** A server on tmcp with the fixtures of the matrix: over stdio; with a port over Streamable HTTP at /mcp. */

import { createServer } from 'node:http';
import { Readable } from 'node:stream';
import { ZodJsonSchemaAdapter } from '@tmcp/adapter-zod';
import { HttpTransport } from '@tmcp/transport-http';
import { StdioTransport } from '@tmcp/transport-stdio';
import { McpServer } from 'tmcp';
import * as z from 'zod';

/** A PNG of one pixel. */
const pixel =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==';
const text = words => ({ type: 'text', text: words });
const image = { type: 'image', data: pixel, mimeType: 'image/png' };
const resource = (uri, mimeType, words) => ({ type: 'resource', resource: { uri, mimeType, text: words } });

const server = new McpServer(
  { name: 'matrix-tmcp', version: '1.0.0' },
  { adapter: new ZodJsonSchemaAdapter(), capabilities: { tools: {}, prompts: {}, resources: {} } },
);

const fixed = (name, description, ...content) => server.tool({ name, description }, () => ({ content }));
fixed('test_simple_text', 'Returns a text.', text('This is a simple text response for testing.'));
fixed('test_image_content', 'Returns an image.', image);
fixed(
  'test_embedded_resource',
  'Returns a resource.',
  resource('test://embedded-resource', 'text/plain', 'This is an embedded resource content.'),
);
fixed(
  'test_multiple_content_types',
  'Returns a text, an image and a resource.',
  text('Multiple content types test:'),
  image,
  resource('test://mixed-content-resource', 'application/json', '{"test":"data","value":123}'),
);
server.tool({ name: 'test_error_handling', description: 'Fails.' }, () => ({
  isError: true,
  content: [text('This tool intentionally returns an error for testing')],
}));
server.tool(
  {
    name: 'test_structured_content',
    description: 'Returns structured content.',
    outputSchema: z.object({ temperature: z.number(), conditions: z.string() }),
  },
  () => {
    const structuredContent = { temperature: 22.5, conditions: 'Partly cloudy' };
    return { structuredContent, content: [text(JSON.stringify(structuredContent))] };
  },
);
const read = (uri, content) => ({ contents: [{ uri, ...content }] });
server.resource({ name: 'static-text', description: 'A text.', uri: 'test://static-text' }, uri =>
  read(uri, { mimeType: 'text/plain', text: 'This is the content of the static text resource.' }),
);
server.resource({ name: 'static-binary', description: 'An image.', uri: 'test://static-binary' }, uri =>
  read(uri, { mimeType: 'image/png', blob: pixel }),
);
server.template(
  { name: 'template', description: 'Data by id.', uri: 'test://template/{id}/data' },
  (uri, { id }) =>
    read(uri, {
      mimeType: 'application/json',
      text: JSON.stringify({ id, templateTest: true, data: `Data for ID: ${id}` }),
    }),
);
const prompt = content => ({ messages: [{ role: 'user', content }] });
server.prompt({ name: 'test_simple_prompt', description: 'A text.' }, () =>
  prompt(text('This is a simple prompt for testing.')),
);
server.prompt(
  {
    name: 'test_prompt_with_arguments',
    description: 'Repeats its arguments.',
    schema: z.object({ arg1: z.string(), arg2: z.string() }),
  },
  ({ arg1, arg2 }) => prompt(text(`Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`)),
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
