/** A server without session ids: the handler of one POST has no knowledge of the other POSTs. */

import { expect, test } from 'vitest';
import { judgeConversation } from '../../../harness/judge/judge.js';
import { newestFirst } from '../../../spec/revisions.js';
import { ask, event } from '../http-events.test.util.js';
import { rules } from '../index.js';
import { type Line, notification, record, request, result } from '../record.test.util.js';

const revision = newestFirst().find(r => r.transports.includes('streamable-http'))!;
const hello = { protocolVersion: revision.id, capabilities: {}, serverInfo: { name: 's', version: '1' } };
const sse = 'text/event-stream';

/** The handshake, with or without a session id. */
const opened = (headers: Record<string, string>): Line[] => [
  ...ask(1, 'POST', request('i', 'initialize', hello), 200, sse, { headers }),
  ...event(1, result('i', hello)),
];

const call = (exchange: number): Line[] =>
  ask(exchange, 'POST', request(exchange, 'tools/call', { name: 'x' }), 200, sse);
const question = (exchange: number) => event(exchange, request(0, 'roots/list'));

const failed = (row: string, lines: readonly Line[]): string[] => {
  const judge = (headers: Record<string, string>) => {
    const conversation = record(revision, [...opened(headers), ...lines], {
      transport: 'streamable-http',
      tick: 600,
    });
    return judgeConversation(conversation, rules)
      .filter(f => f.requirement === row)
      .map(f => f.verdict);
  };
  return [judge({ 'Mcp-Session-Id': 's' }), judge({})].map(all => (all.includes('fail') ? 'fail' : 'fine'));
};

test('without session ids, a reused request id in another POST is no violation', () => {
  const row = 'jsonrpc.request-id-unique-in-session';
  expect(failed(row, [...call(2), ...question(2), ...call(3), ...question(3)])).toEqual(['fail', 'fine']);
  expect(failed(row, [...call(2), ...question(2), ...question(2)])).toEqual(['fail', 'fail']);
});

test('without session ids, a cancellation after the response in another POST is no violation', () => {
  const row = 'cancellation.own-in-flight-request';
  const withdrawn = event(2, notification('notifications/cancelled', { requestId: 0 }));
  const answered = ask(3, 'POST', result(0, { roots: [] }), 202);
  const lines = [...call(2), ...question(2), ...answered, ...withdrawn];
  expect(failed(row, lines)).toEqual(['fail', 'fine']);
});

test('without session ids, a response after the cancellation in another POST is no violation', () => {
  const row = 'cancellation.no-response';
  const taken = ask(3, 'POST', notification('notifications/cancelled', { requestId: 2 }), 202);
  expect(failed(row, [...call(2), ...taken, ...event(2, result(2))])).toEqual(['fail', 'fine']);
});
