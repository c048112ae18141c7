/** basic/index: what a client makes of questions, notifications, garbage and unusual answers. */

import type { Peer } from '../../harness/peer/peer.js';
import { resultOf } from '../../harness/record/message.js';
import { scenario } from '../../harness/scenario/scenario.js';
import { held } from '../../harness/scenario/serve.js';
import type { Json, JsonObject, RequestId } from '../../spec/json-rpc.js';
import { legalIds, wrongEnvelopes } from '../server/base.js';
import { beside, heldOrNone } from './parts.js';
import { tool } from './world.js';

const ids: readonly RequestId[] = [
  ...legalIds,
  'long'.repeat(500),
  ...Array.from({ length: 10 }, (_, n) => `together-${n}`),
];

/** Metadata nobody has defined, some of it under names that are reserved. */
const strangeMeta: JsonObject = {
  'io.modelcontextprotocol/conformance': [1],
  'dev.mcp/x': null,
  'com.example/y': { z: 'é' },
};

/** Texts that are no JSON, the mildest first. */
const garbage: readonly [what: string, text: string][] = [
  ['plain text', 'Hello, is anybody there?'],
  ['a closing bracket', '}'],
  ['a truncated message', '{"jsonrpc":"2.0","method":"notifi'],
  ['an opening bracket', '['],
];

/** As bare as a tool is allowed to be. */
const bare = (name: string): JsonObject => ({ name, inputSchema: { type: 'object' } });

const ornate = (name: string): JsonObject => ({
  ...tool(name, { a: { type: 'string', 'x-unknown': true } }),
  'x-unknown': { deep: [null, 1.5, 'é'] },
  _meta: strangeMeta,
});

/** The same id in another JSON type; undefined where there is none. */
function retyped(id: Json | undefined): RequestId | undefined {
  if (typeof id === 'number') return String(id);
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
    title: 'a client answers every question once and under its id, and no notification',
    verifies: [
      'jsonrpc.method-not-found',
      'jsonrpc.notification-not-answered',
      'jsonrpc.response-id-matches',
      'jsonrpc.request-answered-once',
      'meta.reserved-values-not-assumed',
    ],
    serve: { 'tools/list': held },
    does: [['connect'], ['list', 'tools'], ['close']],
    isolation: 'shared',
    lasts: 150,
    async run({ peer, expect }) {
      const listing = await peer.nextDeferred('tools/list');
      await sendNotifications(peer);
      const plain = await peer.request('ping');
      const odd = { meta: strangeMeta, deliberate: true };
      const strange = await peer.request('ping', { unknown: { deep: [null] } }, odd);
      if (resultOf(plain)) expect('meta.reserved-values-not-assumed', strange).result();
      else expect.notObserved('meta.reserved-values-not-assumed', 'no ping is answered');
      const unknown = [peer.unused('method'), 'pingx', 'tools/listx'].map(method =>
        peer.request(method, undefined, { deliberate: true }),
      );
      for (const exchange of await Promise.all(unknown))
        expect('jsonrpc.method-not-found', exchange).error(-32601);
      await Promise.all(ids.map(id => peer.request('ping', undefined, { id })));
      listing.release();
    },
  }),

  scenario.client('client/base/garbage', {
    title: 'a client that gets what is no message goes on',
    verifies: ['jsonrpc.parse-error-survived', 'jsonrpc.parse-error', 'jsonrpc.invalid-request'],
    serve: { 'tools/list': held },
    does: [['connect'], ['list', 'tools'], ['close']],
    lasts: 200,
    async run({ peer, expect }) {
      const listing = await peer.nextDeferred('tools/list');
      const aside = (text: string) => peer.sendThenBarrier(() => beside(peer, listing, text));
      if (!(await peer.barrier())) return;
      for (const [what, text] of wrongEnvelopes) {
        const { sent, alive, silenceReason: silence, unmatchedReplies: replies } = await aside(text);
        const served = replies.find(r => r.kind === 'result');
        const evidence = [sent, served, ...silence.shownBy];
        const expected = `no result for ${what}, and then a pong`;
        const actual = served ? 'a result' : silence.why;
        expect.that('jsonrpc.invalid-request', alive && !served, expected, evidence, actual);
        if (!alive) return;
      }
      for (const [what, text] of garbage) {
        const { sent, alive, silenceReason: silence, unmatchedReplies: replies } = await aside(text);
        const shown = [sent, ...silence.shownBy];
        expect.that('jsonrpc.parse-error-survived', alive, `a pong after ${what}`, shown, silence.why);
        if (!alive) return;
        const codes = replies.map(r => JSON.stringify((r.json as JsonObject).error));
        const proper = codes.length <= 1 && codes.every(error => /-32[67]00/.test(error ?? ''));
        const expected = `error -32700 or no answer to ${what}`;
        expect.that('jsonrpc.parse-error', proper, expected, [sent, ...replies], codes.join());
      }
    },
  }),

  scenario.client('client/base/unusual-answers', {
    title: 'a client reads answers with few members and with many, and waits for the one under its id',
    verifies: ['base.lawful-results-taken', 'jsonrpc.retyped-answer-not-taken'],
    serve: { 'tools/list': held },
    does: [['connect'], ['list', 'tools'], ['close']],
    async run({ peer, expect }) {
      const first = await peer.nextDeferred('tools/list');
      first.answer({ tools: [tool('plain')], nextCursor: 'second' });
      // whoever has followed one page follows the next, unless it could not read this one
      const second = await peer.nextDeferred('tools/list');
      second.answer({ tools: [bare('bare'), bare('b')], nextCursor: 'third' });
      const third = await heldOrNone(peer, 'tools/list');
      third?.answer(
        { tools: [ornate('ornate')], nextCursor: 'fourth', _meta: strangeMeta, 'x-unknown': [] },
        { deliberate: true },
      );
      const fourth = third && (await heldOrNone(peer, 'tools/list'));
      const asked = [second.request, third?.request, fourth?.request];
      const unread = third ? 'ornate' : 'bare';
      expect.that(
        'base.lawful-results-taken',
        !!fourth,
        'the next page',
        asked,
        `none after ${unread} tools`,
      );
      if (!fourth) return expect.notObserved('jsonrpc.retyped-answer-not-taken', 'it followed no more pages');

      const id = retyped(fourth.request.id);
      if (id === undefined) {
        fourth.answer({ tools: [tool('last')] });
        return expect.notObserved('jsonrpc.retyped-answer-not-taken', 'its ids have no other type');
      }
      const other = { jsonrpc: '2.0', id, result: { tools: [tool('under-another-id')] } };
      beside(peer, fourth, JSON.stringify(other));
      fourth.answer({ tools: [tool('late')], nextCursor: 'fifth' });
      const fifth = await heldOrNone(peer, 'tools/list');
      fifth?.answer({ tools: [tool('last')] });
      expect.that(
        'jsonrpc.retyped-answer-not-taken',
        !!fifth,
        `the answer under the id ${JSON.stringify(fourth.request.id)}`,
        [fourth.request, fifth?.request],
        `the one under ${JSON.stringify(id)}`,
      );
    },
  }),
];
