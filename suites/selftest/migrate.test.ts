/** `mcp-conform migrate`: the topics that a record shows, and their reports. */

import { describe, expect, test } from 'vitest';
import { main } from '../../harness/entry/cli.js';
import type { Event } from '../../harness/record/event.js';
import type { RunEvent } from '../../harness/report/run-event.js';
import { runClient } from '../../harness/run/client/run.js';
import { inProcessClient } from '../../harness/run/client/subject.js';
import { type Migration, migrationOf } from '../../harness/run/migration.js';
import { run } from '../../harness/run/server/run.js';
import { inProcess, url } from '../../harness/subject/subject.js';
import { mockClient } from '../../mocks/client/client.js';
import { mockServer } from '../../mocks/server/server.js';
import { renderMigrationPage } from '../../reports/html/migration.js';
import { renderMigration } from '../../reports/migration.js';
import { renderMigrationMarkdown } from '../../reports/migration-markdown.js';
import { makeStyle, width } from '../../reports/style.js';
import { WireLog } from '../../reports/wire.js';
import type { Json } from '../../spec/json-rpc.js';
import { clauseIn, requirements } from '../../spec/requirement.js';
import { findRevision, type RevisionId } from '../../spec/revisions.js';
import { clientSuite } from '../client/index.js';
import { serverSuite } from '../server/index.js';

const [from, to] = ['2025-11-25', '2026-07-28'] as const satisfies RevisionId[];
const revision = findRevision(from)!;
/** The references answer at once, or on a busy machine later. */
const timing = { answer: 10_000, exit: 2_000, quiet: 20 };

async function collect(events: AsyncIterable<RunEvent>): Promise<RunEvent[]> {
  const all: RunEvent[] = [];
  for await (const event of events) all.push(event);
  return all;
}

const used = (migration: Migration | undefined): string[] =>
  migration!.topics.filter(({ state }) => state === 'used').map(({ id }) => id);

/** A record of the messages of one conversation on stdio. */
function recordOf(...messages: (readonly [by: 'client' | 'server', json: Json])[]): RunEvent[] {
  const placed = { at: 0, link: 1, case: 0 };
  const opened: Event = { ...placed, seq: 1, kind: 'open', transport: 'stdio', revision: from };
  const frames = messages.map(
    ([by, json], i): Event => ({ ...placed, seq: i + 2, kind: 'frame', by, text: JSON.stringify(json) }),
  );
  const start = {
    kind: 'run-start',
    tool: { name: 'mcp-conform', version: '0' },
    role: 'server',
    subject: { command: ['x'], url: null },
    startedAt: '',
    seed: 0,
    strict: false,
    fixtures: false,
    options: [],
  } as const;
  return [start, ...[opened, ...frames].map(event => ({ kind: 'wire', event }) as const)];
}

const rpc = { jsonrpc: '2.0' } as const;
const handshake = (capabilities: Json = {}) =>
  [
    [
      'client',
      {
        ...rpc,
        id: 0,
        method: 'initialize',
        params: { protocolVersion: from, capabilities: {}, clientInfo: { name: 'c', version: '1' } },
      },
    ],
    [
      'server',
      {
        ...rpc,
        id: 0,
        result: { protocolVersion: from, capabilities, serverInfo: { name: 's', version: '1' } },
      },
    ],
  ] as const;

describe('a use is', () => {
  const uses = (...messages: Parameters<typeof recordOf>) =>
    used(migrationOf(recordOf(...handshake(), ...messages), 'server', from, to));

  test('nothing in a handshake without capabilities', () => {
    expect(uses()).toEqual([]);
  });

  test('a request that the server answers with a result, and not one that it refuses', () => {
    const ask = { ...rpc, id: 1, method: 'ping' };
    expect(uses(['client', ask], ['server', { ...rpc, id: 1, result: {} }])).toEqual(['ping']);
    expect(
      uses(['client', ask], ['server', { ...rpc, id: 1, error: { code: -32601, message: 'm' } }]),
    ).toEqual([]);
  });

  test('a message of the server', () => {
    expect(uses(['server', { ...rpc, id: 's', method: 'roots/list' }])).toEqual(['questions', 'deprecated']);
  });

  test('the code of an error', () => {
    const ask = { ...rpc, id: 1, method: 'resources/read', params: { uri: 'a:b' } };
    expect(
      uses(['client', ask], ['server', { ...rpc, id: 1, error: { code: -32002, message: 'm' } }]),
    ).toEqual(['error-codes']);
  });

  test('a capability of the server', () => {
    const record = recordOf(...handshake({ resources: { subscribe: true }, tools: { listChanged: false } }));
    const [topic] = migrationOf(record, 'server', from, to)!.topics.filter(({ state }) => state === 'used');
    expect(topic).toMatchObject({
      id: 'subscriptions',
      uses: [{ what: 'declares resources.subscribe', events: [3] }],
    });
  });

  test('not what the other side declares', () => {
    const record = recordOf(...handshake({ logging: {} }));
    expect(used(migrationOf(record, 'client', from, to))).toEqual([]);
  });
});

describe('the reference server', async () => {
  const server = mockServer({ revisions: [from] });
  const options = { suite: serverSuite, revision, runs: 0, seed: 1, timing } as const;
  const fetch = server.http({ path: '/mcp' }).fetch;
  const overHttp = await collect(run({ ...options, subject: url('http://localhost/mcp', { fetch }) }));
  const migration = migrationOf(overHttp, 'server', from, to)!;

  test('uses every topic over HTTP that a server can use', () => {
    const never = ['authorization-2026'];
    const unused = migration.topics.filter(({ state }) => state === 'unused').map(({ id }) => id);
    expect(unused.filter(id => !never.includes(id))).toEqual([]);
  });

  test('uses no topic of HTTP on stdio', async () => {
    const events = await collect(run({ ...options, subject: inProcess(streams => server.serve(streams)) }));
    expect(
      used(migrationOf(events, 'server', from, to)).filter(id => /headers|sessions|streams/.test(id)),
    ).toEqual([]);
  });

  test('each requirement of a server that begins or ends is in one topic', () => {
    const listed = migration.topics.flatMap(({ begins, ends }) => [...begins, ...ends].map(({ id }) => id));
    expect(new Set(listed).size).toBe(listed.length);
    const missing = [...requirements().values()].filter(
      row =>
        row.needs === undefined &&
        (row.binds === 'server' || row.binds === 'both') &&
        (row.over?.includes('streamable-http') ?? true) &&
        (clauseIn(row, from) === undefined) !== (clauseIn(row, to) === undefined) &&
        !listed.includes(row.id),
    );
    expect(missing).toEqual([]);
  });

  describe('is reported', () => {
    const wire = new WireLog();
    for (const event of overHttp) if (event.kind === 'wire') wire.add(event.event);
    const rows = migration.topics.flatMap(({ begins, ends }) => [...begins, ...ends].map(({ id }) => id));

    test('on a terminal, within its width, with the first message of each use', () => {
      const view = { style: makeStyle(false), columns: 80, wire, verbose: false };
      const lines = renderMigration(migration, view);
      expect(lines.filter(line => !line.includes('https://') && width(line) > 80)).toEqual([]);
      expect(lines.join('\n')).toMatch(/the server answers ping.*\n.*→ {2}\{"id":.*"ping"/);
      const all = renderMigration(migration, { ...view, verbose: true }).join('\n');
      expect(rows.filter(id => !all.includes(id))).toEqual([]);
    });

    test('as Markdown and as a page without a script, each with every requirement', () => {
      const markdown = renderMigrationMarkdown(migration, wire).replaceAll('\\', '').replaceAll('&#46;', '.');
      const page = renderMigrationPage(migration, wire);
      for (const text of [markdown, page]) expect(rows.filter(id => !text.includes(id))).toEqual([]);
      expect(page).not.toContain('<script');
      expect(page).toContain("default-src 'none'");
    });
  });
});

test('a client', async () => {
  const client = mockClient({ revisions: [from] });
  const subject = inProcessClient((task, streams) => client.perform(task, streams));
  const options = { suite: clientSuite, revision, seed: 1, subject, transport: 'stdio' } as const;
  const selected = (name: string) => /\/(sampling|roots|logging)\//.test(name);
  const events = await collect(runClient({ ...options, selected }));
  const migration = migrationOf(events, 'client', from, to)!;
  expect(used(migration)).toEqual(expect.arrayContaining(['questions', 'subscriptions', 'deprecated']));
  expect(
    migration.topics.flatMap(({ begins }) => begins).some(({ id }) => id === 'mrtr.client-echoes-state'),
  ).toBe(true);
});

describe('the command refuses', () => {
  test.each([
    [['--to', '2026-07-28', '--from', '2026-07-28', '--', 'x'], 'older than 2026-07-28'],
    [['--to', '2024-11-05', '--', 'x'], 'is the first revision'],
    [['--to', '2026-07-29', '--', 'x'], 'there is no revision "2026-07-29"'],
    [['--role', 'host', '--', 'x'], '--role'],
    [['--record', 'none.jsonl', '--', 'x'], '--record takes the place'],
    [['--record', 'none.jsonl'], 'none.jsonl'],
    [[], 'mcp-conform migrate -- node server.js'],
    [['--reporter', 'markdwn=a.md', '--', 'x'], 'Did you mean "markdown"?'],
    [['--reporter', 'json', '--reporter', 'html', '--', 'x'], 'only one --reporter'],
  ])('%j', async (args, message) => {
    const said: string[] = [];
    const error = console.error;
    console.error = (text: string) => void said.push(text);
    try {
      expect(await main(['migrate', ...args])).toBe(2);
    } finally {
      console.error = error;
    }
    expect(said.join('\n')).toContain(message);
  });
});

test('a server that does not answer gives no migration', async () => {
  const events = recordOf(handshake()[0] as readonly ['client', Json]);
  expect(migrationOf(events, 'server', from, to)).toBeUndefined();
  expect(await main(['migrate', '--', process.execPath, '-e', 'process.exit(127)'])).toBe(3);
});
