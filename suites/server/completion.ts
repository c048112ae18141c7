/** server/utilities/completion. */

import { resultOf } from '../../harness/record/message.js';
import { scenario } from '../../harness/scenario/scenario.js';
import { asText, isObject, type JsonObject } from '../../spec/json-rpc.js';
import { unknownNames } from './unknown-names.js';

const argument = { name: 'a', value: '' };

const argumentsOf = (prompt: JsonObject): JsonObject[] =>
  Array.isArray(prompt.arguments) ? prompt.arguments.filter(isObject) : [];

/** Requests that are invalid by definition, whatever the server completes. */
const misshapen: readonly JsonObject[] = [
  { ref: { type: 'ref/nothing', name: 'x' }, argument },
  { ref: { type: 'ref/prompt', name: 'x' }, argument: { name: 'a', value: 7 } },
];

export const scenarios = [
  scenario('server/completion/listed-arguments', {
    title: 'completion/complete for arguments of listed prompts and templates returns at most 100 values',
    verifies: ['completion.max-100-values', 'completion.total-and-has-more-consistent'],
    async run({ peer, expect, known }) {
      const prompts = known.prompts.flatMap(prompt =>
        argumentsOf(prompt).map(a => ({ ref: { type: 'ref/prompt', name: prompt.name! }, name: a.name! })),
      );
      const templates = known.templates.flatMap(({ uriTemplate = '' }) =>
        [...asText(uriTemplate).matchAll(/\{([a-z0-9_]+)\}/gi)].map(([, name = '']) => ({
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
      // in the first revision no capability shows that a server has no completion
      if (completions.length === 0)
        expect.notObserved(
          'completion.max-100-values',
          'the server completes no argument of a listed prompt or template',
        );
      if (completions.every(c => c.total === undefined))
        expect.notObserved('completion.total-and-has-more-consistent', 'no completion has a total');
    },
  }),

  scenario('server/completion/unknown-prompt', {
    title: 'completion/complete for an unknown prompt gets error -32602',
    verifies: ['completion.unknown-prompt-error'],
    async run({ peer, expect }) {
      for (const name of unknownNames(peer, 'prompt')) {
        const ref = { type: 'ref/prompt', name };
        expect(
          'completion.unknown-prompt-error',
          await peer.request('completion/complete', { ref, argument }),
        ).error(-32602);
      }
    },
  }),

  scenario('server/completion/missing-members', {
    title: 'completion/complete without a reference or an argument is refused as invalid',
    verifies: ['completion.missing-argument-error', 'completion.inputs-validated'],
    async run({ peer, expect }) {
      const ref = { type: 'ref/prompt', name: 'test_prompt_with_arguments' };
      for (const params of [{ ref }, { argument }, {}]) {
        const exchange = await peer.request('completion/complete', params, { deliberate: true });
        expect('completion.missing-argument-error', exchange).error(-32602, -32600);
        // a lenient server may complete a missing argument with no values; a missing reference cannot pass
        // validation
        if (!('ref' in params)) expect('completion.inputs-validated', exchange).error();
      }
    },
  }),

  scenario('server/completion/misshapen', {
    title: 'completion/complete with an unknown kind of reference or a value that is not a string is refused',
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
