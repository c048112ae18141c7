/** Limit of lost conversations: the limit counts per revision, independent of earlier revisions. */

import { createInterface } from 'node:readline';
import { expect, test } from 'vitest';
import type { Peer } from '../../peer/peer.js';
import { scenario } from '../../scenario/scenario.js';
import { inProcess, type Subject } from '../../subject/subject.js';
import type { Suite } from '../plan.js';
import { Losses } from './losses.js';
import { run } from './run.js';

const [newer, older] = ['2025-11-25', '2025-06-18'];

/** Exits at every ping, or responds with a text of this length, under the newer revision only. */
const failing = (length?: number) =>
  inProcess(async ({ stdin, stdout }) => {
    let spoken = '';
    for await (const line of createInterface({ input: stdin })) {
      const { id, method, params } = JSON.parse(line);
      const fails = method === 'ping' && spoken === newer;
      if (fails && length === undefined) return 1;
      if (method === 'initialize') spoken = [newer, older].find(r => r === params.protocolVersion) ?? newer;
      const introduction = {
        protocolVersion: spoken,
        capabilities: {},
        serverInfo: { name: 'a', version: '1' },
      };
      const result = method === 'initialize' ? introduction : fails ? { text: 'x'.repeat(length!) } : {};
      if (id !== undefined) stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, result })}\n`);
    }
    return 0;
  });

const suite: Suite = {
  rules: [],
  scenarios: Array.from({ length: 15 }, (_, n) =>
    scenario(`server/ping/number-${n}`, {
      title: 'a ping gets a response',
      verifies: ['ping.answered-empty'],
      async run({ peer, expect }) {
        expect('ping.answered-empty', await peer.request('ping')).result();
      },
    }),
  ),
};

/** Number of verdicts per revision and verdict. */
async function verdicts(subject: Subject): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  let current = '';
  for await (const event of run({
    subject,
    suite,
    revision: 'all',
    jobs: 1,
    seed: 1,
    maxMessageBytes: 100_000,
  })) {
    if (event.kind === 'revision-start') current = event.revision;
    if (event.kind !== 'finding') continue;
    const { verdict, message = '' } = event.finding;
    const key = `${current} ${verdict} ${message.replace(/\d+/g, 'n')}`;
    counts[key] = (counts[key] ?? 0) + 1;
  }
  return counts;
}

test('a server that exits again and again is given up, but only in that revision', async () => {
  const counts = await verdicts(failing());
  const given = `${newer} inconclusive not run: the server exited n times before`;
  expect(counts[given]).toBeGreaterThan(0);
  expect(Object.keys(counts).filter(key => key.startsWith(older))).toEqual([`${older} pass `]);
  expect(counts[`${older} pass `]).toBe(15);
});

test('a server whose messages exceed the limit of the harness is not said to exit', async () => {
  const counts = await verdicts(failing(200_000));
  const reasons = Object.keys(counts).filter(key => key.includes('not run:'));
  expect(reasons).toEqual([
    `${newer} inconclusive not run: the server was cut off n times at a message of more than n bytes, the limit (--max-message) before`,
  ]);
});

test('a server over HTTP is not said to exit', () => {
  const losses = new Losses('streamable-http');
  const ended = { ended: true, conversation: { eventsOf: () => [] } };
  while (!losses.areTooMany) losses.count(ended as unknown as Peer);
  expect(losses.inWords).toBe('not run: the server ended the conversation 21 times before');
});
