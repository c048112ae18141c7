/** A server on the TypeScript SDK 2.x with the fixtures of the matrix: over stdio; with a port over Streamable HTTP. */

import { createServer } from 'node:http';
import { setTimeout } from 'node:timers/promises';
import { toNodeHandler } from '@modelcontextprotocol/node';
import {
  completable,
  createMcpHandler,
  inputRequired,
  McpServer,
  ResourceTemplate,
} from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
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
    { name: 'matrix-typescript-2', version: '1.0.0' },
    { capabilities: { logging: {}, resources: { subscribe: true } } },
  );
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
      outputSchema: z.object({ temperature: z.number(), conditions: z.string() }),
    },
    () => {
      const structuredContent = { temperature: 22.5, conditions: 'Partly cloudy' };
      return { structuredContent, content: [text(JSON.stringify(structuredContent))] };
    },
  );
  server.registerTool('test_tool_with_progress', { description: 'Reports progress.' }, async ctx => {
    const { progressToken } = ctx.mcpReq._meta ?? {};
    for (const progress of progressToken === undefined ? [] : [0, 50, 100])
      await ctx.mcpReq.notify({
        method: 'notifications/progress',
        params: { progressToken, progress, total: 100 },
      });
    return says(text('Progress is complete.'));
  });
  server.registerTool('test_tool_with_logging', { description: 'Logs.' }, async ctx => {
    for (const line of ['Tool execution started', 'Tool processing data', 'Tool execution completed'])
      await ctx.mcpReq.log('info', line);
    return says(text('Logging is complete.'));
  });
  // the SDK sends a request of its own where the revision has no input rounds
  server.registerTool(
    'test_sampling',
    { description: 'Asks the model of the client.', inputSchema: z.object({ prompt: z.string() }) },
    ({ prompt }, ctx) => {
      const model = ctx.mcpReq.inputResponses?.model;
      if (model) return says(text(`LLM response: ${[model.content].flat()[0].text}`));
      const messages = [{ role: 'user', content: text(prompt) }];
      return inputRequired({
        inputRequests: { model: inputRequired.createMessage({ messages, maxTokens: 100 }) },
      });
    },
  );
  server.registerTool(
    'test_elicitation',
    { description: 'Asks the user of the client.', inputSchema: z.object({ message: z.string() }) },
    ({ message }, ctx) => {
      const user = ctx.mcpReq.inputResponses?.user;
      if (user) return says(text(`User response: ${user.action}, ${user.content?.username}`));
      const requestedSchema = z.object({ username: z.string(), email: z.string() });
      return inputRequired({ inputRequests: { user: inputRequired.elicit({ message, requestedSchema }) } });
    },
  );
  server.registerTool(
    'test_slow',
    { description: 'Works for a while.', inputSchema: z.object({ durationMs: z.number().optional() }) },
    async ({ durationMs }, ctx) => {
      await setTimeout(durationMs ?? 1000, undefined, { signal: ctx.mcpReq.signal });
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
      argsSchema: z.object({ arg1: completable(z.string(), () => ['testValue1']), arg2: z.string() }),
    },
    ({ arg1, arg2 }) => prompt(text(`Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`)),
  );
  server.registerPrompt(
    'test_prompt_with_embedded_resource',
    { description: 'Contains a resource.', argsSchema: z.object({ resourceUri: z.string() }) },
    ({ resourceUri }) =>
      prompt(resource(resourceUri, 'text/plain', 'Embedded resource content for testing.')),
  );
  return server;
}

const [port] = process.argv.slice(2);
if (port === undefined) serveStdio(fixtures);
else createServer(toNodeHandler(createMcpHandler(fixtures))).listen(Number(port), '127.0.0.1');
