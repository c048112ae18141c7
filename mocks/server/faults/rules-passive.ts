/** Deviations that show in any conversation, on many pages. */

import type { JsonObject } from '../../../spec/json-rpc.js';
import { clauseIn, requirement } from '../../../spec/requirement.js';
import {
  asking,
  fault,
  notification,
  onBytes,
  onMessage,
  onNotification,
  onResult,
  onStart,
  onWorld,
} from '../../fault.js';
import { featuresOf } from '../features.js';
import { afterInitialized, beforeCall, changeItem, paramsOf } from './shared.js';

const listedTool = (fits: (tool: JsonObject) => boolean, change: (tool: JsonObject) => JsonObject) =>
  onResult('tools/list', body => ({ ...body, tools: changeItem(body.tools, fits, change) }));

const icon = (change: JsonObject) =>
  listedTool(
    tool => 'icons' in tool,
    tool => ({ ...tool, icons: (tool.icons as JsonObject[]).map(each => ({ ...each, ...change })) }),
  );

const metaKey = (...keys: string[]) =>
  onResult('tools/list', body => ({ ...body, _meta: Object.fromEntries(keys.map(key => [key, 1])) }));

const tokenFor = (method: string, progressToken: number | string) =>
  onMessage(message =>
    message.method === method && 'id' in message
      ? { ...message, params: { ...paramsOf(message), _meta: { progressToken } } }
      : message,
  );

/** More than any reader could follow. */
const flood = 2_500;

export const passiveFaults = [
  fault(
    'batch-answered-twice',
    { what: 'One request of a batch has two answers.', breaks: ['batch.response-per-request'] },
    onBytes(text => {
      if (!text.startsWith('[')) return text;
      const [first, ...rest] = JSON.parse(text) as JsonObject[];
      return `${JSON.stringify([first!, ...rest, first!])}\n`;
    }),
  ),

  fault(
    'speaks-first',
    { what: 'The server speaks before it is asked.', breaks: ['lifecycle.initialize-first'] },
    onStart(context => context.send(notification('notifications/tools/list_changed'))),
  ),

  fault(
    'pings-without-end',
    { what: 'The client is pinged all the time.', breaks: ['ping.not-excessive'] },
    afterInitialized(context => {
      for (let n = 0; n < 60; n++) context.send(asking(context.nextId(), 'ping'));
    }),
  ),

  fault(
    'prompts-change-undeclared',
    {
      what: 'Changes of the prompts are told although that was not announced.',
      breaks: ['lifecycle.respect-capabilities', 'prompts.respect-capabilities'],
    },
    onWorld(world => {
      world.capabilities.prompts = {};
    }),
    beforeCall(context => {
      if (context.count() === 1) context.send(notification('notifications/prompts/list_changed'));
    }),
  ),

  fault(
    'progress-token-fraction',
    { what: 'A token for progress is a fraction.', breaks: ['progress.token-type'] },
    tokenFor('roots/list', 1.5),
  ),

  fault(
    'progress-token-shared',
    { what: 'All requests of the server have the same token.', breaks: ['progress.token-unique'] },
    tokenFor('sampling/createMessage', 'the-token'),
  ),

  fault(
    'progress-message-empty',
    { what: 'The text of progress is empty.', breaks: ['progress.message-readable'] },
    onNotification('notifications/progress', message => ({
      ...message,
      params: { ...paramsOf(message), message: '' },
    })),
  ),

  fault(
    'progress-flood',
    { what: 'Progress comes thousands of times at once.', breaks: ['progress.rate-limited'] },
    onNotification('notifications/progress', (message, context) => {
      if (context.count() > 1) return message;
      const params = paramsOf(message);
      return Array.from({ length: flood }, (_, n) => ({
        ...message,
        params: { ...params, progress: Number(params.progress) - flood + n + 1 },
      }));
    }),
  ),

  fault(
    'tool-name-with-slash',
    { what: 'The name of a tool has a slash.', breaks: ['tools.name-charset'] },
    onWorld(world => {
      const [first] = world.tools;
      world.tools.push({ ...first!, definition: { ...first!.definition, name: 'test/simple/text' } });
    }),
  ),

  fault(
    'output-schema-broken',
    {
      what: 'An output schema is no JSON Schema.',
      breaks: ['json-schema.schemas-valid'],
      where: revision => featuresOf(revision).dialects,
    },
    listedTool(
      tool => 'outputSchema' in tool,
      tool => ({ ...tool, outputSchema: { type: 'object', properties: [] } }),
    ),
  ),

  fault(
    'resource-scheme-malformed',
    {
      what: 'The scheme of a resource has an underscore.',
      breaks: ['resources.custom-scheme-rfc3986'],
      where: revision => clauseIn(requirement('resources.custom-scheme-rfc3986'), revision.id) !== undefined,
    },
    onWorld(world => {
      const [first] = world.resources;
      const definition = { ...first!.definition, uri: 'my_scheme://text', name: 'odd' };
      world.resources.push({ ...first!, definition });
    }),
  ),

  fault(
    'last-modified-in-words',
    { what: 'A time is written in words.', breaks: ['resources.last-modified-format'] },
    onResult('tools/call', (body, ask) =>
      // of one tool only: what a task gives must be what the call gives
      Array.isArray(body.content) && (ask.params as JsonObject).name === 'test_simple_text'
        ? {
            ...body,
            content: (body.content as JsonObject[]).map(block => ({
              ...block,
              annotations: { lastModified: 'Monday afternoon' },
            })),
          }
        : body,
    ),
  ),

  fault(
    'meta-label-malformed',
    { what: 'A label in a key of _meta begins with a digit.', breaks: ['meta.key-label-syntax'] },
    metaKey('1com.example/x'),
  ),

  fault(
    'meta-prefix-forwards',
    { what: 'The domain in a key of _meta is written forwards.', breaks: ['meta.key-reverse-dns'] },
    metaKey('tools.example.com/x'),
  ),

  fault(
    'meta-prefix-reserved',
    {
      what: 'A key of _meta is made up under a prefix of MCP.',
      breaks: ['meta.reserved-prefix-unused'],
    },
    metaKey('modelcontextprotocol.io/made-up', 'io.modelcontextprotocol/made-up'),
  ),

  fault(
    'icon-of-odd-scheme',
    { what: 'An icon is at an ftp address.', breaks: ['icons.src-uri'] },
    icon({ src: 'ftp://example.com/icon.png' }),
  ),

  fault(
    'icon-size-unclear',
    { what: 'The size of an icon is one number.', breaks: ['icons.size-format'] },
    icon({ sizes: ['48'] }),
  ),
];
