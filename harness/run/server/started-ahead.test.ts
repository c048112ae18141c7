/** Processes that start ahead of the conversations that need them. */

import { createInterface } from 'node:readline';
import { expect, test } from 'vitest';
import { mockServer } from '../../../mocks/server/server.js';
import { suite } from '../../../suites/index.js';
import type { RunEvent } from '../../report/run-event.js';
import { scenario } from '../../scenario/scenario.js';
import { inProcess, type ProcessSubject, type Streams } from '../../subject/subject.js';
import { defaultTiming } from '../../time/timing.js';
import type { RunOptions } from './options.js';
import { run } from './run.js';

/** A server that counts its processes, as if a command had started them. */
function counted(serve: (streams: Streams, number: number) => Promise<number>) {
  const counts = { started: 0, live: 0 };
  const subject: ProcessSubject = {
    ...inProcess(async streams => {
      counts.live++;
      try {
        return await serve(streams, ++counts.started);
      } finally {
        counts.live--;
      }
    }),
    command: ['server'],
  };
  return { subject, counts };
}

async function eventsOf(subject: ProcessSubject, options: Partial<RunOptions> = {}): Promise<RunEvent[]> {
  const events: RunEvent[] = [];
  const timing = { ...defaultTiming, answer: 1_000, exit: 200, quiet: 20 };
  for await (const event of run({ subject, suite, runs: 0, seed: 1, timing, ...options })) events.push(event);
  return events;
}

/** The conversations in the record. One more process is asked for the other era, off the record. */
const opened = (events: readonly RunEvent[]) =>
  events.filter(e => e.kind === 'wire' && e.event.kind === 'open').length;

test('a run starts as many processes as it opens conversations, and leaves none', async () => {
  const mock = mockServer({ delayMs: 2 });
  const { subject, counts } = counted(streams => mock.serve(streams));
  const events = await eventsOf(subject);
  expect(counts).toEqual({ started: opened(events) + 1, live: 0 });
  expect(events.at(-1)).toMatchObject({ kind: 'run-end', processesStarted: counts.started });
});

test('a process that no case needs in the end is terminated', async () => {
  const one = scenario('server/ping/one', {
    title: 'a ping gets a response',
    verifies: ['ping.answered-empty'],
    // it opens none
    opens: 1,
    async run({ peer, expect }) {
      expect('ping.answered-empty', await peer.request('ping')).result();
    },
  });
  const startedFor = async (options: Partial<RunOptions>) => {
    const mock = mockServer({ revisions: ['2025-11-25'] });
    const { subject, counts } = counted(streams => mock.serve(streams));
    const events = await eventsOf(subject, { suite: { rules: [], scenarios: [one] }, ...options });
    expect(opened(events)).toBe(1);
    expect(counts.live).toBe(0);
    return counts.started;
  };
  // one for server/discover, one for the case, one that no case needs
  expect(await startedFor({})).toBe(3);
  expect(await startedFor({ selected: () => true })).toBe(2);
});

test('cases whose tool does not exist need no process of their own', async () => {
  const discovering = scenario('server/tools/discovering', {
    title: 'each tool is called',
    verifies: ['base.schema-valid'],
    isolation: 'slow',
    async run({ expect, discoverRoles }) {
      await discoverRoles();
      expect.notObserved('base.schema-valid', 'nothing is judged');
    },
  });
  const needing = scenario('server/sampling/needing', {
    title: 'a tool asks the model',
    verifies: ['sampling.include-context-avoided'],
    declares: { sampling: { context: {} } },
    fixtures: ['role sampling'],
    async run() {
      throw new Error('No tool asks the model.');
    },
  });
  const results: Readonly<Record<string, unknown>> = {
    initialize: {
      protocolVersion: '2025-11-25',
      capabilities: { tools: {} },
      serverInfo: { name: 'plain', version: '1' },
    },
    'tools/list': {
      tools: [{ name: 'plain', inputSchema: { type: 'object' }, annotations: { readOnlyHint: true } }],
    },
    'tools/call': { content: [] },
    ping: {},
  };
  const { subject } = counted(async ({ stdin, stdout }) => {
    for await (const line of createInterface({ input: stdin })) {
      const { id, method } = JSON.parse(line);
      const result = results[method];
      const error = { code: -32601, message: 'Unknown method' };
      if (id !== undefined)
        stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, ...(result ? { result } : { error }) })}\n`);
    }
    return 0;
  });
  const chosen = { rules: [], scenarios: [discovering, needing] };
  const events = await eventsOf(subject, { suite: chosen, jobs: 1 });
  // one for the first conversation, one for the slow case
  expect(opened(events)).toBe(2);
  const reasons = events.flatMap(e => (e.kind === 'finding' ? [e.finding.message] : []));
  expect(reasons).toContainEqual(expect.stringContaining('no callable tool'));
});

test('a conversation that stays open is the other conversation of a later case', async () => {
  const seen: number[] = [];
  const made = (slug: string, stays: boolean) =>
    scenario(`server/ping/${slug}`, {
      title: 'another conversation is served',
      verifies: ['stateless.no-connection-context'],
      async run({ expect, newConversation, otherConversation }) {
        const other = stays ? await newConversation({ stays }) : await otherConversation();
        expect('stateless.no-connection-context', await other.request('server/discover')).result();
        seen.push(other.conversation.link);
      },
    });
  const mock = mockServer();
  const { subject, counts } = counted(streams => mock.serve(streams));
  const scenarios = [made('stays', true), made('takes', false), made('takes-another', false)];
  await eventsOf(subject, { suite: { rules: [], scenarios } });
  expect(seen[1]).toBe(seen[0]);
  expect(seen[2]).not.toBe(seen[0]);
  expect(counts.live).toBe(0);
});

test('a case that makes a conversation unusable gets the one that another case has left open', async () => {
  const seen = new Map<string, number>();
  const made = (slug: string, isolation: 'shared' | 'destructive') =>
    scenario(`server/ping/${slug}`, {
      title: 'a request is served',
      verifies: ['stateless.no-connection-context'],
      isolation,
      ...(isolation === 'shared' && { opens: 1, leavesOpen: true }),
      async run({ peer, expect, newConversation }) {
        seen.set(slug, peer.conversation.link);
        const other = isolation === 'shared' ? await newConversation({ stays: true }) : peer;
        expect('stateless.no-connection-context', await other.request('tools/list')).result();
        seen.set(`${slug} there`, other.conversation.link);
      },
    });
  const mock = mockServer();
  const { subject, counts } = counted(streams => mock.serve(streams));
  const scenarios = [made('leaves', 'shared'), made('first', 'destructive'), made('second', 'destructive')];
  await eventsOf(subject, { suite: { rules: [], scenarios } });
  expect(seen.get('first')).toBe(seen.get('leaves'));
  expect(seen.get('second')).toBe(seen.get('leaves there'));
  // beside these two, one is asked for the other era, and one that starts ahead is not needed
  expect(counts).toEqual({ started: 4, live: 0 });
});

test('a process that has ended before its conversation is opened is recorded like any other', async () => {
  const mock = mockServer({ delayMs: 2 });
  const { subject, counts } = counted(async (streams, number) => {
    if (number === 1) return mock.serve(streams);
    for await (const _ of createInterface({ input: streams.stdin })) return 3;
    return 3;
  });
  const events = await eventsOf(subject);
  const exits = events.flatMap(e => (e.kind === 'wire' && e.event.kind === 'exit' ? [e.event.code] : []));
  expect(exits.length).toBe(opened(events));
  expect(exits.filter(code => code === 3).length).toBe(counts.started - 2);
  expect(counts.live).toBe(0);
});

test.each([
  ['without a handshake', undefined, 'server/discover'],
  ['with a handshake', ['2025-11-25'] as const, 'initialize'],
])('the record of a server %s begins with the first request of its era', async (_, revisions, first) => {
  const mock = mockServer({ delayMs: 2, ...(revisions && { revisions: [...revisions] }) });
  const { subject } = counted(streams => mock.serve(streams));
  const events = await eventsOf(subject, { selected: name => name.includes('/server/ping/') });
  const wire = events.flatMap(e => (e.kind === 'wire' ? [e.event] : []));
  expect(wire[0]).toMatchObject({ kind: 'open', seq: 1, link: 1 });
  const methods = wire.flatMap(e =>
    e.kind === 'frame' && e.by === 'client' ? [JSON.parse(e.text).method] : [],
  );
  expect(methods[0]).toBe(first);
  expect(methods.filter(method => method === 'server/discover').length > 0).toBe(first === 'server/discover');
  expect(wire.map(({ seq }) => seq)).toEqual(wire.map((_event, at) => at + 1));
});
