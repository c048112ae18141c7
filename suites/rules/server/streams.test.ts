/** Evidence of findings about event streams. */

import { expect, test } from 'vitest';
import { judgeConversation } from '../../../harness/judge/judge.js';
import { newestFirst } from '../../../spec/revisions.js';
import { ask, event } from '../http-events.test.util.js';
import { rules } from '../index.js';
import { type Line, record, request, result } from '../record.test.util.js';

test('a stream that stays open is shown with the response after which it has to end', () => {
  const revision = newestFirst().find(r => r.transports.includes('streamable-http'))!;
  const lines: Line[] = [
    ...ask(1, 'POST', request(1, 'tools/list'), 200, 'text/event-stream'),
    ...event(1, result(1)),
    { kind: 'deadline', label: 'http', ms: 10_000, exchange: 1 },
  ];
  const conversation = record(revision, lines, { transport: 'streamable-http' });
  const finding = judgeConversation(conversation, rules).find(
    f => f.requirement === 'streamable-http.sse-closed-after-response' && f.verdict === 'fail',
  );
  const response = conversation.sent('subject').find(m => m.method === undefined);
  expect(response).toBeDefined();
  expect(finding?.evidence).toContain(response?.seq);
});
