import { expect, test } from 'vitest';
import { newestFirst } from '../../spec/revisions.js';
import { History } from '../record/history.js';
import { ConnectionPool } from '../run/server/connections.js';
import { inProcess } from '../subject/subject.js';

test('the first three tool calls that hang get the full timeout, later ones a shorter timeout that the record marks', async () => {
  const silent = inProcess(async ({ stdin }) => {
    for await (const _ of stdin);
    return 0;
  });
  const history = new History('server');
  const timing = { answer: 50, exit: 50, quiet: 1 };
  const connections = new ConnectionPool(silent, 'stdio', history, timing, () => {});
  const peer = connections.connect({ revision: newestFirst().find(r => r.era === 'legacy')!, case: 0 });
  for (let n = 0; n < 4; n++) await peer.request('tools/call', { name: 'x' });
  await peer.request('tools/list');
  const waits = peer.conversation.eventsOf('deadline').map(({ ms, hurried = false }) => ({ ms, hurried }));
  const whole = { ms: 50, hurried: false };
  expect(waits).toEqual([whole, whole, whole, { ms: 10, hurried: true }, whole]);
  await connections.end();
});
