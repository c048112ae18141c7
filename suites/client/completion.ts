/** server/utilities/completion: what a client sends, and what it makes of few values, none, and a refusal. */

import { resultOf } from '../../harness/history.js';
import { RefusedRequest } from '../../harness/peer.js';
import { scenario } from '../../harness/scenario.js';
import { isObject } from '../../spec/json-rpc.js';

const ref = { type: 'ref/prompt', name: 'test_prompt_with_arguments' };
const typed = (value: string) => ({ name: 'arg1', value });

/** By what was typed: nothing found, more than told, and an error. */
const answers = {
  a: { completion: { values: [] } },
  b: { completion: { values: ['b1', 'b2'], hasMore: true } },
};

export const scenarios = [
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
      await peer.over();
      const asked = peer.asked('completion/complete');
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
