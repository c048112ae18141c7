/** basic/index: requests, notifications, invalid texts and unusual responses to a client. */

import type { Peer } from '../../harness/peer/peer.js';
import { resultOf } from '../../harness/record/message.js';
import { scenario } from '../../harness/scenario/scenario.js';
import { held } from '../../harness/scenario/serve.js';
import type { Json, JsonObject, RequestId } from '../../spec/json-rpc.js';
import { legalIds, wrongEnvelopes } from '../shared/odd-messages.js';
import { expectRefusal, unknownMethodRows } from '../shared/unknown-method.js';
import { beside, nextPage, secondPage } from './parts.js';
import { tool } from './world.js';

const ids: readonly RequestId[] = [
  ...legalIds,
  'long'.repeat(500),
  ...Array.from({ length: 10 }, (_, n) => `together-${n}`),
];

/** Undefined metadata under reserved names. */
const reservedMeta: JsonObject = { 'io.modelcontextprotocol/conformance': [1], 'dev.mcp/x': null };

/** Texts that are not JSON, the least harmful first. */
const garbage: readonly [what: string, text: string][] = [
  ['plain text', 'Hello, is anybody there?'],
  ['a closing bracket', '}'],
  ['a truncated message', '{"jsonrpc":"2.0","method":"notifi'],
  ['an opening bracket', '['],
];

/** A tool without any optional member. */
const bare = (name: string): JsonObject => ({ name, inputSchema: { type: 'object' } });

const ornate = (name: string): JsonObject => ({
  ...tool(name, { a: { type: 'string', 'x-unknown': true } }),
  'x-unknown': { deep: [null, 1.5, 'é'] },
  _meta: { ...reservedMeta, 'com.example/y': { z: 'é' } },
});

/** The same id in another JSON type; undefined when no other type is possible. */
function retyped(id: Json | undefined): RequestId | undefined {
  if (typeof id === 'number') return `${id}`;
  return typeof id === 'string' && /^\d{1,15}$/.test(id) ? Number(id) : undefined;
}

async function sendNotifications(peer: Peer): Promise<void> {
  const unknown = peer.unused('method');
  peer.notify(`notifications/${unknown}`, { a: 1 }, { deliberate: true });
  peer.notify(unknown, undefined, { deliberate: true });
  peer.notify('notifications/cancelled', { requestId: 'nobody-asked-this' }, { deliberate: true });
  peer.notify('notifications/progress', {}, { deliberate: true });
  await peer.barrier();
}

export const scenarios = [
  scenario.client('client/base/questions', {
    title: 'each request to a client gets one response under its id, and notifications get none',
    verifies: [
      ...unknownMethodRows,
      'jsonrpc.notification-not-answered',
      'jsonrpc.response-id-matches',
      'jsonrpc.request-answered-once',
      'meta.reserved-values-not-assumed',
    ],
    era: 'legacy',
    serve: { 'tools/list': held },
    does: [['connect'], ['list', 'tools'], ['close']],
    isolation: 'shared',
    lasts: 150,
    async run({ peer, expect }) {
      const listing = await peer.nextDeferred('tools/list');
      await sendNotifications(peer);
      const plain = await peer.request('ping');
      const odd = { meta: reservedMeta, deliberate: true };
      const strange = await peer.request('ping', undefined, odd);
      if (resultOf(plain)) expect('meta.reserved-values-not-assumed', strange).result();
      else expect.notObserved('meta.reserved-values-not-assumed', 'the client does not respond to ping');
      const unknown = [peer.unused('method'), 'pingx', 'tools/listx'].map(method =>
        peer.request(method, undefined, { deliberate: true }),
      );
      for (const exchange of await Promise.all(unknown)) expectRefusal(expect, exchange);
      await Promise.all(ids.map(id => peer.request('ping', undefined, { id })));
      listing.release();
    },
  }),

  scenario.client('client/base/garbage', {
    title: 'a client that receives a text that is not a message stays usable',
    verifies: ['jsonrpc.parse-error-survived', 'jsonrpc.parse-error', 'jsonrpc.invalid-request'],
    era: 'legacy',
    serve: { 'tools/list': held },
    does: [['connect'], ['list', 'tools'], ['close']],
    lasts: 200,
    async run({ peer, expect }) {
      const listing = await peer.nextDeferred('tools/list');
      const aside = (text: string) => peer.sendThenBarrier(() => beside(peer, listing, text));
      if (!(await peer.barrier())) return;
      for (const [what, text] of wrongEnvelopes(peer)) {
        const { sent, alive, silenceReason: silence, unmatchedReplies: replies } = await aside(text);
        const served = replies.find(r => r.kind === 'result');
        const evidence = [sent, served, ...silence.shownBy];
        const expected = `an error or silence for a message with ${what}, then a response to ping`;
        const actual = served ? 'a result' : silence.why;
        expect.that('jsonrpc.invalid-request', { ok: alive && !served, expected, evidence, actual });
        if (!alive) return;
      }
      for (const [what, text] of garbage) {
        const { sent, alive, silenceReason: silence, unmatchedReplies: replies } = await aside(text);
        const shown = [sent, ...silence.shownBy];
        expect.that('jsonrpc.parse-error-survived', {
          ok: alive,
          expected: `a response to ping after ${what}`,
          evidence: shown,
          actual: silence.why,
        });
        if (!alive) return;
        const codes = replies.map(r => JSON.stringify((r.json as JsonObject).error));
        const proper = codes.length <= 1 && codes.every(error => /-32[67]00/.test(error ?? ''));
        const expected = `error -32700 or no response to ${what}`;
        expect.that('jsonrpc.parse-error', {
          ok: proper,
          expected,
          evidence: [sent, ...replies],
          actual: codes.join(),
        });
      }
    },
  }),

  scenario.client('client/base/unusual-answers', {
    title: 'a client accepts results with few members and with many, and waits for the response under its id',
    verifies: ['base.lawful-results-taken', 'jsonrpc.retyped-answer-not-taken'],
    serve: { 'tools/list': held },
    does: [['connect'], ['list', 'tools'], ['close']],
    async run({ peer, expect }) {
      const first = await peer.nextDeferred('tools/list');
      first.answer({ tools: [tool('plain')], nextCursor: 'second' });
      // a client that followed one page follows the next, unless it could not read this one
      const second = await secondPage(peer);
      second.answer({ tools: [bare('bare'), bare('b')], nextCursor: 'third' });
      const third = await nextPage(peer);
      third?.answer(
        { tools: [ornate('ornate')], nextCursor: 'fourth', _meta: reservedMeta, 'x-unknown': [] },
        { deliberate: true },
      );
      const fourth = third && (await nextPage(peer));
      const asked = [second.request, third?.request, fourth?.request];
      const unread = third ? 'ornate' : 'bare';
      expect.that('base.lawful-results-taken', {
        ok: !!fourth,
        expected: 'a request for the next page',
        evidence: asked,
        actual: `no request after a page with ${unread} tools`,
      });
      if (!fourth)
        return expect.notObserved('jsonrpc.retyped-answer-not-taken', 'the client requests no further page');

      const id = retyped(fourth.request.id);
      if (id === undefined) {
        fourth.answer({ tools: [tool('last')] });
        return expect.notObserved(
          'jsonrpc.retyped-answer-not-taken',
          'the ids of the client have no equivalent in another type',
        );
      }
      // a cursor that the client may use: it had it before
      const cursor = 'third';
      const other = { jsonrpc: '2.0', id, result: { tools: [tool('under-another-id')], nextCursor: cursor } };
      beside(peer, fourth, JSON.stringify(other));
      fourth.answer({ tools: [tool('late')], nextCursor: 'fifth' });
      const fifth = await nextPage(peer);
      if (!fifth)
        return expect.notObserved(
          'jsonrpc.retyped-answer-not-taken',
          'the client gives up the list after a response under another id',
        );
      fifth.answer({ tools: [tool('last')] });
      expect.that('jsonrpc.retyped-answer-not-taken', {
        ok: fifth.params?.cursor !== cursor,
        expected: `the response under the id ${JSON.stringify(fourth.request.id)} is used`,
        evidence: [fourth.request, fifth.request],
        actual: `the response under the id ${JSON.stringify(id)} is used`,
      });
    },
  }),
];
