import { expect, test } from 'vitest';
import { judgeConversation } from '../../../harness/judge/judge.js';
import { latestRevision } from '../../../spec/revisions.js';
import { ask, body, end } from '../http-events.test.util.js';
import { error, handshake, record, request } from '../record.test.util.js';
import { rules } from './json-rpc.js';

test('over HTTP, a response with another id is shown with the request of its POST', () => {
  const conversation = record(
    latestRevision,
    [
      ...handshake(latestRevision),
      ...ask(1, 'POST', request(7, 'ping'), 400, 'application/json'),
      body(1, error('server-error', -32600)),
      end(1),
    ],
    { transport: 'streamable-http' },
  );
  const [found] = judgeConversation(conversation, rules).filter(
    f => f.requirement === 'jsonrpc.response-id-matches' && f.verdict === 'fail',
  );
  const ping = conversation.messages.find(m => m.method === 'ping');
  expect(found).toMatchObject({ expected: ['id 7'], actual: 'id "server-error"' });
  expect(found?.evidence).toContain(ping?.seq);
});
