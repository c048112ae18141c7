/** basic/patterns/mrtr: retries with other answers, and calls without a retry. */

import { NotObserved } from '../../harness/peer/deferred.js';
import type { Peer } from '../../harness/peer/peer.js';
import { type Exchange, resultOf } from '../../harness/record/message.js';
import { describe } from '../../harness/scenario/expect.js';
import { scenario } from '../../harness/scenario/scenario.js';
import type { Json, JsonObject } from '../../spec/json-rpc.js';
import { stillResponds } from '../shared/probe.js';
import { quickTools } from './beside-calls.js';
import { forgedStates, showsForgery } from './forged-states.js';
import {
  answersTo,
  askedBy,
  asksClient,
  isCompleted,
  isInputRequired,
  officialCalls,
  outcomeOf,
  retryOf,
} from './rounds.js';

const words = { message: 'Who are you?' };

const neverAsked = 'the tool does not ask the client';

type Evidence = [expected: string, evidence: Exchange[], actual?: string];

/** A state with one character changed in the middle. */
const altered = (state: string): string => {
  const at = Math.floor(state.length / 2);
  return `${state.slice(0, at)}${state[at] === 'A' ? 'B' : 'A'}${state.slice(at + 1)}`;
};

/** The last exchange of a call whose questions the harness answers, in two more rounds at most. */
async function lastOf(peer: Peer, call: JsonObject, exchange: Exchange): Promise<Exchange> {
  let last = exchange;
  for (let round = 0; round < 2 && asksClient(last); round++) {
    const params = retryOf(call, last, await answersTo(peer, last));
    last = await peer.request('tools/call', params, { once: true, deliberate: true });
  }
  return last;
}

export const scenarios = [
  scenario('server/mrtr/no-retry', {
    title: 'calls that are never continued leave the server usable',
    verifies: ['mrtr.fulfilment-not-assumed', 'elicitation.success-not-assumed'],
    era: 'modern',
    fixtures: ['role elicitation'],
    async run({ peer, expect, known, tool }) {
      const rows = ['mrtr.fulfilment-not-assumed', 'elicitation.success-not-assumed'] as const;
      const { call, asked: first } = await askedBy(peer, known, tool('elicitation', words));
      for (let n = 0; n < 20; n++) await peer.request('tools/call', call, { once: true });
      const alive = await peer.barrier();
      const last = await peer.request('tools/call', call);
      for (const row of rows)
        expect.that(row, {
          ok: alive && last.reply !== undefined,
          expected: 'a response to later requests',
          evidence: [first, last],
          actual: describe(last),
        });
    },
  }),

  scenario('server/mrtr/more-answers', {
    title: 'answers that were not asked for are ignored',
    verifies: ['mrtr.extra-responses-ignored'],
    era: 'modern',
    fixtures: ['role elicitation'],
    async run({ peer, expect, known, tool }) {
      const row = 'mrtr.extra-responses-ignored';
      const { call, asked } = await askedBy(peer, known, tool('elicitation', words));
      if (!asksClient(asked)) throw new NotObserved(neverAsked);
      const whole = await answersTo(peer, asked);
      const plain = await peer.request('tools/call', retryOf(call, asked, whole), { once: true });
      if (!resultOf(plain) || isInputRequired(plain))
        throw new NotObserved('the call does not end with one round of answers');
      const fresh = await peer.request('tools/call', call, { once: true });
      if (!asksClient(fresh)) throw new NotObserved(neverAsked);
      const more = { ...(await answersTo(peer, fresh)), 'mcp-conform-unasked': { action: 'cancel' } };
      const exchange = await peer.request('tools/call', retryOf(call, fresh, more), { once: true });
      expect(row, exchange).result(result =>
        result.resultType === 'input_required' ? 'a complete result' : undefined,
      );
    },
  }),

  scenario('server/mrtr/answers-without-questions', {
    title: 'answers in a first tools/call that asks for nothing are ignored',
    verifies: ['mrtr.extra-responses-ignored'],
    era: 'modern',
    async run({ peer, expect, known }) {
      const row = 'mrtr.extra-responses-ignored';
      const [tool] = quickTools(known).toReversed();
      if (!tool) throw new NotObserved('no tool may be called');
      const call = { name: tool.name, arguments: tool.arguments };
      if (!isCompleted(await peer.request('tools/call', call, { once: true })))
        throw new NotObserved(`${tool.name} does not complete without answers`);
      const inputResponses = { 'mcp-conform-unasked': { action: 'cancel' } };
      const exchange = await peer.request('tools/call', { ...call, inputResponses }, { once: true });
      expect(row, exchange).result();
    },
  }),

  scenario('server/mrtr/fewer-answers', {
    title: 'a retry without the answers gets the questions again',
    verifies: ['mrtr.missing-responses-reasked'],
    era: 'modern',
    fixtures: ['role elicitation'],
    async run({ peer, expect, known, tool }) {
      const row = 'mrtr.missing-responses-reasked';
      const { call, asked } = await askedBy(peer, known, tool('elicitation', words));
      const again = await peer.request('tools/call', retryOf(call, asked, {}), { once: true });
      // a tool that can do without the answers completes
      if (resultOf(again) && !isInputRequired(again) && resultOf(again)?.isError !== true)
        throw new NotObserved('the tool does not need the answers');
      expect.that(row, {
        ok: isInputRequired(again),
        expected: 'an input-required result',
        evidence: [asked, again],
        actual: 'an error',
      });
    },
  }),

  scenario('server/mrtr/one-of-several-answers', {
    title: 'a retry with one of several answers gets the other questions again',
    verifies: ['mrtr.missing-responses-reasked'],
    era: 'modern',
    fixtures: ['tool test_input_required_result_multiple_inputs'],
    async run({ peer, expect }) {
      const call = { name: 'test_input_required_result_multiple_inputs', arguments: {} };
      const ask = () => peer.request('tools/call', call, { once: true });
      const answers = async (asked: Exchange) =>
        asksClient(asked) ? Object.entries(await answersTo(peer, asked)) : [];
      const retry = (asked: Exchange, given: [string, Json][]) =>
        peer.request('tools/call', retryOf(call, asked, Object.fromEntries(given)), { once: true });
      const whole = await ask();
      const all = await answers(whole);
      if (all.length < 2) throw new NotObserved('the tool does not ask several questions at once');
      if (!isCompleted(await retry(whole, all)))
        throw new NotObserved('the call does not end with one round of answers');
      const asked = await ask();
      const again = await retry(asked, (await answers(asked)).slice(0, 1));
      if (isCompleted(again)) throw new NotObserved('the tool does not need all answers');
      expect.that('mrtr.missing-responses-reasked', {
        ok: isInputRequired(again),
        expected: 'an input-required result',
        evidence: [asked, again],
        actual: outcomeOf(again),
      });
    },
  }),

  scenario('server/mrtr/malformed-answers', {
    title: 'malformed answers get an error, or the questions again',
    verifies: ['mrtr.responses-validated', 'mrtr.protocol-errors'],
    era: 'modern',
    fixtures: ['role elicitation'],
    async run({ peer, expect, known, tool }) {
      const rows = ['mrtr.responses-validated', 'mrtr.protocol-errors'] as const;
      const { call, asked } = await askedBy(peer, known, tool('elicitation', words));
      const keys = Object.keys((resultOf(asked)?.inputRequests as JsonObject | undefined) ?? {});
      if (keys.length === 0) return expect.notObserved(rows, neverAsked);
      const each = (value: Json): JsonObject => Object.fromEntries(keys.map(key => [key, value]));
      for (const answers of [['x'], each(7), each({}), each({ action: 'mcp-conform' })] as const) {
        const fresh = await peer.request('tools/call', call, { once: true });
        if (!isInputRequired(fresh)) break;
        const options = { once: true, deliberate: true };
        const exchange = await peer.request('tools/call', retryOf(call, fresh, answers as Json), options);
        const result = resultOf(exchange);
        const isUsed = result && !isInputRequired(exchange) && result.isError !== true;
        expect.that(rows[0], {
          ok: !isUsed,
          expected: 'an error, or the questions again',
          evidence: [exchange],
          actual: 'a complete result',
        });
        const isToolError = result?.isError === true;
        if (exchange.reply?.kind === 'error' || isToolError)
          expect.that(rows[1], {
            ok: !isToolError,
            expected: 'a JSON-RPC error',
            evidence: [exchange],
            actual: 'a result with isError',
          });
        else expect.notObserved(rows[1], 'the server returns no JSON-RPC error');
      }
    },
  }),

  scenario('server/mrtr/altered-state', {
    title: 'a retry with an altered, truncated, empty or long state leaves the server usable',
    verifies: ['mrtr.state-untrusted'],
    era: 'modern',
    fixtures: ['role elicitation'],
    async run({ peer, expect, known, tool }) {
      const row = 'mrtr.state-untrusted';
      const { call, asked } = await askedBy(peer, known, tool('elicitation', words), { state: true });
      const state = resultOf(asked)!.requestState as string;
      const inputResponses = await answersTo(peer, asked);
      for (const requestState of [altered(state), state.slice(0, -2), '', 'x'.repeat(50_000), 7]) {
        const params = { ...call, inputResponses, requestState };
        const exchange = await peer.request('tools/call', params, { once: true, deliberate: true });
        const alive = exchange.reply !== undefined || (await peer.barrier());
        expect.that(row, stillResponds(peer, alive, [asked, exchange]));
        if (!alive) return;
      }
    },
  }),

  scenario('server/mrtr/forged-state', {
    title: 'a retry with a forged state gets an error or the questions again, and no result of the forgery',
    verifies: ['mrtr.state-integrity', 'mrtr.state-verified'],
    era: 'modern',
    fixtures: ['role elicitation'],
    async run({ peer, expect, known, tool }) {
      const [integrity, verified] = ['mrtr.state-integrity', 'mrtr.state-verified'] as const;
      const options = { once: true, deliberate: true };
      const found = { [integrity]: false, [verified]: false };
      const judge = (row: keyof typeof found, ok: boolean, ...[expected, evidence, actual]: Evidence) => {
        found[row] = true;
        expect.that(row, { ok, expected, evidence, actual });
      };
      for (const call of [tool('elicitation', words), ...officialCalls(known)]) {
        let asked = await peer.request('tools/call', call, { once: true });
        for (let round = 0; round < 4 && isInputRequired(asked); round++) {
          const inputResponses = await answersTo(peer, asked);
          const state = resultOf(asked)?.requestState;
          // the official suite defines that this tool verifies its state
          const isProtected = call.name === 'test_input_required_result_tampered_state';
          const forged = typeof state === 'string' ? forgedStates(state) : [];
          if (typeof state === 'string' && (forged.length === 0 || isProtected))
            forged.push(`${state}-forged`, altered(state));
          for (const requestState of forged) {
            const retry = await peer.request(
              'tools/call',
              { ...call, inputResponses, requestState },
              options,
            );
            // the questions may come again with a state that contains the forgery
            const last = await lastOf(peer, call, retry);
            const isUsed = isCompleted(last) && showsForgery(last.reply!.frame.text);
            const wanted = 'an error, or the questions again';
            const evidence = last === retry ? [asked, retry] : [asked, retry, last];
            if (isUsed) judge(integrity, false, 'a state that cannot be forged', evidence, 'its values used');
            if (isUsed || (isProtected && isCompleted(retry)))
              judge(verified, false, wanted, evidence, 'a complete result');
            if (isUsed || !retry.reply || isCompleted(retry)) continue;
            judge(integrity, true, wanted, [asked, retry]);
            judge(verified, true, wanted, [asked, retry]);
          }
          asked = await peer.request('tools/call', retryOf(call, asked, inputResponses), { once: true });
        }
      }
      for (const row of [integrity, verified] as const)
        if (!found[row]) expect.notObserved(row, 'no tool sends a state whose change has an effect');
    },
  }),

  scenario('server/mrtr/foreign-state', {
    title: 'a retry with the state of another call gets an error or the questions again',
    verifies: ['mrtr.state-replay-bound'],
    era: 'modern',
    fixtures: ['role elicitation'],
    async run({ peer, expect, known, tool }) {
      const row = 'mrtr.state-replay-bound';
      const source = await askedBy(peer, known, tool('elicitation', words), { state: true });
      const first = source.asked;
      const foreign = resultOf(first)!.requestState!;
      let isSeen = false;
      for (const call of officialCalls(known).filter(({ name }) => name !== source.call.name)) {
        const asked = await peer.request('tools/call', call, { once: true });
        if (!isInputRequired(asked) || typeof resultOf(asked)?.requestState !== 'string') continue;
        const inputResponses = await answersTo(peer, asked);
        const retry = (more: JsonObject) =>
          peer.request('tools/call', { ...call, inputResponses, ...more }, { once: true, deliberate: true });
        // a tool that completes without its state does not depend on it
        if (isCompleted(await retry({}))) continue;
        const replayed = await retry({ requestState: foreign });
        if (!replayed.reply) continue;
        isSeen = true;
        const evidence = [first, asked, replayed];
        const wanted = 'an error, or the questions again';
        expect.that(row, {
          ok: !isCompleted(replayed),
          expected: wanted,
          evidence,
          actual: 'a complete result',
        });
      }
      if (!isSeen) expect.notObserved(row, 'no other tool depends on its state');
    },
  }),
];
