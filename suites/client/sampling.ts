/** client/sampling. */

import { type Exchange, errorOf, resultOf } from '../../harness/record/message.js';
import type { Expect } from '../../harness/scenario/expect.js';
import { scenario } from '../../harness/scenario/scenario.js';
import { asText, type Json, type JsonObject } from '../../spec/json-rpc.js';
import { clauseIn, requirement } from '../../spec/requirement.js';
import { call, insist, isGivenUp, serve } from './asking.js';
import { user } from './world.js';

const method = 'sampling/createMessage';
const plain: JsonObject = { messages: [user('What is 2 + 3?')], maxTokens: 100 };

const adder: JsonObject = {
  name: 'add',
  description: 'Adds two numbers.',
  inputSchema: {
    type: 'object',
    properties: { a: { type: 'number' }, b: { type: 'number' } },
    required: ['a', 'b'],
  },
};

const use = (id: string): JsonObject => ({ type: 'tool_use', id, name: 'add', input: { a: 2, b: 3 } });
const answerTo = (toolUseId: string): JsonObject => ({
  type: 'tool_result',
  toolUseId,
  content: [{ type: 'text', text: '5' }],
});
const assistant = (content: Json): JsonObject => ({ role: 'assistant', content });

const models = ['alpha-large', 'alpha-small', 'beta-large', 'beta-small'];

const hintRows = [
  'sampling.hints-in-order',
  'sampling.hint-is-substring',
  'sampling.hints-before-priorities',
] as const;

const undeclaredTools = [
  'sampling.client-refuses-undeclared-tools',
  'sampling.tools-capability-declared',
] as const;

/** The params of a sampling request with model hints. */
const preferring = (names: readonly string[], more: JsonObject = {}): JsonObject => ({
  ...plain,
  modelPreferences: { hints: names.map(name => ({ name })), ...more },
});

/** Expects the model that hints select; a client that ignores hints conforms too. */
function expectModel<Id extends Parameters<Expect['that']>[0]>(
  expect: Expect<Id>,
  id: Id,
  exchange: Exchange,
  right: readonly string[],
  wrong: readonly string[],
): void {
  const model = asText(resultOf(exchange)?.model);
  if (![...right, ...wrong].includes(model)) expect.notObserved(id, `the client used ${model}`);
  else
    expect.that(id, {
      ok: right.includes(model),
      expected: right.join(' or '),
      evidence: [exchange],
      actual: model,
    });
}

export const scenarios = [
  scenario.client('client/sampling/plain', {
    title: 'sampling/createMessage to a client that declares sampling gets a message',
    verifies: ['sampling.capability-declared', 'base.schema-valid'],
    serve,
    does: call(),
    isolation: 'shared',
    async run({ peer, expect }) {
      await peer.nextDeferred('tools/call');
      insist(peer, 'sampling');
      const first = await peer.request(method, plain);
      if (!resultOf(first))
        expect.notObserved('sampling.capability-declared', 'the client gives no message to the request');
      await peer.request(method, {
        ...plain,
        systemPrompt: 'Be brief.',
        temperature: 0,
        stopSequences: ['.'],
        metadata: { a: 1 },
      });
    },
  }),

  scenario.client('client/sampling/not-declared', {
    title: 'sampling/createMessage to a client that declares no sampling gets error -32601',
    verifies: ['sampling.capability-declared', 'jsonrpc.request-answered-once', 'jsonrpc.method-not-found'],
    serve,
    does: call([], { declare: [] }),
    isolation: 'shared',
    lasts: 100,
    async run({ peer, expect }) {
      await peer.nextDeferred('tools/call');
      insist(peer, 'sampling', false);
      const refused = await peer.request(method, plain, { deliberate: true });
      if (resultOf(refused))
        return expect.notObserved('jsonrpc.method-not-found', 'the client does not refuse the request');
      expect.noViolation('sampling.capability-declared', [refused]);
      // a question in a result is refused by not sending the request again
      if (!peer.vocabulary.requests.server.has(method))
        return expect.notObserved(
          ['jsonrpc.method-not-found', 'jsonrpc.request-answered-once'],
          'a client of this revision answers no request',
        );
      expect('jsonrpc.method-not-found', refused).error(-32601);
    },
  }),

  scenario.client('client/sampling/rejected', {
    title: 'sampling/createMessage that the user rejects gets an error',
    verifies: ['sampling.rejection-error'],
    serve,
    does: call([['answer', method, 'refuse']]),
    isolation: 'shared',
    async run({ peer, expect, scripted }) {
      await peer.nextDeferred('tools/call');
      insist(peer, 'sampling');
      const rejected = await peer.request(method, plain);
      // earlier revisions name the code in an example, and have no list of errors
      const listsErrors = clauseIn(requirement('sampling.missing-tool-result-error'), peer.revision.id);
      const codes = listsErrors ? [-1] : [];
      const error = errorOf(rejected);
      // without a driver, an error with another code may have another cause than the user
      const isRejection =
        error !== undefined && (codes.length === 0 || codes.some(code => code === error.code));
      if (scripted || isRejection) expect('sampling.rejection-error', rejected).error(...codes);
      else
        expect.notObserved(
          'sampling.rejection-error',
          error ? 'nothing shows that the user rejected the request' : 'the user did not reject the request',
        );
    },
  }),

  scenario.client('client/sampling/malformed', {
    title: 'a malformed sampling/createMessage gets an error, and the client stays usable',
    verifies: ['sampling.message-content-validated'],
    serve,
    does: call(),
    isolation: 'shared',
    async run({ peer, expect }) {
      await peer.nextDeferred('tools/call');
      insist(peer, 'sampling');
      const image: JsonObject = { role: 'user', content: { type: 'image', mimeType: 'image/png' } };
      const messages: JsonObject[] = [
        image,
        { role: 'robot', content: { type: 'text', text: 'Beep.' } },
        { role: 'user', content: { type: 'x-unknown', text: 'Beep.' } },
      ];
      for (const message of messages) {
        const params = { ...plain, messages: [message] };
        const refused = await peer.request(method, params, { deliberate: true });
        // a question in a result is refused by not sending the request again, which ends the call
        if (isGivenUp(peer, method, refused))
          return expect.noViolation('sampling.message-content-validated', [refused]);
        expect('sampling.message-content-validated', refused).error();
      }
      const next = await peer.request(method, plain);
      // the user may reject any request
      if (errorOf(next))
        expect.notObserved('sampling.message-content-validated', 'the user rejects valid requests too');
      else expect('sampling.message-content-validated', next).result();
    },
  }),

  scenario.client('client/sampling/hints', {
    title: 'a client that uses model hints applies them in order, as substrings, before priorities',
    verifies: hintRows,
    serve,
    does: call([['answer', method, 'accept', { models }]]),
    isolation: 'shared',
    async run({ peer, expect }) {
      await peer.nextDeferred('tools/call');
      insist(peer, 'sampling');
      const ask = (names: readonly string[], more?: JsonObject) =>
        peer.request(method, preferring(names, more));
      const used = resultOf(await peer.request(method, plain))?.model;
      // ignored hints show nothing, so the hinted model differs from the model that is used without hints
      const others = models.filter(model => model !== used);
      const [first, second] = [others[0]!, others[1]!];
      const exact = await ask([first]);
      if (others.length === models.length || resultOf(exact)?.model !== first) {
        expect.notObserved(hintRows, 'the client does not use hints');
        return;
      }
      const ordered = await ask(['no-such-model', second, first]);
      expectModel(expect, 'sampling.hints-in-order', ordered, [second], [first]);
      const part = second.slice(1, -1);
      expectModel(expect, 'sampling.hint-is-substring', await ask([part]), [second], models);
      const fast = await ask([first], { speedPriority: 1, costPriority: 1, intelligencePriority: 0 });
      expectModel(expect, 'sampling.hints-before-priorities', fast, [first], models);
    },
  }),

  scenario.client('client/sampling/tools-not-declared', {
    title: 'a client that declares sampling without tools refuses sampling requests with tools',
    verifies: undeclaredTools,
    serve,
    does: call([], { declare: ['sampling'], without: ['sampling.tools'] }),
    async run({ peer, expect }) {
      await peer.nextDeferred('tools/call');
      insist(peer, 'sampling');
      insist(peer, 'sampling.tools', false);
      const refused = await peer.request(method, { ...plain, tools: [adder] }, { deliberate: true });
      // a question in a result is refused by not sending the request again, which ends the call
      if (isGivenUp(peer, method, refused))
        return undeclaredTools.forEach(row => {
          expect.noViolation(row, [refused]);
        });
      await peer.request(method, { ...plain, toolChoice: { mode: 'auto' } }, { deliberate: true });
    },
  }),

  scenario.client('client/sampling/tool-choice', {
    title:
      'a client uses offered tools only, none with toolChoice none, and at least one with toolChoice required',
    verifies: ['sampling.tool-choice-none', 'sampling.tool-choice-required', 'sampling.tool-use-fits-tools'],
    serve,
    does: call(),
    isolation: 'shared',
    async run({ peer, expect }) {
      await peer.nextDeferred('tools/call');
      insist(peer, 'sampling.tools');
      const none = { ...plain, tools: [adder], toolChoice: { mode: 'none' } };
      await peer.request(method, none);
      // a server uses this mode to end a loop of tools
      const results: JsonObject = { role: 'user', content: [answerTo('one')] };
      await peer.request(method, {
        ...none,
        messages: [user('What is 2 + 3?'), assistant([use('one')]), results],
      });
      const free = await peer.request(method, { ...plain, tools: [adder] });
      const forced = await peer.request(method, {
        ...plain,
        tools: [adder],
        toolChoice: { mode: 'required' },
      });
      if (!resultOf(forced))
        expect.notObserved('sampling.tool-choice-required', 'the client refuses the request');
      const used = [free, forced].some(e => JSON.stringify(resultOf(e) ?? {}).includes('"tool_use"'));
      if (!used) expect.notObserved('sampling.tool-use-fits-tools', 'the client uses no tool');
    },
  }),

  scenario.client('client/sampling/tool-results', {
    title: 'a client refuses tool results that are incomplete or mixed with other content',
    verifies: ['sampling.missing-tool-result-error', 'sampling.mixed-tool-results-error'],
    serve,
    does: call(),
    isolation: 'shared',
    async run({ peer, expect }) {
      await peer.nextDeferred('tools/call');
      insist(peer, 'sampling.tools');
      const ask = (messages: readonly JsonObject[]) =>
        peer.request(method, { ...plain, tools: [adder], messages: [...messages] }, { deliberate: true });
      const asked = [user('What is 2 + 3, twice?'), assistant([use('one'), use('two')])];
      const text = { type: 'text', text: 'Here:' };
      const both = [answerTo('one'), answerTo('two')];
      // fewer results, as many but one for another use, and none
      for (const content of [[answerTo('one')], [answerTo('one'), answerTo('three')], [text]]) {
        const missing = await ask([...asked, { role: 'user', content }]);
        expect('sampling.missing-tool-result-error', missing).error(-32602);
      }
      for (const content of [
        [text, ...both],
        [...both, text],
      ]) {
        const mixed = await ask([...asked, { role: 'user', content }]);
        expect('sampling.mixed-tool-results-error', mixed).error(-32602);
      }
    },
  }),
];
