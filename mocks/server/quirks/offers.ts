/** Servers with fewer fixtures, or with fixtures in another form. */

import { isJson, isObject, type JsonObject, without } from '../../../spec/json-rpc.js';
import {
  onLine,
  onNotification,
  onReply,
  onRequest,
  onResult,
  onWorld,
  type Quirk,
  quirk,
  result,
} from '../../fault.js';
import type { World } from '../interfaces.js';
import { object, readOnly, says } from '../world/builders.js';

const undescribed = <T extends { definition: JsonObject }>(items: T[]): T[] =>
  items.map(item => ({ ...item, definition: without(item.definition, 'description', 'title', 'mimeType') }));

const renamed = (world: World, rename: (name: string) => string): void => {
  world.tools = world.tools.map(tool => ({
    ...tool,
    definition: { ...tool.definition, name: rename(String(tool.definition.name)) },
  }));
};

export const offerQuirks: readonly Quirk[] = [
  quirk(
    'nothing-at-all',
    {
      what: 'The initialize result has no capabilities.',
      shows: ['lifecycle.server-answers-initialize#no-capabilities', 'discover.implemented#no-features'],
    },
    onWorld(world => {
      world.capabilities = {};
    }),
  ),

  quirk(
    'required-with-default',
    {
      what: 'A tool fills in the default of its only argument, which its schema requires.',
      shows: ['tools.inputs-validated#default-filled-in'],
    },
    onWorld(world => {
      const place = { type: 'string', default: 'here' };
      world.tools.push(
        readOnly('weather_at', 'Tells the weather.', ({ place }) => says(`Sunny, ${place}.`), {
          input: object({ place }, ['place']),
        }),
      );
    }),
    onRequest('tools/call', ask => {
      const { name, arguments: given, ...rest } = ask.params as JsonObject;
      if (name !== 'weather_at') return ask;
      return { ...ask, params: { ...rest, name, arguments: { place: 'here', ...(given as JsonObject) } } };
    }),
  ),

  quirk(
    'tools-only',
    { what: 'The server has tools and no other capability.' },
    onWorld(world => {
      world.capabilities = { tools: {} };
      // a server that embeds resources should have some
      const embedding = ['test_embedded_resource', 'test_multiple_content_types'];
      world.tools = world.tools.filter(tool => !embedding.includes(String(tool.definition.name)));
    }),
  ),

  quirk(
    'no-notices',
    {
      what: 'The initialize result declares neither subscribe nor listChanged.',
      shows: [
        'tools.list-changed-notification#not-declared',
        'prompts.list-changed-notification#not-declared',
        'resources.list-changed-notification#not-declared',
        'resources.subscribe-methods-answered#not-declared',
      ],
    },
    onWorld(world => {
      world.capabilities = { tools: {}, resources: {}, prompts: {}, logging: {}, completions: {} };
    }),
  ),

  quirk(
    'empty-lists',
    {
      what: 'The server declares all capabilities and returns empty lists.',
      shows: ['tools.list-answered#empty', 'prompts.list-answered#empty', 'resources.list-answered#empty'],
    },
    onWorld(world => {
      world.tools = [];
      world.prompts = [];
      world.resources = [];
      world.templates = [];
    }),
  ),

  quirk(
    'strange-capabilities',
    {
      what: 'The initialize result has unknown capabilities.',
      shows: ['base.jsonrpc-2-0#unknown-members', 'lifecycle.server-answers-initialize#unknown-capabilities'],
    },
    onWorld(world => {
      world.capabilities = {
        ...world.capabilities,
        experimental: { 'com.example/odd': { a: 1 } },
        'x-odd': { b: [] },
      };
    }),
  ),

  quirk(
    'resources-grow',
    {
      what: 'A binary resource grows with each list, unannounced, and the size of a text is that of UTF-16.',
      shows: [
        'resources.size-is-raw-bytes#grows',
        'resources.size-is-raw-bytes#encoding',
        'pagination.stable-cursors#item-changed',
        'pagination.resume-after-cursor#resource-changed',
      ],
    },
    onWorld(world => {
      let log = Buffer.from('begin');
      const definition = { uri: 'test://log', name: 'Log', mimeType: 'application/octet-stream' };
      world.resources.push(
        {
          definition: {
            ...definition,
            get size() {
              const { length } = log;
              log = Buffer.concat([log, Buffer.from(', listed')]);
              return length;
            },
          },
          read: () => ({ mimeType: definition.mimeType, blob: log.toString('base64') }),
        },
        {
          definition: { uri: 'test://utf-16', name: 'UTF-16', mimeType: 'text/plain', size: 10 },
          read: () => ({ mimeType: 'text/plain', text: 'wörld' }),
        },
      );
    }),
  ),

  quirk(
    'no-descriptions',
    {
      what: 'Tools, resources and prompts have no description, title or MIME type.',
      shows: ['resources.template-mime-type-uniform#no-types'],
    },
    onWorld(world => {
      world.tools = undescribed(world.tools);
      world.resources = undescribed(world.resources);
      world.templates = undescribed(world.templates);
      world.prompts = undescribed(world.prompts);
    }),
    onResult('prompts/get', body => without(body, 'description')),
    onResult('initialize', body => without(body, 'instructions')),
  ),

  quirk(
    'mixed-case-names',
    {
      what: 'tools/list returns names that differ only in case.',
      shows: ['tools.name-case-sensitive#names-differ-in-case', 'tools.name-unique#other-case'],
    },
    onWorld(world => {
      const shouting = world.tools.map(tool => ({
        ...tool,
        definition: { ...tool.definition, name: String(tool.definition.name).toUpperCase() },
      }));
      world.tools = [...world.tools, ...shouting];
    }),
  ),

  quirk(
    'dotted-names',
    { what: 'tools/list returns names with dots and hyphens.', shows: ['tools.name-charset#dots'] },
    onWorld(world => renamed(world, name => name.replace('test_', 'test.odd-'))),
  ),

  quirk(
    'one-page',
    { what: 'List requests return all items on one page.' },
    onWorld(world => {
      world.pageSize = 1_000;
    }),
  ),

  quirk(
    'one-item-per-page',
    {
      what: 'List requests return one item per page.',
      shows: ['tools.list-answered#pages', 'prompts.list-answered#pages'],
    },
    onWorld(world => {
      world.pageSize = 1;
    }),
  ),

  quirk(
    'last-page-empty',
    {
      what: 'List requests return an empty last page.',
      shows: ['pagination.resume-after-cursor#empty-page'],
    },
    onWorld(world => {
      world.emptyLastPage = true;
    }),
  ),

  quirk(
    'silent-on-garbage',
    { what: 'A line that is not JSON gets no response.', shows: ['jsonrpc.parse-error#no-response'] },
    onLine(text => (isJson(text) ? text : undefined)),
  ),

  quirk(
    'logs-of-any-shape',
    { what: 'notifications/message has no logger, and an array as data.' },
    onNotification('notifications/message', message => {
      const params = message.params as JsonObject;
      return { ...message, params: { ...without(params, 'logger'), data: [null, { deep: params.data! }] } };
    }),
  ),

  quirk(
    'missing-resource-empty',
    {
      what: 'resources/read of an unknown resource returns empty contents.',
      shows: ['resources.not-found-code-32002#empty-contents'],
    },
    onReply('resources/read', (reply, ask) =>
      isObject(reply.error) && String(reply.error.message).includes('no such resource')
        ? result(ask, { contents: [] })
        : reply,
    ),
  ),

  quirk(
    'never-reports-progress',
    { what: 'notifications/progress is never sent.', shows: ['progress.rate-limited#never'] },
    onNotification('notifications/progress', () => undefined),
  ),

  quirk(
    'fractional-progress',
    {
      what: 'notifications/progress has fractional values without a total.',
      shows: ['progress.fields#fraction'],
    },
    onNotification('notifications/progress', message => {
      const params = message.params as JsonObject;
      return {
        ...message,
        params: { ...without(params, 'total'), progress: Number(params.progress) / 3 - 1 },
      };
    }),
  ),

  quirk(
    'serves-without-handshake',
    { what: 'Requests before initialize are served.', shows: ['lifecycle.initialize-first#served'] },
    onWorld((_world, context) => {
      context.session.insistsOnHandshake = false;
    }),
  ),
];
