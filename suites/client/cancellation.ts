/** basic/utilities/cancellation: cancellations by the server, and by the client. */

import type { Peer } from '../../harness/peer/peer.js';
import { declares } from '../../harness/record/conversation.js';
import type { Message } from '../../harness/record/message.js';
import { scenario } from '../../harness/scenario/scenario.js';
import { held } from '../../harness/scenario/serve.js';
import { nonsense } from '../shared/odd-messages.js';
import { beside, heldOrNone, releaseFurther } from './parts.js';
import { says, user } from './world.js';

const cancellation = 'notifications/cancelled';

/** The rows about the notification of a client. */
const cancelled = [
  'cancellation.request-id-given',
  'cancellation.own-in-flight-request',
  'cancellation.still-in-flight',
] as const;

/** Cancels a request that has its response, and requests in flight. */
async function cancelPings(peer: Peer): Promise<boolean> {
  const ping = await peer.request('ping');
  peer.cancel(ping);
  peer.cancel(ping);
  for (const each of Array.from({ length: 5 }, () => peer.start('ping'))) peer.cancel(each);
  return peer.barrier();
}

/** The cancellation of the client. A client that has sent its next request is waited for in a part of the timeout only. */
async function cancelledByClient(peer: Peer): Promise<Message | undefined> {
  const sent = () => peer.conversation.notifications({ by: 'subject', method: cancellation })[0];
  const goesOn = () => peer.requestsOfCase('prompts/list').length > 0;
  if (!(await peer.waitUntilDeadline(() => !!sent() || goesOn()))) return undefined;
  await peer.waitUntilDeadline(() => !!sent(), 1 / 5);
  return sent();
}

export const scenarios = [
  scenario.client('client/cancellation/by-the-server', {
    title:
      'notifications/cancelled in time, too late or without a request gets no response, and the client stays usable',
    verifies: ['cancellation.race-tolerant', 'cancellation.invalid-ignored', 'cancellation.no-response'],
    era: 'legacy',
    serve: { 'tools/call': held },
    does: [['connect'], ['list', 'tools'], ['call', 'test_simple_text'], ['close']],
    lasts: 300,
    async run({ peer, expect }) {
      const call = await peer.nextDeferred('tools/call');
      if (!(await peer.barrier())) return;
      for (const params of nonsense) {
        const {
          sent,
          alive,
          silenceReason: silence,
          unmatchedReplies: replies,
        } = await peer.sendThenBarrier(() => {
          peer.notify('notifications/cancelled', params, { deliberate: true });
        });
        const ignored = alive && replies.length === 0;
        const evidence = alive ? [sent, ...replies] : [sent, ...silence.shownBy];
        const actual = alive ? undefined : silence.why;
        expect.that('cancellation.invalid-ignored', {
          ok: ignored,
          expected: 'no response, and then a response to ping',
          evidence,
          actual,
        });
        if (!alive) return;
      }
      const alive = await cancelPings(peer);
      expect.that('cancellation.race-tolerant', {
        ok: alive,
        expected: 'a response to ping after the cancellation',
        evidence: [call.request],
        actual: 'no response to ping',
      });
      if (!alive) return;
      if (!declares(peer.declared, 'sampling')) {
        expect.notObserved(
          'cancellation.no-response',
          'the client does not declare sampling, the only slow request here',
        );
        return call.release();
      }
      const params = { messages: [user('Hi.')], maxTokens: 10 };
      const usual = await peer.request('sampling/createMessage', params);
      const question = peer.start('sampling/createMessage', params);
      peer.cancel(question);
      await peer.barrier();
      // a client that works on several messages at once may answer one ping before a response that was ready
      await peer.barrier();
      await peer.quietWindow();
      const [reply] = peer.conversation.repliesTo(question.request);
      // an error instead of the usual result is a response to the cancellation; any other response may have
      // crossed with it
      if (reply?.kind === 'error' && usual.reply?.kind === 'result')
        expect.that('cancellation.no-response', {
          ok: false,
          expected: 'no response',
          evidence: [question.request, reply],
          actual: 'an error',
        });
      else if (reply)
        expect.notObserved('cancellation.no-response', 'the response and the cancellation may have crossed');
      call.release();
    },
  }),

  scenario.client('client/cancellation/by-the-client', {
    title: 'a client names the request that it cancels, and a late response leaves it usable',
    verifies: [...cancelled, 'cancellation.late-response-ignored', 'cancellation.race-tolerant'],
    serve: { 'tools/call': held, 'prompts/list': held, 'resources/list': held },
    does: [
      ['connect'],
      ['list', 'tools'],
      ['call', 'test_simple_text', {}, { wait: false }],
      ['cancel', 'It is no longer needed.'],
      ['list', 'prompts'],
      ['list', 'resources'],
      ['close'],
    ],
    isolation: 'shared',
    async run({ peer, expect, scripted }) {
      const row = 'cancellation.late-response-ignored';
      const both = [row, 'cancellation.race-tolerant'] as const;
      const call = await peer.nextDeferred('tools/call');
      const { request } = call;
      if (!peer.vocabulary.requests.server.has('ping') && peer.link.httpServer)
        return expect.notObserved(
          [...both, ...cancelled],
          'over HTTP the closed connection of a request is its cancellation',
        );
      const note = scripted && (await cancelledByClient(peer));
      if (!note) return expect.notObserved(both, 'the client did not cancel its request');
      const listing = await peer.nextDeferred('prompts/list');
      const before = peer.conversation.replies({ by: 'peer' }).length;
      call.answer(says('Too late.'), { deliberate: true });
      const error = { code: -32603, message: 'Far too late.' };
      for (const body of [{ error }, { result: says('Again.') }])
        beside(peer, listing, JSON.stringify({ jsonrpc: '2.0', id: request.id, ...body }));
      const late = peer.conversation.replies({ by: 'peer' }).slice(before);
      if (late.length === 0) return expect.notObserved(both, 'no late response could be sent');
      listing.release();
      // a client may list twice
      void releaseFurther(peer, 'prompts/list');
      if (!peer.vocabulary.requests.server.has('ping')) {
        // only the next request shows that the client is alive
        const next = await heldOrNone(peer, 'resources/list');
        expect.that(row, {
          ok: !!next,
          expected: 'the next request',
          evidence: [request, note, ...late, next?.request],
          actual: 'none',
        });
        if (next) return expect.noViolation('cancellation.race-tolerant', [request, note, next.request]);
        return expect.notObserved('cancellation.race-tolerant', 'the client sends no further request');
      }
      const goesOn = () => peer.requestsOfCase('resources/list').length > 0;
      await peer.waitUntil(goesOn);
      const alive = goesOn() || (await peer.barrier());
      const crossed = [request, note, ...late] as const;
      expect.that('cancellation.race-tolerant', {
        ok: alive,
        expected: 'a response to ping after the late response',
        evidence: crossed,
        actual: 'none',
      });
      if (!alive) return expect.notObserved(row, 'the client does not respond any longer');
      const next = await heldOrNone(peer, 'resources/list');
      expect.that(row, {
        ok: !!next,
        expected: 'the next request',
        evidence: [...crossed, next?.request],
        actual: 'none',
      });
    },
  }),

  scenario.client.stdio('client/cancellation/after-the-response', {
    title: 'a client does not cancel a request that has its response',
    verifies: ['cancellation.own-in-flight-request', 'cancellation.still-in-flight'],
    serve: { 'tools/call': held, 'prompts/list': held },
    does: [
      ['connect'],
      ['list', 'tools'],
      ['call', 'test_simple_text', {}, { wait: false }],
      ['list', 'prompts'],
      ['list', 'resources'],
      ['cancel', 'It is no longer needed.'],
      ['list', 'tools'],
      ['close'],
    ],
    isolation: 'shared',
    async run({ peer, expect, scripted }) {
      const rows = ['cancellation.own-in-flight-request', 'cancellation.still-in-flight'] as const;
      const call = await peer.nextDeferred('tools/call');
      const listing = await peer.nextDeferred('prompts/list');
      call.release();
      // the client reads this response, which its next step needs, after that of the call
      listing.release();
      void releaseFurther(peer, 'prompts/list');
      const { request } = call;
      const next = scripted && (await peer.waitFor(m => m.method === 'resources/list'));
      if (!next) return expect.notObserved(rows, 'the client sent no request after the response');
      // a notification before this request may have crossed with the response
      const late = () =>
        peer.conversation
          .notifications({ by: 'subject', method: cancellation })
          .find(m => m.seq > next.seq && m.params?.requestId === request.id);
      await peer.waitUntilDeadline(() => !!late() || peer.requestsOfCase('tools/list').length > 1);
      const note = late();
      const answered = peer.requestsOfCase('tools/call').find(exchange => exchange.request === request);
      for (const row of rows)
        expect.that(row, {
          ok: !note,
          expected: 'no cancellation of a request that has its response',
          evidence: [answered, next, note],
          actual: `${cancellation} after the response`,
        });
    },
  }),
];
