/** server/utilities/completion: what a client sends, and what it makes of few values, none, and a refusal. */

import { RefusedRequest } from '../../harness/peer/peer.js';
import { resultOf } from '../../harness/record/message.js';
import { scenario } from '../../harness/scenario/scenario.js';
import type { Step } from '../../harness/scenario/script.js';
import { deliberately } from '../../harness/scenario/serve.js';
import { isObject, type JsonObject } from '../../spec/json-rpc.js';

const ref = { type: 'ref/prompt', name: 'test_prompt_with_arguments' };
const typed = (value: string) => ({ name: 'arg1', value });

/** By what was typed: nothing found, more than told, and an error. */
const answers = {
  a: { completion: { values: [] } },
  b: { completion: { values: ['b1', 'b2'], hasMore: true } },
};

/** Results that are none, and what is asked for then. */
const malformed: readonly JsonObject[] = [
  {},
  { completion: null },
  { completion: { values: 'none' } },
  { completion: { values: [1, null] } },
];

export const scenarios = [
  scenario.client('client/completion/malformed', {
    title: 'a client survives completions that are none',
    verifies: ['completion.inputs-validated'],
    serve: {
      'completion/complete': deliberately(({ argument }) => {
        const value = isObject(argument) ? Number(argument.value) : 0;
        return malformed[value] ?? { completion: { values: ['sound'] } };
      }),
    },
    does: [
      ['connect'],
      ...malformed.map((_, at): Step => ['complete', ref, typed(String(at))]),
      ['complete', ref, typed(String(malformed.length))],
      ['close'],
    ],
    async run({ peer, expect, scripted }) {
      const row = 'completion.inputs-validated';
      await peer.caseOver();
      const asked = peer.requestsOfCase('completion/complete');
      const [first] = asked;
      if (!first?.reply) return expect.notObserved(row, 'it asks for no completions');
      const whole = asked.length > malformed.length;
      if (whole) expect.noViolation(row, [first, asked.at(-1)]);
      else if (scripted) expect.that(row, false, 'the next request', [asked.at(-1)], 'none');
      else expect.notObserved(row, 'it had nothing more to ask');
    },
  }),

  scenario.client('client/completion/few-and-none', {
    title: 'a client goes on after completions of every kind, and says what is settled already',
    verifies: ['completion.client-handles-partial-results', 'completion.context-arguments-sent'],
    serve: {
      'completion/complete': ({ argument }) => {
        const value = isObject(argument) ? String(argument.value) : '';
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
      expect.that(row, !!fourth, 'the next request', [first, asked.at(-1)], 'none');
      if (!fourth || resultOf(third!)) return;
      const { context } = fourth.request.params ?? {};
      const settled = isObject(context) && isObject(context.arguments) ? context.arguments.arg1 : undefined;
      const expected = 'context.arguments with the first argument';
      expect.that('completion.context-arguments-sent', settled === 'settled', expected, [fourth]);
    },
  }),
];
