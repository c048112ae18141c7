/** basic/patterns/mrtr: retries with other answers, and calls without a retry. */

import type { Peer } from '../../harness/peer/peer.js';
import { type Exchange, resultOf } from '../../harness/record/message.js';
import { scenario } from '../../harness/scenario/scenario.js';
import { isObject, type Json, type JsonObject } from '../../spec/json-rpc.js';

const words = { message: 'Who are you?' };

const isInputRequired = (exchange: Exchange): boolean => resultOf(exchange)?.resultType === 'input_required';

/** The answers of the harness to all questions of a result. */
async function answersTo(peer: Peer, exchange: Exchange): Promise<JsonObject> {
  const { inputRequests } = resultOf(exchange)!;
  const answers: JsonObject = {};
  for (const [key, asked] of Object.entries(isObject(inputRequests) ? inputRequests : {}))
    if (isObject(asked)) answers[key] = (await peer.answerTo(asked, exchange.reply!)) ?? {};
  return answers;
}

/** The params of a retry with these answers. */
function retryOf(call: JsonObject, exchange: Exchange, inputResponses: Json): JsonObject {
  const { requestState } = resultOf(exchange)!;
  return { ...call, inputResponses, ...(requestState !== undefined && { requestState }) };
}

const neverAsked = 'the tool does not ask the client';

/** A state with one character changed in the middle. */
const altered = (state: string): string => {
  const at = Math.floor(state.length / 2);
  return `${state.slice(0, at)}${state[at] === 'A' ? 'B' : 'A'}${state.slice(at + 1)}`;
};

export const scenarios = [
  scenario('server/mrtr/no-retry', {
    title: 'calls that are never continued leave the server usable',
    verifies: ['mrtr.fulfilment-not-assumed', 'elicitation.success-not-assumed'],
    era: 'modern',
    fixtures: ['role elicitation'],
    async run({ peer, expect, tool }) {
      const rows = ['mrtr.fulfilment-not-assumed', 'elicitation.success-not-assumed'] as const;
      const call = tool('elicitation', words);
      const first = await peer.request('tools/call', call, { once: true });
      if (!isInputRequired(first)) return expect.notObserved(rows, neverAsked);
      for (let n = 0; n < 20; n++) await peer.request('tools/call', call, { once: true });
      const alive = await peer.barrier();
      const last = await peer.request('tools/call', call);
      for (const row of rows)
        expect.that(row, alive && last.reply !== undefined, 'a response to later requests', [first, last]);
    },
  }),

  scenario('server/mrtr/more-answers', {
    title: 'answers that were not asked for are ignored',
    verifies: ['mrtr.extra-responses-ignored'],
    era: 'modern',
    fixtures: ['role elicitation'],
    async run({ peer, expect, tool }) {
      const row = 'mrtr.extra-responses-ignored';
      const call = tool('elicitation', words);
      const asked = await peer.request('tools/call', call, { once: true });
      if (!isInputRequired(asked)) return expect.notObserved(row, neverAsked);
      const whole = await answersTo(peer, asked);
      const plain = await peer.request('tools/call', retryOf(call, asked, whole), { once: true });
      if (!resultOf(plain) || isInputRequired(plain))
        return expect.notObserved(row, 'the call does not end with one round of answers');
      const fresh = await peer.request('tools/call', call, { once: true });
      if (!isInputRequired(fresh)) return expect.notObserved(row, neverAsked);
      const more = { ...(await answersTo(peer, fresh)), 'mcp-conform-unasked': { action: 'cancel' } };
      const exchange = await peer.request('tools/call', retryOf(call, fresh, more), { once: true });
      expect(row, exchange).result(result =>
        result.resultType === 'input_required' ? 'a complete result' : undefined,
      );
    },
  }),

  scenario('server/mrtr/fewer-answers', {
    title: 'a retry without the answers gets the questions again',
    verifies: ['mrtr.missing-responses-reasked'],
    era: 'modern',
    fixtures: ['role elicitation'],
    async run({ peer, expect, tool }) {
      const row = 'mrtr.missing-responses-reasked';
      const call = tool('elicitation', words);
      const asked = await peer.request('tools/call', call, { once: true });
      if (!isInputRequired(asked)) return expect.notObserved(row, neverAsked);
      const again = await peer.request('tools/call', retryOf(call, asked, {}), { once: true });
      // a tool that can do without the answers completes
      if (resultOf(again) && !isInputRequired(again) && resultOf(again)?.isError !== true)
        return expect.notObserved(row, 'the tool does not need the answers');
      expect.that(row, isInputRequired(again), 'an input-required result', [asked, again], 'an error');
    },
  }),

  scenario('server/mrtr/malformed-answers', {
    title: 'malformed answers get an error, or the questions again',
    verifies: ['mrtr.responses-validated', 'mrtr.protocol-errors'],
    era: 'modern',
    fixtures: ['role elicitation'],
    async run({ peer, expect, tool }) {
      const rows = ['mrtr.responses-validated', 'mrtr.protocol-errors'] as const;
      const call = tool('elicitation', words);
      const asked = await peer.request('tools/call', call, { once: true });
      const keys = Object.keys((resultOf(asked)?.inputRequests as JsonObject | undefined) ?? {});
      if (!isInputRequired(asked) || keys.length === 0) return expect.notObserved(rows, neverAsked);
      const each = (value: Json): JsonObject => Object.fromEntries(keys.map(key => [key, value]));
      for (const answers of [['x'], each(7), each({ action: 'mcp-conform' })] as const) {
        const fresh = await peer.request('tools/call', call, { once: true });
        if (!isInputRequired(fresh)) break;
        const options = { once: true, deliberate: true };
        const exchange = await peer.request('tools/call', retryOf(call, fresh, answers as Json), options);
        const result = resultOf(exchange);
        const isUsed = result && !isInputRequired(exchange) && result.isError !== true;
        expect.that(rows[0], !isUsed, 'an error, or the questions again', [exchange], 'a complete result');
        const isToolError = result?.isError === true;
        if (exchange.reply?.kind === 'error' || isToolError)
          expect.that(rows[1], !isToolError, 'a JSON-RPC error', [exchange], 'a result with isError');
        else expect.notObserved(rows[1], 'the server returns no JSON-RPC error');
      }
    },
  }),

  scenario('server/mrtr/altered-state', {
    title: 'a retry with an altered, truncated, empty or long state leaves the server usable',
    verifies: ['mrtr.state-untrusted'],
    era: 'modern',
    fixtures: ['role elicitation'],
    async run({ peer, expect, tool }) {
      const row = 'mrtr.state-untrusted';
      const call = tool('elicitation', words);
      const asked = await peer.request('tools/call', call, { once: true });
      const state = resultOf(asked)?.requestState;
      if (!isInputRequired(asked) || typeof state !== 'string')
        return expect.notObserved(row, 'the server sends no state');
      const inputResponses = await answersTo(peer, asked);
      for (const requestState of [altered(state), state.slice(0, -2), '', 'x'.repeat(50_000), 7]) {
        const params = { ...call, inputResponses, requestState };
        const exchange = await peer.request('tools/call', params, { once: true, deliberate: true });
        const alive = exchange.reply !== undefined || (await peer.barrier());
        expect.that(row, alive, 'a server that still responds', [asked, exchange]);
        if (!alive) return;
      }
    },
  }),
];
