/** Tools that run for a while or change the fixtures. */

import type { Tool, World } from '../interfaces.js';
import { changing, object, says, string } from './builders.js';
import type { Watched } from './resources.js';

const slow: Tool = changing(
  'test_slow',
  'Works for a while, in small steps, and can be cancelled.',
  async (args, call) => {
    const total = Number(args.durationMs ?? 1_000);
    const step = Math.max(1, Math.min(total, call.session.options.delayMs || 1));
    for (let done = 0; done < total; done += step) {
      call.progress(done, total);
      await call.pause(step);
    }
    return says(`Worked for ${total} ms.`);
  },
  { input: object({ durationMs: { type: 'integer', minimum: 0, maximum: 60_000 } }) },
);

const reconnection: Tool = {
  ...changing(
    'test_reconnection',
    'Closes the connection before it answers: over HTTP the answer is there when the client comes back.',
    async (_args, call) => {
      await call.session.channel.disconnect?.(call.id);
      await call.pause();
      return says('The client came back, or never was away.');
    },
  ),
  needs: 'polling',
};

/** The item that is added to each list and removed again. */
const extra = {
  tool: (): Tool => changing('test_extra', 'Is only here sometimes.', () => says('I am here.')),
  prompt: {
    definition: { name: 'test_extra_prompt', description: 'Is only here sometimes.' },
    get: () => [{ role: 'user', content: { type: 'text', text: 'I am here.' } }],
  },
  resource: {
    definition: { uri: 'test://extra', name: 'extra', mimeType: 'text/plain' },
    read: () => ({ mimeType: 'text/plain', text: 'I am here.' }),
  },
};

function toggle<T extends { definition: object }>(items: T[], item: T, key: 'name' | 'uri'): T[] {
  const id = (of: T) => (of.definition as Record<string, unknown>)[key];
  const without = items.filter(other => id(other) !== id(item));
  return without.length < items.length ? without : [...items, item];
}

const listChange = (world: World): Tool =>
  changing('test_list_change', 'Adds an item to each list, or takes it away again.', (_args, call) => {
    // without sessions all clients share the lists: one client changes none that another one walks
    if (call.scope === call.session) {
      world.tools = toggle(world.tools, extra.tool(), 'name');
      world.prompts = toggle(world.prompts, extra.prompt, 'name');
      world.resources = toggle(world.resources, extra.resource, 'uri');
    }
    for (const list of ['tools', 'prompts', 'resources'] as const) world.announce({ list });
    return says('The lists have changed.');
  });

const update = (world: World, watched: Watched): Tool =>
  changing(
    'test_update_resource',
    'Changes the contents of the watched resource.',
    args => {
      const uri = typeof args.uri === 'string' ? args.uri : watched.uri;
      if (uri !== watched.uri) throw new Error(`${uri} never changes.`);
      watched.change();
      world.announce({ uri });
      return says(`${uri} has changed.`);
    },
    { input: object({ uri: string('Default: the watched resource.') }) },
  );

export const stateTools = (world: World, watched: Watched): Tool[] => [
  slow,
  reconnection,
  listChange(world),
  update(world, watched),
];
