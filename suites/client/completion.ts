/**
 * server/utilities/completion: requests of a client, and responses with few values, with none, and with an
 * error.
 */

import { RefusedRequest } from '../../harness/peer/requests.js';
import { resultOf } from '../../harness/record/message.js';
import { scenario } from '../../harness/scenario/scenario.js';
import type { Step } from '../../harness/scenario/script.js';
import { deliberately } from '../../harness/scenario/serve.js';
import { asText, isObject, type JsonObject } from '../../spec/json-rpc.js';

const ref = { type: 'ref/prompt', name: 'test_prompt_with_arguments' };
const typed = (value: string) => ({ name: 'arg1', value });

/**
 * Results by the value to complete: no values, and more values than the result holds; all other values get an
 * error.
 */
const answers = {
  a: { completion: { values: [] } },
  b: { completion: { values: ['b1', 'b2'], hasMore: true } },
};

/** Invalid results, each for the request with its number as value. */
const malformed: readonly JsonObject[] = [
  {},
  { completion: null },
  { completion: { values: 'none' } },
  { completion: { values: [1, null] } },
];

export const scenarios = [
  scenario.client('client/completion/malformed', {
    title: 'an invalid result of completion/complete leaves a client usable',
    verifies: ['completion.inputs-validated'],
    serve: {
      'completion/complete': deliberately(({ argument }) => {
        const value = isObject(argument) ? Number(argument.value) : 0;
        return malformed[value] ?? { completion: { values: ['sound'] } };
      }),
    },
    does: [
      ['connect'],
      ...malformed.map((_, at): Step => ['complete', ref, typed(asText(at))]),
      ['complete', ref, typed(asText(malformed.length))],
      ['close'],
    ],
    async run({ peer, expect, scripted }) {
      const row = 'completion.inputs-validated';
      const requests = () => peer.requestsOfCase('completion/complete');
      const waits =
        scripted &&
        !(await peer.waitUntilDeadline(() => requests().length > malformed.length)) &&
        peer.vocabulary.requests.server.has('ping') &&
        (await peer.barrier());
      // it may wait for a valid result until its own timeout
      if (waits && requests()[0]?.reply) return expect.noViolation(row, [requests().at(-1)]);
      await peer.caseOver();
      const asked = requests();
      const [first] = asked;
      if (!first?.reply) return expect.notObserved(row, 'the client sends no completion/complete');
      const whole = asked.length > malformed.length;
      if (whole) expect.noViolation(row, [first, asked.at(-1)]);
      else if (scripted)
        expect.that(row, {
          ok: false,
          expected: 'the next request',
          evidence: [asked.at(-1)],
          actual: 'none',
        });
      else expect.notObserved(row, 'the client had no further request to send');
    },
  }),

  scenario.client('client/completion/few-and-none', {
    title:
      'a client continues after completions of every kind, and sends the arguments that are already known',
    verifies: ['completion.client-handles-partial-results', 'completion.context-arguments-sent'],
    serve: {
      'completion/complete': ({ argument }) => {
        const value = isObject(argument) ? asText(argument.value) : '';
        if (value === 'c') throw new RefusedRequest(-32603, 'Completion is out of order.');
        return value === 'b' ? answers.b : answers.a;
      },
    },
    does: [
      ['connect'],
      ['complete', ref, typed('a')],
      ['complete', ref, typed('b')],
      ['complete', ref, typed('c')],
      ['complete', ref, { name: 'arg2', value: 'a' }, { arg1: 'settled' }],
      ['close'],
    ],
    isolation: 'shared',
    async run({ peer, expect, scripted }) {
      await peer.caseOver();
      const asked = peer.requestsOfCase('completion/complete');
      const [first, , third, fourth] = asked;
      if (!scripted || !first) return;
      const row = 'completion.client-handles-partial-results';
      expect.that(row, {
        ok: !!fourth,
        expected: 'the next request',
        evidence: [first, asked.at(-1)],
        actual: 'none',
      });
      if (!fourth || resultOf(third!)) return;
      const { context } = fourth.request.params ?? {};
      const settled = isObject(context) && isObject(context.arguments) ? context.arguments.arg1 : undefined;
      const expected = 'context.arguments with the first argument';
      expect.that('completion.context-arguments-sent', {
        ok: settled === 'settled',
        expected,
        evidence: [fourth],
        actual: `context ${JSON.stringify(context) ?? 'absent'}`,
      });
    },
  }),
];
