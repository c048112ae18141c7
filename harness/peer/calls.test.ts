import { createInterface } from 'node:readline';
import { expect, test } from 'vitest';
import { latestStateless, newestFirst, type Revision } from '../../spec/revisions.js';
import { History } from '../record/history.js';
import { ConnectionPool } from '../run/server/connections.js';
import { inProcess } from '../subject/subject.js';
import { TimeBudget } from '../time/budget.js';
import type { Peer } from './peer.js';

/** The waits of a conversation with a server that never sends a message, and their lengths. */
async function waitsOf(revision: Revision, act: (peer: Peer) => Promise<void>) {
  const silent = inProcess(async ({ stdin }) => {
    for await (const _ of stdin);
    return 0;
  });
  const history = new History('server');
  const timing = { answer: 50, exit: 50, quiet: 1 };
  const connections = new ConnectionPool(silent, 'stdio', history, timing, () => {});
  const peer = connections.connect({ revision, case: 0 });
  await act(peer);
  const waits = peer.conversation.eventsOf('deadline').map(({ ms, hurried = false }) => ({ ms, hurried }));
  await connections.end();
  return waits;
}

const whole = { ms: 50, hurried: false };
const short = (ms: number) => ({ ms, hurried: true });

test('the first three tool calls that hang get the full timeout, later ones a shorter timeout that the record marks', async () => {
  const waits = await waitsOf(newestFirst().find(r => r.era === 'legacy')!, async peer => {
    for (let n = 0; n < 4; n++) await peer.request('tools/call', { name: 'x' });
    await peer.request('tools/list');
  });
  expect(waits).toEqual([whole, whole, whole, short(10), whole]);
});

test('a method that is never answered gets the full timeout once, except where the response shows that the server is alive', async () => {
  const waits = await waitsOf(latestStateless, async peer => {
    for (let n = 0; n < 4; n++) await peer.request('prompts/list');
    await peer.request('resources/list');
    for (let n = 0; n < 2; n++) await peer.request('server/discover');
  });
  expect(waits).toEqual([whole, short(5), short(1), short(1), whole, whole, whole]);
});

test('methods that the revision does not define count together: the first without a response gets the full timeout', async () => {
  const waits = await waitsOf(latestStateless, async peer => {
    for (const method of ['x-one', 'x-two', 'x-three', 'prompts/list'])
      await peer.request(method, undefined, { deliberate: true });
  });
  expect(waits).toEqual([whole, short(5), short(1), whole]);
});

test('the first subscription that is ignored gets the full timeout, later ones a shorter timeout', async () => {
  const waits = await waitsOf(latestStateless, async peer => {
    for (let n = 0; n < 3; n++) expect((await peer.listen({})).isIgnored).toBe(true);
  });
  expect(waits).toEqual([whole, short(5), short(5)]);
});

test('the first two notifications that do not arrive get the full timeout, others and those that are not owed a shorter one', async () => {
  const waits = await waitsOf(latestStateless, async peer => {
    const method = 'notifications/tools/list_changed';
    await peer.expected.notification(method, { isBrief: true });
    for (let n = 0; n < 3; n++) await peer.expected.notification(method);
  });
  expect(waits).toEqual([short(10), whole, whole, short(10)]);
});

test('a process that starts gets three times the longest start so far where waits have to be short', async () => {
  const startMs = 60;
  let starts = 0;
  const server = inProcess(async ({ stdin, stdout }) => {
    const isFirst = ++starts === 1;
    for await (const _ of stdin) {
      await new Promise(resolve => setTimeout(resolve, startMs));
      if (isFirst) stdout.write('{"jsonrpc":"2.0","id":1,"result":{}}\n');
    }
    return 0;
  });
  const budget = new TimeBudget({ answer: 1_000, subject: 'server' });
  const timing = { answer: 1_000, exit: 50, quiet: 1, budget };
  const connections = new ConnectionPool(server, 'stdio', new History('server'), timing, () => {});
  const revision = newestFirst().find(r => r.era === 'legacy')!;
  await connections.connect({ revision, case: 0 }).request('initialize');
  connections.resetTimeouts();
  budget.count(0, 20_000);
  expect(budget.isHurried).toBe(true);
  const peer = connections.connect({ revision, case: 0 });
  await peer.request('initialize');
  const [deadline] = peer.conversation.eventsOf('deadline');
  await connections.end();
  budget.stop();
  expect(deadline).toMatchObject({ hurried: true });
  expect(deadline!.ms).toBeGreaterThanOrEqual(3 * startMs);
});

test('a server that serves one request at a time has the time of a response for each of them', async () => {
  const server = inProcess(async ({ stdin, stdout }) => {
    const pause = (ms: number) => new Promise(resolve => setTimeout(resolve, ms));
    for await (const line of createInterface({ input: stdin })) {
      const { id, method } = JSON.parse(line);
      if (id === undefined || method === 'ping') continue;
      await pause(300);
      stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, result: {} })}\n`);
    }
    return 0;
  });
  const timing = { answer: 500, exit: 50, quiet: 1 };
  const connections = new ConnectionPool(server, 'stdio', new History('server'), timing, () => {});
  const peer = connections.connect({ revision: newestFirst().find(r => r.era === 'legacy')!, case: 0 });
  const listed = [1, 2, 3].map(() => peer.request('tools/list'));
  const silent = peer.request('ping');
  for (const { reply } of await Promise.all(listed)) expect(reply).toBeDefined();
  expect((await silent).deadline).toMatchObject({ ms: 500 });
  expect(peer.conversation.eventsOf('deadline')).toHaveLength(1);
  await connections.end();
});
