/** Expectations of scenarios: the evidence of their findings. */

import { expect, test } from 'vitest';
import { latestRevision } from '../../spec/revisions.js';
import { ask, end } from '../../suites/rules/http-events.test.util.js';
import { error, record, request, result } from '../../suites/rules/record.test.util.js';
import { makeExpect } from './expect.js';

test('a message as evidence stands for itself only, and so does an event that names a request', () => {
  const conversation = record(latestRevision, [
    ['c', request(1, 'ping')],
    ['s', result(1)],
    ['c', request(2, 'ping')],
    { kind: 'deadline', label: 'answer', ms: 1, request: 2 },
  ]);
  const shown: (readonly number[])[] = [];
  const expectation = makeExpect((_, { evidence }) => shown.push(evidence), conversation);
  const [asked, answer, open] = conversation.messages;
  const [deadline] = conversation.eventsOf('deadline');
  for (const each of [asked, answer, open, deadline, ...conversation.exchanges({ method: 'ping' })])
    expectation.that('ping.answered-empty', {
      ok: false,
      expected: 'nothing',
      evidence: [each],
      actual: '–',
    });
  const [one, two, three, four] = [asked!.seq, answer!.seq, open!.seq, deadline!.seq];
  expect(shown).toEqual([[one], [two], [three], [four], [one, two], [three, four]]);
});

test.each(['getaddrinfo ENOTFOUND api.example', 'Cannot connect to the database'])(
  'an error of the network behind the subject shows nothing about the subject: %s',
  message => {
    const conversation = record(latestRevision, [
      ['c', request(1, 'resources/read')],
      ['s', error(1, -32603, message)],
      ['c', request(2, 'resources/read')],
      ['s', error(2, -32603, 'no such row')],
    ]);
    const verdicts: string[] = [];
    const expectation = makeExpect((_, { verdict }) => verdicts.push(verdict), conversation);
    for (const exchange of conversation.exchanges({ method: 'resources/read' })) {
      expectation('resources.template-mime-type-uniform', exchange).result();
      expectation('resources.not-found-code-32002', exchange).error(-32002);
      expectation('resources.not-found-code-32002', exchange).error();
    }
    expect(verdicts).toEqual(['none', 'none', 'pass', 'fail', 'fail', 'pass']);
  },
);

test('a connection that breaks before any status shows nothing where a status is due', () => {
  const post = {
    exchange: 1,
    method: 'POST',
    url: 'http://localhost/mcp',
    headers: [],
    stream: 'post',
  } as const;
  const broken = { kind: 'http-end', exchange: 1, by: 'error', code: 'ECONNRESET', reason: 'reset' } as const;
  const refused = { kind: 'http-response', exchange: 1, status: 400, reason: '', headers: [] } as const;
  const verdicts: string[] = [];
  for (const event of [broken, refused]) {
    const conversation = record(latestRevision, [{ kind: 'http-request', ...post }, event], {
      transport: 'streamable-http',
    });
    const [exchange] = conversation.http();
    makeExpect((_, { verdict }) => verdicts.push(verdict), conversation)(
      'streamable-http.origin-403',
      exchange!,
    ).status(403);
  }
  expect(verdicts).toEqual(['inconclusive', 'fail']);
});

test('a refusal by HTTP whose error does not name the request is judged by its code, and shown where the code is another', () => {
  const conversation = record(
    latestRevision,
    [
      ...ask(1, 'POST', request(1, 'tools/call'), 400, 'application/json'),
      {
        kind: 'http-body',
        exchange: 1,
        text: JSON.stringify(error(null, -32020, 'missing Mcp-Name header')),
      },
      end(1),
    ],
    { transport: 'streamable-http' },
  );
  const judged: unknown[] = [];
  const expectation = makeExpect((_, { verdict, message }) => judged.push(verdict, message), conversation);
  const [exchange] = conversation.exchanges({ method: 'tools/call' });
  expectation('tools.malformed-call-protocol-error', exchange!).error();
  expectation('http-headers.method-header', exchange!).error(-32020);
  expectation('jsonrpc.invalid-params', exchange!).error(-32602);
  const why =
    'refused by HTTP with status 400 and error -32020 "missing Mcp-Name header" without the id of the request';
  expect(judged).toEqual(['pass', undefined, 'pass', undefined, 'inconclusive', why]);
});
