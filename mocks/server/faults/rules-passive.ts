/** Deviations that are visible in any session, from many pages of the specification. */

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

/** More notifications than any client needs. */
const flood = 2_500;

export const passiveFaults = [
  fault(
    'batch-answered-twice',
    {
      what: 'The response to a batch has two responses to one request.',
      breaks: ['batch.response-per-request'],
    },
    onBytes(text => {
      if (!text.startsWith('[')) return text;
      const [first, ...rest] = JSON.parse(text) as JsonObject[];
      return `${JSON.stringify([first!, ...rest, first!])}\n`;
    }),
  ),

  fault(
    'speaks-first',
    {
      what: 'The server sends notifications/tools/list_changed before initialize.',
      breaks: ['lifecycle.initialize-first'],
    },
    onStart(context => context.send(notification('notifications/tools/list_changed'))),
  ),

  fault(
    'pings-without-end',
    { what: 'The server sends 60 pings after notifications/initialized.', breaks: ['ping.not-excessive'] },
    afterInitialized(context => {
      for (let n = 0; n < 60; n++) context.send(asking(context.nextId(), 'ping'));
    }),
  ),

  fault(
    'prompts-change-undeclared',
    {
      what: 'notifications/prompts/list_changed is sent although it is not declared.',
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
    { what: 'roots/list has a fraction as progressToken.', breaks: ['progress.token-type'] },
    tokenFor('roots/list', 1.5),
  ),

  fault(
    'progress-token-shared',
    {
      what: 'All sampling/createMessage requests have the same progressToken.',
      breaks: ['progress.token-unique'],
    },
    tokenFor('sampling/createMessage', 'the-token'),
  ),

  fault(
    'progress-message-empty',
    { what: 'notifications/progress has an empty message.', breaks: ['progress.message-readable'] },
    onNotification('notifications/progress', message => ({
      ...message,
      params: { ...paramsOf(message), message: '' },
    })),
  ),

  fault(
    'progress-flood',
    {
      what: 'The first notifications/progress is replaced by 2,500 notifications at once.',
      breaks: ['progress.rate-limited'],
    },
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
    { what: 'tools/list returns a tool with a slash in its name.', breaks: ['tools.name-charset'] },
    onWorld(world => {
      const [first] = world.tools;
      world.tools.push({ ...first!, definition: { ...first!.definition, name: 'test/simple/text' } });
    }),
  ),

  fault(
    'output-schema-broken',
    {
      what: 'tools/list returns a tool with an invalid output schema.',
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
      what: 'resources/list returns a resource with an underscore in the scheme of its URI.',
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
    {
      what: 'tools/call returns content with a lastModified annotation in words.',
      breaks: ['resources.last-modified-format'],
    },
    onResult('tools/call', (body, ask) =>
      // only one tool: the result of a task must equal the result of the call
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
    {
      what: 'The tools/list result has a _meta key with a label that begins with a digit.',
      breaks: ['meta.key-label-syntax'],
    },
    metaKey('1com.example/x'),
  ),

  fault(
    'meta-prefix-forwards',
    {
      what: 'The tools/list result has a _meta key whose prefix is a domain name that is not reversed.',
      breaks: ['meta.key-reverse-dns'],
    },
    metaKey('tools.example.com/x'),
  ),

  fault(
    'meta-prefix-reserved',
    {
      what: 'The tools/list result has an undefined _meta key under a prefix reserved for MCP.',
      breaks: ['meta.reserved-prefix-unused'],
    },
    metaKey('modelcontextprotocol.io/made-up', 'io.modelcontextprotocol/made-up'),
  ),

  fault(
    'icon-of-odd-scheme',
    { what: 'tools/list returns an icon with an ftp URL.', breaks: ['icons.src-uri'] },
    icon({ src: 'ftp://example.com/icon.png' }),
  ),

  fault(
    'icon-size-unclear',
    { what: 'tools/list returns an icon with a single number as size.', breaks: ['icons.size-format'] },
    icon({ sizes: ['48'] }),
  ),
];
