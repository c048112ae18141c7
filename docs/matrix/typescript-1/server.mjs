/**
 * A server on the TypeScript SDK 1.x with the fixtures of the matrix: over stdio; with a port over Streamable HTTP at /mcp
 * and HTTP with SSE at /sse.
 */

import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import { setTimeout } from 'node:timers/promises';
import { completable } from '@modelcontextprotocol/sdk/server/completable.js';
import { McpServer, ResourceTemplate } from '@modelcontextprotocol/sdk/server/mcp.js';
import { SSEServerTransport } from '@modelcontextprotocol/sdk/server/sse.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { SubscribeRequestSchema, UnsubscribeRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import * as z from 'zod';

/** A PNG of one pixel. */
const pixel =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==';
const text = words => ({ type: 'text', text: words });
const image = { type: 'image', data: pixel, mimeType: 'image/png' };
const resource = (uri, mimeType, words) => ({ type: 'resource', resource: { uri, mimeType, text: words } });
const says = (...content) => ({ content });

function fixtures() {
  const server = new McpServer(
    { name: 'matrix-typescript-1', version: '1.0.0' },
    { capabilities: { logging: {}, resources: { subscribe: true } } },
  );
  server.server.setRequestHandler(SubscribeRequestSchema, () => ({}));
  server.server.setRequestHandler(UnsubscribeRequestSchema, () => ({}));
  const fixed = (name, description, ...content) =>
    server.registerTool(name, { description }, () => says(...content));
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
  server.registerTool('test_error_handling', { description: 'Fails.' }, () => {
    throw new Error('This tool intentionally returns an error for testing');
  });
  server.registerTool(
    'test_structured_content',
    {
      description: 'Returns structured content.',
      outputSchema: { temperature: z.number(), conditions: z.string() },
    },
    () => {
      const structuredContent = { temperature: 22.5, conditions: 'Partly cloudy' };
      return { structuredContent, content: [text(JSON.stringify(structuredContent))] };
    },
  );
  server.registerTool('test_tool_with_progress', { description: 'Reports progress.' }, async extra => {
    const { progressToken } = extra._meta ?? {};
    for (const progress of progressToken === undefined ? [] : [0, 50, 100])
      await extra.sendNotification({
        method: 'notifications/progress',
        params: { progressToken, progress, total: 100 },
      });
    return says(text('Progress is complete.'));
  });
  server.registerTool('test_tool_with_logging', { description: 'Logs.' }, async extra => {
    for (const data of ['Tool execution started', 'Tool processing data', 'Tool execution completed'])
      await extra.sendNotification({ method: 'notifications/message', params: { level: 'info', data } });
    return says(text('Logging is complete.'));
  });
  server.registerTool(
    'test_sampling',
    { description: 'Asks the model of the client.', inputSchema: { prompt: z.string() } },
    async ({ prompt }, extra) => {
      const messages = [{ role: 'user', content: text(prompt) }];
      const { content } = await server.server.createMessage(
        { messages, maxTokens: 100 },
        { relatedRequestId: extra.requestId },
      );
      return says(text(`LLM response: ${content.text}`));
    },
  );
  server.registerTool(
    'test_elicitation',
    { description: 'Asks the user of the client.', inputSchema: { message: z.string() } },
    async ({ message }, extra) => {
      const requestedSchema = {
        type: 'object',
        properties: { username: { type: 'string' }, email: { type: 'string' } },
        required: ['username', 'email'],
      };
      const { action, content } = await server.server.elicitInput(
        { message, requestedSchema },
        { relatedRequestId: extra.requestId },
      );
      return says(text(`User response: ${action}, ${content?.username}`));
    },
  );
  server.registerTool(
    'test_slow',
    { description: 'Works for a while.', inputSchema: { durationMs: z.number().optional() } },
    async ({ durationMs }, { signal }) => {
      await setTimeout(durationMs ?? 1000, undefined, { signal });
      return says(text('Done.'));
    },
  );
  const read = (uri, content) => ({ contents: [{ uri: uri.href, ...content }] });
  server.registerResource('static-text', 'test://static-text', { mimeType: 'text/plain' }, uri =>
    read(uri, { mimeType: 'text/plain', text: 'This is the content of the static text resource.' }),
  );
  server.registerResource('static-binary', 'test://static-binary', { mimeType: 'image/png' }, uri =>
    read(uri, { mimeType: 'image/png', blob: pixel }),
  );
  server.registerResource('watched-resource', 'test://watched-resource', { mimeType: 'text/plain' }, uri =>
    read(uri, { mimeType: 'text/plain', text: 'This is the watched resource.' }),
  );
  server.registerResource(
    'template',
    new ResourceTemplate('test://template/{id}/data', { list: undefined }),
    { mimeType: 'application/json' },
    (uri, { id }) =>
      read(uri, {
        mimeType: 'application/json',
        text: JSON.stringify({ id, templateTest: true, data: `Data for ID: ${id}` }),
      }),
  );
  const prompt = content => ({ messages: [{ role: 'user', content }] });
  server.registerPrompt('test_simple_prompt', { description: 'A text.' }, () =>
    prompt(text('This is a simple prompt for testing.')),
  );
  server.registerPrompt(
    'test_prompt_with_arguments',
    {
      description: 'Repeats its arguments.',
      argsSchema: { arg1: completable(z.string(), () => ['testValue1']), arg2: z.string() },
    },
    ({ arg1, arg2 }) => prompt(text(`Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`)),
  );
  server.registerPrompt(
    'test_prompt_with_embedded_resource',
    { description: 'Contains a resource.', argsSchema: { resourceUri: z.string() } },
    ({ resourceUri }) =>
      prompt(resource(resourceUri, 'text/plain', 'Embedded resource content for testing.')),
  );
  return server;
}

const [port] = process.argv.slice(2);
if (port === undefined) await fixtures().connect(new StdioServerTransport());
else {
  const sessions = new Map();
  createServer(async (request, response) => {
    const { pathname, searchParams } = new URL(request.url, `http://127.0.0.1:${port}`);
    if (pathname === '/sse') {
      const transport = new SSEServerTransport('/messages', response);
      sessions.set(transport.sessionId, transport);
      return fixtures().connect(transport);
    }
    if (pathname === '/messages') {
      const transport = sessions.get(searchParams.get('sessionId'));
      return transport ? transport.handlePostMessage(request, response) : response.writeHead(404).end();
    }
    if (pathname !== '/mcp') return response.writeHead(404).end();
    const id = request.headers['mcp-session-id'];
    const known = sessions.get(id);
    if (id !== undefined && !known) return response.writeHead(404).end();
    if (known) return known.handleRequest(request, response);
    const transport = new StreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      onsessioninitialized: session => void sessions.set(session, transport),
    });
    await fixtures().connect(transport);
    return transport.handleRequest(request, response);
  }).listen(Number(port), '127.0.0.1');
}
