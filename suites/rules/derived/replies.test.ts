import { expect, test } from 'vitest';
import { newestFirst } from '../../../spec/revisions.js';
import { rules } from '../both/json-rpc.js';
import { ask, end } from '../http-events.test.util.js';
import { judgements, notification, record, request, result } from '../record.test.util.js';

const sse = 'text/event-stream';
const revision = newestFirst().find(r => r.transports.includes('streamable-http'))!;

test('a missing response after a resumption is reported with the end of the first connection and the resumption', () => {
  const conversation = record(
    revision,
    [
      ...ask(1, 'POST', request(7, 'ping'), 200, sse),
      { kind: 'sse', exchange: 1, id: 'a', retry: '5', data: '' },
      end(1),
      ...ask(2, 'GET', undefined, 200, sse, { sent: { 'Last-Event-ID': 'a' } }),
      { kind: 'deadline', label: 'answer', ms: 9, request: 7 },
    ],
    { transport: 'streamable-http' },
  );
  const rule = rules.find(r => r.requirement === 'jsonrpc.request-answered-once')!;
  const [judgement] = judgements(rule, conversation);
  expect(judgement).toMatchObject({
    verdict: 'fail',
    actual: 'none within 9 ms after the client resumed the stream',
  });
  const shown = conversation.events.filter(e => judgement!.evidence.includes(e.seq)).map(e => e.kind);
  const post = ['frame', 'http-response', 'sse', 'http-end'];
  expect(shown).toEqual([...post, 'http-request', 'http-response', 'deadline']);
});

test('a death is reported with the message after which the process exited', () => {
  const death = [
    ['c', request(1, 'ping')],
    ['s', result(1)],
    ['c', notification('notifications/x')],
    ['c', request(2, 'ping')],
    { kind: 'exit', code: 70, signal: null },
  ] as const;
  const conversation = record(revision, death, { attempt: 2 });
  const rule = rules.find(r => r.requirement === 'jsonrpc.request-answered-once')!;
  const judgement = judgements(rule, conversation).find(j => j.verdict === 'fail')!;
  const shown = conversation.events.filter(e => judgement.evidence.includes(e.seq));
  expect(shown.map(e => (e.kind === 'frame' ? JSON.parse(e.text).method : e.kind))).toEqual([
    'notifications/x',
    'ping',
    'exit',
  ]);
});
