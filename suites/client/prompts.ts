/** server/prompts: the arguments of a client in prompts/get. */

import { scenario } from '../../harness/scenario/scenario.js';

export const scenarios = [
  scenario.client('client/prompts/arguments', {
    title: 'prompts/get of a client has the arguments that the prompt requires',
    verifies: ['prompts.required-arguments-sent'],
    does: [
      ['connect'],
      ['list', 'prompts'],
      ['get', 'test_prompt_with_arguments', { arg1: 'one', arg2: 'two' }],
      ['close'],
    ],
    isolation: 'shared',
    async run({ peer, expect }) {
      await peer.caseOver();
      const asked = [peer.requestsOfCase('prompts/list'), peer.requestsOfCase('prompts/get')];
      if (asked.some(({ length }) => length === 0))
        expect.notObserved(
          'prompts.required-arguments-sent',
          'the client sends no prompts/get for a listed prompt',
        );
    },
  }),
];
