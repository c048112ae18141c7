/** Expectations of scenarios: the evidence of their findings. */

import { expect, test } from 'vitest';
import { latestRevision } from '../../spec/revisions.js';
import { record, request, result } from '../../suites/rules/record.test.util.js';
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
    expectation.that('ping.answered-empty', false, 'nothing', [each]);
  const [one, two, three, four] = [asked!.seq, answer!.seq, open!.seq, deadline!.seq];
  expect(shown).toEqual([[one], [two], [three], [four], [one, two], [three, four]]);
});
