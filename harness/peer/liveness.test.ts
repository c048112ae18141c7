import { expect, test } from 'vitest';
import { newestFirst } from '../../spec/revisions.js';
import { History } from '../record/history.js';
import { ConnectionPool } from '../run/server/connections.js';
import { url } from '../subject/subject.js';

test('a ping whose HTTP response ends without a message: the reason says so, and its events show it', async () => {
  const subject = url('http://localhost/mcp', {
    fetch: async request => {
      if (request.method !== 'POST') return new Response(null, { status: 405 });
      const { id, method } = (await request.json()) as { id?: number; method: string };
      if (id === undefined) return new Response(null, { status: 202 });
      const serverInfo = { name: 'a', version: '1' };
      const result = { protocolVersion: '2025-11-25', capabilities: {}, serverInfo };
      return method === 'initialize'
        ? Response.json({ jsonrpc: '2.0', id, result })
        : new Response('', { headers: { 'content-type': 'text/event-stream' } });
    },
  });
  const timing = { answer: 500, exit: 50, quiet: 1 };
  const connections = new ConnectionPool(subject, 'streamable-http', new History('server'), timing, () => {});
  const revision = newestFirst().find(r => r.era === 'legacy')!;
  const { peer } = await connections.open({ revision, case: 0 });
  expect(await peer.barrier()).toBe(false);
  const { why, shownBy } = peer.liveness.silence();
  expect(why).toBe('the HTTP response to ping ended without a message');
  expect(shownBy.map(event => event.kind)).toEqual(['frame', 'http-request', 'http-response', 'http-end']);
  await connections.end();
});
