/** Servers that have less than the fixtures, or have it otherwise. */

import { isJson, isObject, type JsonObject, without } from '../../../spec/json-rpc.js';
import {
  onLine,
  onNotification,
  onReply,
  onResult,
  onWorld,
  type Quirk,
  quirk,
  result,
} from '../../fault.js';
import type { World } from '../world.js';

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
    { what: 'The server has no capabilities.' },
    onWorld(world => {
      world.capabilities = {};
    }),
  ),

  quirk(
    'tools-only',
    { what: 'The server has tools and nothing else.' },
    onWorld(world => {
      world.capabilities = { tools: {} };
      // who embeds resources ought to have some
      const embedding = ['test_embedded_resource', 'test_multiple_content_types'];
      world.tools = world.tools.filter(tool => !embedding.includes(String(tool.definition.name)));
    }),
  ),

  quirk(
    'no-notices',
    { what: 'Neither subscriptions nor changes of lists are declared.' },
    onWorld(world => {
      world.capabilities = { tools: {}, resources: {}, prompts: {}, logging: {}, completions: {} };
    }),
  ),

  quirk(
    'empty-lists',
    { what: 'Everything is declared and nothing is there.' },
    onWorld(world => {
      world.tools = [];
      world.prompts = [];
      world.resources = [];
      world.templates = [];
    }),
  ),

  quirk(
    'strange-capabilities',
    { what: 'Capabilities are declared that nobody knows.' },
    onWorld(world => {
      world.capabilities = {
        ...world.capabilities,
        experimental: { 'com.example/odd': { a: 1 } },
        'x-odd': { b: [] },
      };
    }),
  ),

  quirk(
    'no-descriptions',
    { what: 'Nothing has a description, a title or a MIME type.' },
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
    { what: 'Names of tools differ in case only.' },
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
    { what: 'Names of tools have dots and hyphens in them.' },
    onWorld(world => renamed(world, name => name.replace('test_', 'test.odd-'))),
  ),

  quirk(
    'one-page',
    { what: 'Lists come in one page.' },
    onWorld(world => {
      world.pageSize = 1_000;
    }),
  ),

  quirk(
    'one-item-per-page',
    { what: 'Lists come item by item.' },
    onWorld(world => {
      world.pageSize = 1;
    }),
  ),

  quirk(
    'last-page-empty',
    { what: 'Lists end with an empty page.' },
    onWorld(world => {
      world.emptyLastPage = true;
    }),
  ),

  quirk(
    'silent-on-garbage',
    { what: 'Lines that are not JSON are ignored.' },
    onLine(text => (isJson(text) ? text : undefined)),
  ),

  quirk(
    'logs-of-any-shape',
    { what: 'Log messages have no logger, and data of any shape.' },
    onNotification('notifications/message', message => {
      const params = message.params as JsonObject;
      return { ...message, params: { ...without(params, 'logger'), data: [null, { deep: params.data! }] } };
    }),
  ),

  quirk(
    'missing-resource-empty',
    { what: 'Reading a resource that does not exist succeeds without contents.' },
    onReply('resources/read', (reply, ask) =>
      isObject(reply.error) && String(reply.error.message).includes('no such resource')
        ? result(ask, { contents: [] })
        : reply,
    ),
  ),

  quirk(
    'never-reports-progress',
    { what: 'No progress is ever reported.' },
    onNotification('notifications/progress', () => undefined),
  ),

  quirk(
    'fractional-progress',
    { what: 'Progress counts in fractions, without a total, past what was expected.' },
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
    { what: 'Requests before initialize are served.' },
    onWorld((_world, context) => {
      context.session.insistsOnHandshake = false;
    }),
  ),
];
