/**
 * Clients that connect to a listening harness are served, observed and judged, over every transport at the
 * same time.
 */

import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { judgeConversation } from '../../harness/judge/judge.js';
import { History } from '../../harness/record/history.js';
import { type ConnectionObserver, runListen } from '../../harness/run/client/listen.js';
import type { Address } from '../../harness/transports/link.js';
import { mockClient } from '../../mocks/client/client.js';
import {
  definedRevisions,
  latestRevision,
  latestStateless,
  type Revision,
  revisions,
  type TransportId,
} from '../../spec/revisions.js';
import { suite } from '../index.js';
import { observe } from './run-mock.js';

type Act = (addresses: ReadonlyMap<TransportId, Address>) => Promise<void>;

async function visit(act: Act) {
  const end = new AbortController();
  const [arrived, left, unopened]: string[][] = [[], [], []];
  const seen = new Set<string>();
  const who = (c: { transport: string; revision: { id: string } }) => `${c.revision.id} ${c.transport}`;
  const observer: ConnectionObserver = {
    waiting: addresses => void act(addresses).finally(() => end.abort()),
    arrived: conversation => arrived!.push(who(conversation)),
    judged: findings => {
      for (const { requirement, verdict } of findings) seen.add(`${verdict} ${requirement}`);
    },
    unopened: (_, opening) => unopened!.push(opening),
    left: conversation => left!.push(who(conversation)),
  };
  const trial = await observe(runListen({ suite, until: end.signal, observer }));
  return { ...trial, arrived, left, unopened, seen };
}

const come = (
  address: Address,
  transport: TransportId,
  faults: string[] = [],
  spoken: readonly Revision[] = revisions,
): Promise<number> =>
  mockClient({ faults, revisions: spoken.map(r => r.id) }).perform(
    {
      address,
      transport,
      script: [['connect'], ['list', 'tools'], ['list', 'prompts'], ['call', 'test_roots'], ['close']],
    },
    { stderr: new PassThrough(), signal: new AbortController().signal },
  );

test('each conversation is judged under its revision and over its transport', async () => {
  const { report, arrived, left, seen } = await visit(async addresses => {
    for (const [transport, address] of addresses) expect(await come(address, transport)).toBe(0);
  });
  expect(report.runs.map(r => `${r.revision} ${r.transport}`).sort()).toEqual([...arrived!].sort());
  expect(arrived).toContain(`${latestRevision.id} stdio`);
  expect(arrived).toHaveLength(3);
  // over Streamable HTTP only the end of the session shows that a client disconnects
  expect(left).toContain(`${latestRevision.id} stdio`);
  expect(seen).toContain('pass lifecycle.client-sends-initialized');
  expect(report).toMatchObject({ exitCode: 0, unjudged: null, role: 'client' });
  expect(report.summary.pass).toBeGreaterThan(40);
});

test('a failure is reported immediately, and in the report', async () => {
  const { report, failed, seen } = await visit(async addresses => {
    await come(addresses.get('stdio')!, 'stdio', ['client-initialized-misnamed']);
  });
  expect([...failed.keys()]).toEqual(['lifecycle.client-sends-initialized']);
  expect(seen).toContain('fail lifecycle.client-sends-initialized');
  expect(report.exitCode).toBe(1);
});

test.each([
  ['that is not JSON', '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{'],
  ['without a method', '{"jsonrpc":"2.0","id":1,"metod":"initialize","params":{}}'],
])('a client with an initialize request %s is reported beside one that conforms', async (_, text) => {
  const { report, unopened } = await visit(async addresses => {
    const address = addresses.get('streamable-http')!;
    await come(address, 'streamable-http');
    const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
    await fetch((address as { url: string }).url, { method: 'POST', headers, body: text });
  });
  expect(report.exitCode).not.toBe(0);
  expect(report.unjudged?.reason).toBe(
    'One connection brought messages, but no initialize request that can be read.',
  );
  expect(report.unjudged?.details).toEqual([`streamable-http: ${text}`]);
  expect(report.runs.length).toBeGreaterThan(0);
  expect(unopened!.length).toBeLessThan(2);
});

test('a request that brings no message is no client', async () => {
  const { report } = await visit(async addresses => {
    const address = addresses.get('streamable-http')!;
    await come(address, 'streamable-http');
    await fetch(new URL('/favicon.ico', (address as { url: string }).url));
  });
  expect(report.unjudged).toBeNull();
  expect(report.exitCode).toBe(0);
});

test('without a client nothing is judged', async () => {
  const { report } = await visit(async () => {});
  expect(report.unjudged?.reason).toBe('No client connected.');
  expect(report.exitCode).toBe(3);
});

test('a client without a handshake is judged in its revision, beside one with a handshake', async () => {
  const { report, arrived, unopened } = await visit(async addresses => {
    for (const [transport, address] of addresses) {
      if (transport !== 'http-sse') expect(await come(address, transport, [], [latestStateless])).toBe(0);
      expect(await come(address, transport)).toBe(0);
    }
  });
  expect(report.runs.map(r => `${r.revision} ${r.transport}`).sort()).toEqual([...arrived!].sort());
  expect(arrived).toContain(`${latestStateless.id} stdio`);
  expect(arrived).toContain(`${latestStateless.id} streamable-http`);
  expect(arrived).toHaveLength(5);
  expect(unopened).toEqual([]);
  expect(report).toMatchObject({ exitCode: 0, unjudged: null });
});

test('a client of both eras is judged in the newer one', async () => {
  const { report, arrived } = await visit(async addresses => {
    for (const transport of ['stdio', 'streamable-http'] as const)
      expect(await come(addresses.get(transport)!, transport, [], definedRevisions)).toBe(0);
  });
  expect(new Set(arrived)).toEqual(
    new Set([`${latestStateless.id} stdio`, `${latestStateless.id} streamable-http`]),
  );
  expect(report).toMatchObject({ exitCode: 0, unjudged: null });
});

test('a failure of a client without a handshake is found, and again from the record', async () => {
  const { failed, wire } = await visit(async addresses => {
    const faults = ['client-capabilities-missing'];
    for (const transport of ['stdio', 'streamable-http'] as const)
      await come(addresses.get(transport)!, transport, faults, [latestStateless]);
  });
  const found = ['base.schema-valid', 'meta.request-required-fields', 'prompts.request-meta-note'];
  expect([...failed.keys()].sort()).toEqual(found);
  const conversations = [...History.from(wire, 'client').conversations.values()];
  const again = conversations
    .flatMap(c => judgeConversation(c, suite.rules))
    .filter(f => f.verdict === 'fail');
  expect([...new Set(again.map(f => f.requirement))].sort()).toEqual(found);
});
