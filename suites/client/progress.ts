/** basic/utilities/progress: progress that a client requests, receives and sends. */

import type { Deferred } from '../../harness/peer/deferred.js';
import type { Peer } from '../../harness/peer/peer.js';
import { declares } from '../../harness/record/conversation.js';
import type { Exchange } from '../../harness/record/message.js';
import { scenario } from '../../harness/scenario/scenario.js';
import { held } from '../../harness/scenario/serve.js';
import { isObject, type Json } from '../../spec/json-rpc.js';
import { pauseOfRetry } from './parts.js';
import { says, user } from './world.js';

const method = 'notifications/progress';

const tokenOf = ({ params }: Deferred): Json | undefined =>
  isObject(params._meta) ? params._meta.progressToken : undefined;

/** Sends progress for unknown tokens, or for a request that has its response. */
async function tellMore(peer: Peer, tokens: readonly (Json | undefined)[]): Promise<boolean> {
  for (const progressToken of tokens)
    if (progressToken !== undefined)
      peer.notify(method, { progressToken, progress: 0.5, 'x-unknown': true }, { deliberate: true });
  return peer.barrier();
}

/** The first call, and the list after it. A client without a script may request the list before, and wait for it. */
async function callThenList(peer: Peer): Promise<readonly [Deferred, Promise<Deferred>]> {
  const call = peer.nextDeferred('tools/call');
  for (;;) {
    const list = peer.nextDeferred('prompts/list');
    // both end with the conversation
    const early = await Promise.race([call.then(() => undefined), list.catch(() => undefined)]);
    if (!early) return [await call, list];
    early.release();
  }
}

export const scenarios = [
  scenario.client('client/progress/tokens', {
    title: 'a client requests progress with unique tokens, and unknown progress leaves it usable',
    verifies: ['progress.token-type', 'progress.token-unique', 'progress.tokens-tracked'],
    serve: { 'tools/call': held, 'prompts/list': held },
    does: [
      ['connect'],
      ['list', 'tools'],
      ['call', 'test_tool_with_progress', {}, { progress: true, wait: false }],
      ['call', 'add_numbers', { a: 5, b: 3 }, { progress: true, wait: false }],
      ['list', 'prompts'],
      ['close'],
    ],
    isolation: 'shared',
    lasts: pauseOfRetry + 100,
    async run({ peer, expect, scripted }) {
      const row = 'progress.tokens-tracked';
      const [call, list] = scripted
        ? [await peer.nextDeferred('tools/call'), undefined]
        : await callThenList(peer);
      if (!(await peer.barrier())) return;
      const unknown = await tellMore(peer, ['nobody-gave-this', 4_711, '']);
      expect.that(row, {
        ok: unknown,
        expected: 'a response to ping after progress with an unknown token',
        evidence: [call.request],
        actual: 'no response to ping',
      });
      if (!unknown) return;
      const progressToken = tokenOf(call);
      if (typeof progressToken === 'string' || Number.isInteger(progressToken))
        for (const progress of [0.1, 1, 2.5])
          peer.notify(method, { progressToken: progressToken!, progress });
      if (declares(peer.declared, 'sampling') && peer.vocabulary.notifications.client.has(method)) {
        const params = { messages: [user('Take your time.')], maxTokens: 10 };
        for (const token of ['of-a-question', 0, '4711'])
          await peer.request('sampling/createMessage', params, { meta: { progressToken: token } });
        await peer.barrier();
      }
      // both calls are open at once, also where the client takes a moment for the second one
      const isSecond = ({ request }: Exchange) => request.params?.name === 'add_numbers';
      if (scripted) await peer.waitUntil(() => peer.requestsOfCase('tools/call').some(isSecond));
      call.answer(says('Done.'));
      const listing = await (list ?? peer.nextDeferred('prompts/list'));
      const over = await tellMore(peer, [progressToken]);
      expect.that(row, {
        ok: over,
        expected: 'a response to ping after progress of a finished request',
        evidence: [call.request, listing.request],
        actual: 'no response to ping',
      });
    },
  }),
];
