/** The passes of a rule in a case are one finding, with their number and the evidence of all. */

import { expect, test } from 'vitest';
import { latestRevision } from '../../spec/revisions.js';
import { type Line, record, request, result } from '../../suites/rules/record.test.util.js';
import { pass } from './finding.js';
import { judgeConversation } from './judge.js';
import { rule } from './rule.js';

const requirement = 'ping.answered-empty';
const asked = [1, 2, 3].flatMap((id): Line[] => [
  ['c', request(id, 'ping')],
  ['s', result(id, {})],
]);

/** @param failing the id of the response that fails */
const judged = (failing?: number) =>
  judgeConversation(record(latestRevision, asked), [
    rule.each(
      requirement,
      conversation => conversation.eventsOf('frame').filter(({ by }) => by === 'server'),
      response =>
        response.text.includes(`"id":${failing}`)
          ? { verdict: 'fail', expected: ['{}'], evidence: [response.seq] }
          : pass([response]),
    ),
  ]).map(({ verdict, times, evidence }) => [verdict, times, evidence.length]);

test.each([
  [undefined, [['pass', 3, 3]]],
  [
    2,
    [
      ['fail', undefined, 1],
      ['pass', 2, 2],
    ],
  ],
])('the response with id %s fails', (failing, expected) => {
  expect(judged(failing)).toEqual(expected);
});
