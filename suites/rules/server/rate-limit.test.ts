/** A server that limits the rate of requests: what depends on a refused request is not judged. */

import { expect, test } from 'vitest';
import { judgeConversation } from '../../../harness/judge/judge.js';
import { rateLimited } from '../../../harness/judge/rate-limit.js';
import { latestRevision, revisions } from '../../../spec/revisions.js';
import { ask, event } from '../http-events.test.util.js';
import { rules } from '../index.js';
import { error, type Line, notification, opened, record, request, result } from '../record.test.util.js';

const sse = 'text/event-stream';
const stateful = revisions.findLast(r => r.era === 'legacy')!;
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

test('an error about the rate of requests is no response to the content of a request', () => {
  const judged = (message: string) =>
    judgeConversation(
      record(
        stateful,
        opened(
          ['c', request(1, 'ping')],
          ['s', error(1, -32000, message)],
          ['c', request(2, 'ping')],
          ['s', error(2)],
        )(stateful),
      ),
      rules,
    ).filter(f => f.requirement === 'ping.answered-empty' && f.verdict !== 'pass');
  for (const message of ['Rate limit exceeded', 'You were rate-limited.', 'Too many requests'])
    expect(judged(message)).toEqual([
      expect.objectContaining({ verdict: 'inconclusive', message: expect.stringContaining(rateLimited) }),
      expect.objectContaining({ verdict: 'inconclusive' }),
    ]);
  expect(judged('There is no prompt get_rate_limit')).toEqual([
    expect.objectContaining({ verdict: 'fail' }),
    expect.objectContaining({ verdict: 'fail' }),
  ]);
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
