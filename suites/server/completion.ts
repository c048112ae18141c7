/** server/utilities/completion. */

import { resultOf } from '../../harness/record/message.js';
import { scenario } from '../../harness/scenario/scenario.js';
import { isObject, type JsonObject } from '../../spec/json-rpc.js';

const argument = { name: 'a', value: '' };

const argumentsOf = (prompt: JsonObject): JsonObject[] =>
  Array.isArray(prompt.arguments) ? prompt.arguments.filter(isObject) : [];

/** Requests that do not fit the definition, whatever a server can complete. */
const misshapen: readonly JsonObject[] = [
  { ref: { type: 'ref/nothing', name: 'x' }, argument },
  { ref: { type: 'ref/prompt', name: 'x' }, argument: { name: 'a', value: 7 } },
];

export const scenarios = [
  scenario('server/completion/listed-arguments', {
    title: 'arguments of listed prompts and templates are completed with a hundred values at most',
    verifies: ['completion.max-100-values', 'completion.total-and-has-more-consistent'],
    async run({ peer, expect, known }) {
      const prompts = known.prompts.flatMap(prompt =>
        argumentsOf(prompt).map(a => ({ ref: { type: 'ref/prompt', name: prompt.name! }, name: a.name! })),
      );
      const templates = known.templates.flatMap(({ uriTemplate = '' }) =>
        [...String(uriTemplate).matchAll(/\{([a-z0-9_]+)\}/gi)].map(([, name = '']) => ({
          ref: { type: 'ref/resource', uri: uriTemplate },
          name,
        })),
      );
      const completions: JsonObject[] = [];
      for (const { ref, name } of [...prompts.slice(0, 8), ...templates.slice(0, 4)]) {
        const asked = ['', 'a', 't'].map(value =>
          peer.request('completion/complete', { ref, argument: { name, value } }),
        );
        const given = (await Promise.all(asked)).map(exchange => resultOf(exchange)?.completion);
        completions.push(...given.filter(isObject));
      }
      // the first revision has no capability to say that there is no completion
      if (completions.length === 0)
        expect.notObserved('completion.max-100-values', 'nothing that is listed is completed');
      if (completions.every(c => c.total === undefined))
        expect.notObserved('completion.total-and-has-more-consistent', 'no total is told');
    },
  }),

  scenario('server/completion/unknown-prompt', {
    title: 'completing an argument of an unknown prompt is refused as invalid params',
    verifies: ['completion.unknown-prompt-error'],
    async run({ peer, expect }) {
      const ref = { type: 'ref/prompt', name: peer.unused('prompt') };
      expect(
        'completion.unknown-prompt-error',
        await peer.request('completion/complete', { ref, argument }),
      ).error(-32602);
    },
  }),

  scenario('server/completion/missing-members', {
    title: 'completion without a reference or an argument is refused as invalid params',
    verifies: ['completion.missing-argument-error', 'completion.inputs-validated'],
    async run({ peer, expect }) {
      const ref = { type: 'ref/prompt', name: 'test_prompt_with_arguments' };
      for (const params of [{ ref }, { argument }, {}]) {
        const exchange = await peer.request('completion/complete', params, { deliberate: true });
        expect('completion.missing-argument-error', exchange).error(-32602, -32600);
        // without an argument a lenient server may complete nothing; without a reference there is nothing to validate
        if (!('ref' in params)) expect('completion.inputs-validated', exchange).error();
      }
    },
  }),

  scenario('server/completion/misshapen', {
    title: 'completion with an unknown kind of reference or a value that is no text is refused',
    verifies: ['completion.server-validates-inputs'],
    async run({ peer, expect }) {
      for (const params of misshapen) {
        const exchange = await peer.request('completion/complete', params, { deliberate: true });
        expect('completion.server-validates-inputs', exchange).error();
      }
      const long = { name: 'arg1', value: 'x'.repeat(100_000) };
      await peer.request('completion/complete', {
        ref: { type: 'ref/prompt', name: 'test_prompt_with_arguments' },
        argument: long,
      });
    },
  }),
];
