/** server/prompts. */

import { NotObserved } from '../../harness/peer/deferred.js';
import { declares } from '../../harness/record/conversation.js';
import type { Exchange } from '../../harness/record/message.js';
import { scenario } from '../../harness/scenario/scenario.js';
import { asText, isObject, type JsonObject } from '../../spec/json-rpc.js';
import { completedArguments } from './completed.js';
import { checkListChange, noteErrors, requestList } from './lists.js';
import { isInputRequired } from './rounds.js';
import { unknownNames } from './unknown-names.js';

const required = (prompt: JsonObject): string[] =>
  (Array.isArray(prompt.arguments) ? prompt.arguments.filter(isObject) : [])
    .filter(a => a.required === true)
    .map(a => asText(a.name));

const filled = (prompt: JsonObject, value?: JsonObject): JsonObject =>
  Object.fromEntries(required(prompt).map(name => [name, value ?? textFor(name)]));

/**
 * The value of an argument: a URI where the name suggests one, because the prompt may return the value as a
 * URI.
 */
const textFor = (name: string): string => (/ur[il]/i.test(name) ? 'test://example-resource' : 'text');

const ask = (prompt: JsonObject, given: JsonObject): JsonObject => ({ name: prompt.name!, arguments: given });

/** A request for a prompt with all required arguments. */
export const plainAsk = (prompt: JsonObject): JsonObject => ask(prompt, filled(prompt));

export const scenarios = [
  scenario('server/prompts/list', {
    title: 'prompts/list of a server that declares prompts gets a result',
    verifies: ['prompts.list-answered'],
    run: context => requestList(context, 'prompts.list-answered', 'prompts/list'),
  }),

  scenario('server/prompts/get-listed', {
    title: 'prompts/get of listed prompts returns well-formed results',
    verifies: ['base.schema-valid'],
    async run({ peer, expect, known }) {
      if (known.prompts.length === 0) expect.notObserved('base.schema-valid', 'no prompt is listed');
      const got: Exchange[] = [];
      for (const prompt of known.prompts.slice(0, 6))
        got.push(await peer.request('prompts/get', plainAsk(prompt)));
      noteErrors(expect, got);
    },
  }),

  scenario('server/prompts/get-completed', {
    title: 'prompts/get with arguments that the server completes returns well-formed results',
    verifies: ['base.schema-valid'],
    async run({ peer, expect, known }) {
      const needy = declares(peer.declared, 'completions') ? known.prompts.filter(p => required(p)[0]) : [];
      const got: Exchange[] = [];
      for (const prompt of needy.slice(0, 4)) {
        const ref = { type: 'ref/prompt', name: prompt.name! };
        const given = await completedArguments(peer, ref, required(prompt));
        if (!given) continue;
        got.push(await peer.request('prompts/get', ask(prompt, given)));
      }
      noteErrors(expect, got);
      if (got.length === 0)
        expect.notObserved('base.schema-valid', 'the server completes no required arguments');
    },
  }),

  scenario('server/prompts/get-embedded-resource', {
    title: 'an embedded resource in a prompt has a URI, a MIME type and contents',
    verifies: [
      'prompts.embedded-resource-uri',
      'prompts.embedded-resource-mime-type',
      'prompts.embedded-resource-payload',
    ],
    fixtures: ['prompt test_prompt_with_embedded_resource'],
    async run({ peer }) {
      const given = { resourceUri: 'test://example-resource' };
      await peer.request('prompts/get', { name: 'test_prompt_with_embedded_resource', arguments: given });
    },
  }),

  scenario('server/prompts/get-image', {
    title: 'an image in a prompt has base64 data and a MIME type',
    verifies: ['prompts.image-content-encoding'],
    fixtures: ['prompt test_prompt_with_image'],
    async run({ peer }) {
      await peer.request('prompts/get', { name: 'test_prompt_with_image' });
    },
  }),

  scenario('server/prompts/get-unknown', {
    title: 'prompts/get of an unknown prompt gets error -32602',
    verifies: ['prompts.unknown-prompt-error'],
    async run({ peer, expect }) {
      for (const name of unknownNames(peer, 'prompt'))
        expect('prompts.unknown-prompt-error', await peer.request('prompts/get', { name })).error(-32602);
    },
  }),

  scenario('server/prompts/get-without-required-argument', {
    title: 'prompts/get without a required argument gets error -32602',
    verifies: ['prompts.missing-argument-error'],
    async run({ peer, expect, known }) {
      const row = 'prompts.missing-argument-error';
      const needy = known.prompts.filter(prompt => required(prompt).length > 0);
      if (needy.length === 0) expect.notObserved(row, 'no prompt requires an argument');
      for (const prompt of needy.slice(0, 3)) {
        const names = required(prompt);
        const without = (missing: string) =>
          ask(prompt, Object.fromEntries(names.filter(n => n !== missing).map(n => [n, 'text'])));
        // a server that looks at one argument only misses one of these
        const requests = [
          { name: prompt.name! },
          ...(names.length > 1 ? [without(names[0]!), without(names.at(-1)!)] : []),
        ];
        for (const params of requests) {
          // deliberate: what a server makes of a missing argument is no finding of its own
          const got = await peer.request('prompts/get', params, { deliberate: true, once: true });
          if (isInputRequired(got)) expect.notObserved(row, 'the server asks the client for the argument');
          else expect(row, got).error(-32602);
        }
      }
    },
  }),

  scenario('server/prompts/get-with-wrong-arguments', {
    title: 'prompts/get with arguments that are not strings is refused',
    verifies: ['prompts.arguments-validated'],
    async run({ peer, expect, known }) {
      const needy = known.prompts.find(prompt => required(prompt).length > 0);
      if (!needy) throw new NotObserved('no prompt requires an argument');
      // a server may accept a number as its digits; an object is never valid as a text
      const got = await peer.request('prompts/get', ask(needy, filled(needy, { a: 1 })), {
        deliberate: true,
      });
      expect('prompts.arguments-validated', got).error();
    },
  }),

  scenario('server/prompts/list-changed', {
    title: 'a server that declares listChanged sends notifications/prompts/list_changed',
    verifies: ['prompts.list-changed-notification'],
    fixtures: ['tool test_list_change'],
    run: at => checkListChange(at, 'prompts.list-changed-notification', 'notifications/prompts/list_changed'),
  }),
];
