/** A server that limits the rate of requests: what depends on a refused request is not judged. */

import { expect, test } from 'vitest';
import { judgeConversation, rateLimited } from '../../../harness/judge/judge.js';
import { latestRevision } from '../../../spec/revisions.js';
import { ask, event } from '../http-events.test.util.js';
import { rules } from '../index.js';
import { type Line, notification, record, request, result } from '../record.test.util.js';

const sse = 'text/event-stream';
const hello = {
  protocolVersion: latestRevision.id,
  capabilities: {},
  serverInfo: { name: 's', version: '1' },
};
const opening: Line[] = [
  ...ask(1, 'POST', request('i', 'initialize', hello), 200, sse, { headers: { 'Mcp-Session-Id': 's' } }),
  ...event(1, result('i', hello)),
];
const called = ask(2, 'POST', request(2, 'tools/call', { name: 'x' }), 200, sse);
const refused = ask(9, 'POST', request(9, 'ping'), 429);
/** Two requests of the server with one id. */
const breach: Line[] = [...event(2, request(0, 'roots/list')), ...event(2, request(0, 'roots/list'))];

const judge = (row: string, ...lines: Line[]) =>
  judgeConversation(
    record(latestRevision, [...opening, ...called, ...lines], { transport: 'streamable-http', tick: 600 }),
    rules,
  ).filter(f => f.requirement === row && f.verdict !== 'pass');

test('a failure after a request of its case got status 429 is inconclusive, and one before it is none', () => {
  const row = 'jsonrpc.request-id-unique-in-session';
  expect(judge(row, ...refused, ...breach)).toEqual([
    expect.objectContaining({ verdict: 'inconclusive', message: expect.stringContaining(rateLimited) }),
  ]);
  expect(judge(row, ...breach, ...refused)).toEqual([expect.objectContaining({ verdict: 'fail' })]);
});

test('a server that refused the POST of a response does not have the response', () => {
  const row = 'cancellation.own-in-flight-request';
  const cancelled = event(2, notification('notifications/cancelled', { requestId: 0 }));
  const judged = (status: number) =>
    judge(
      row,
      ...event(2, request(0, 'roots/list')),
      ...ask(3, 'POST', result(0, { roots: [] }), status),
      ...cancelled,
    );
  expect(judged(202)).toEqual([expect.objectContaining({ verdict: 'fail' })]);
  expect(judged(503)).toEqual([]);
});
