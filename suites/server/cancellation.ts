/** basic/utilities/cancellation. */

import { NotObserved } from '../../harness/peer/deferred.js';
import type { Peer } from '../../harness/peer/peer.js';
import type { HandlerResult, Pending } from '../../harness/peer/requests.js';
import { idKey, type Message, resultOf } from '../../harness/record/message.js';
import { describe } from '../../harness/scenario/expect.js';
import { type Known, scenario } from '../../harness/scenario/scenario.js';
import { asText, type Json, type JsonObject } from '../../spec/json-rpc.js';
import { nonsense } from '../shared/odd-messages.js';
import { probeOf } from '../shared/probe.js';
import { lastSeq } from './lists.js';
import { neverAsked } from './questions.js';

const sampling = 'sampling/createMessage';

/**
 * Starts a slow tool, and waits until its work has begun or ended; a tool that reports no progress gets a
 * short pause.
 */
async function underway(peer: Peer, params: JsonObject, tells: boolean): Promise<Pending> {
  const token = `underway-${peer.nextId()}`;
  const call = peer.start('tools/call', params, { meta: { progressToken: token } });
  const sign = (m: Message) => m.params?.progressToken === token || idKey(m.id) === idKey(call.id);
  await (tells ? peer.waitFor(sign) : peer.pause());
  return call;
}

const progressOf = ({ conversation }: Peer, { request }: Pending): Message[] => {
  const meta = request.params?._meta as JsonObject;
  return conversation
    .notifications({ by: 'subject', method: 'notifications/progress' })
    .filter(m => m.params?.progressToken === meta.progressToken);
};

/** The notification that cancelled a request; undefined where its stream was closed instead. */
const cancellationOf = (
  { conversation }: Peer,
  by: 'peer' | 'subject',
  id: Json | undefined,
): Message | undefined =>
  conversation
    .notifications({ by, method: 'notifications/cancelled' })
    .find(m => idKey(m.params?.requestId) === idKey(id));

/** The well-known tool reports progress; other tools may report none. */
const tells = (known: Known): boolean => known.toolsByRole.get('slow')?.arguments === undefined;

const repliesAfter = ({ conversation }: Peer, seq: number): boolean =>
  conversation.replies({ by: 'subject' }).some(reply => reply.seq > seq);

/** Cases that begin their conversation: the suite lists them before all others. */
export const beginnings = [
  scenario.stdio('server/cancellation/discover-too-late', {
    title:
      'notifications/cancelled after the response to server/discover, the first request, changes nothing',
    verifies: ['cancellation.race-tolerant'],
    era: 'modern',
    // the conversation of server/lifecycle/minimal-client, which begins here
    declares: {},
    isolation: 'shared',
    async run({ peer, expect, stdio }) {
      const row = 'cancellation.race-tolerant';
      const { opening } = peer.conversation;
      if (!opening || !resultOf(opening)) throw new NotObserved('server/discover gets no result');
      peer.cancel(opening);
      const again = await peer.request('server/discover');
      const ok = resultOf(again) !== undefined;
      const { why, shownBy } = again.reply ? { why: describe(again), shownBy: [] } : peer.liveness.silence();
      expect.that(row, {
        ok,
        expected: 'another result of server/discover after the cancellation',
        evidence: [opening, cancellationOf(peer, 'peer', opening.request.id), again, ...shownBy],
        actual: why,
      });
      if (ok || peer.ended) return;
      // this process does not answer as others do: later cases get another one
      stdio.closeInput();
      await stdio.exited('exit-after-eof');
    },
  }),
];

export const scenarios = [
  scenario('server/cancellation/cancel-a-call', {
    title: 'a cancelled tools/call stops its work and gets no response',
    verifies: ['cancellation.no-response', 'cancellation.stops-work', 'cancellation.no-further-messages'],
    fixtures: ['role slow'],
    async run({ peer, expect, known, tool }) {
      const rows = [
        'cancellation.no-response',
        'cancellation.stops-work',
        'cancellation.no-further-messages',
      ] as const;
      if (peer.isSessionless)
        return expect.notObserved(
          rows,
          'without sessions the server cannot relate a cancellation to its request',
        );
      if (peer.conversation.isStateless && peer.link.http)
        return expect.notObserved(rows, 'a closed stream shows no messages');
      const call = await underway(peer, tool('slow'), tells(known));
      const { conversation } = peer;
      const [early] = conversation.repliesTo(call.request);
      peer.cancel(call);
      await peer.barrier();
      // a server that works on several messages at once may answer one ping before a response that was ready
      await peer.barrier();
      // messages that crossed with the cancellation have arrived by now
      const before = progressOf(peer, call).length;
      const crossed = conversation.repliesTo(call.request)[0];
      if (early ?? crossed?.kind === 'result') {
        expect.notObserved(rows, 'the response came before the cancellation');
        return;
      }
      // the tool returns no errors: an error is a response to the cancellation
      const evidence = [call.request, crossed];
      expect.that('cancellation.no-response', {
        ok: crossed?.kind !== 'error',
        expected: 'no response',
        evidence,
        actual: 'error',
      });
      return () => {
        const [reply] = conversation.repliesTo(call.request);
        const late = progressOf(peer, call)[before];
        const worksOn = late ? 'progress' : reply?.kind === 'result' ? 'a result' : undefined;
        const shown = [call.request, cancellationOf(peer, 'peer', call.id), late ?? reply];
        expect.that('cancellation.stops-work', {
          ok: !worksOn,
          expected: 'no more progress, no result',
          evidence: shown,
          actual: worksOn,
        });
        expect.that('cancellation.no-further-messages', {
          ok: !worksOn,
          expected: 'no more messages',
          evidence: shown,
          actual: worksOn,
        });
      };
    },
  }),

  scenario('server/cancellation/cancel-after-progress', {
    title: 'a tools/call that is cancelled after its first progress gets no response',
    verifies: ['cancellation.no-response'],
    era: 'legacy',
    fixtures: ['role progress'],
    async run({ peer, expect, tool }) {
      const row = 'cancellation.no-response';
      const progressToken = `cancelled-${peer.nextId()}`;
      // the id is a text: those of the other cancelled calls are numbers
      const options = { meta: { progressToken }, id: progressToken };
      const call = peer.start('tools/call', tool('progress'), options);
      await peer.waitFor(m => m.params?.progressToken === progressToken || idKey(m.id) === idKey(call.id));
      const replies = () => peer.conversation.repliesTo(call.request);
      if (replies().length > 0 || peer.ended)
        return expect.notObserved(row, 'the response comes with the progress');
      peer.cancel(call);
      await peer.barrier();
      await peer.barrier();
      // a rule judges whether a response crossed the cancellation
      return () => {
        if (replies().length === 0) expect.noViolation(row, [call.request]);
        else expect.notObserved(row, 'the response may have crossed the cancellation');
      };
    },
  }),

  scenario('server/cancellation/cancel-one-of-two', {
    title: 'notifications/cancelled ends the call it names, and no call whose id has another JSON type',
    verifies: ['cancellation.race-tolerant', 'cancellation.invalid-ignored'],
    fixtures: ['role slow'],
    async run({ peer, expect, known, tool }) {
      const start = () => underway(peer, tool('slow'), tells(known));
      const [first, second, third] = [await start(), await start(), await start()];
      peer.cancel(first);
      // the id of a call, but with another JSON type
      const [misnamed] = peer.notify(
        'notifications/cancelled',
        { requestId: asText(third.id) },
        { deliberate: true },
      );
      await Promise.all([second.done, third.done]);
      return () => {
        for (const [row, { id, request }, cancellation] of [
          ['cancellation.race-tolerant', second, first.request],
          ['cancellation.invalid-ignored', third, misnamed],
        ] as const) {
          // a response under the id with the other type is not the response to the call
          const kept = peer.conversation.repliesTo(request).find(reply => idKey(reply.id) === idKey(id));
          expect.that(row, {
            ok: kept?.kind === 'result',
            expected: 'a result of the call that was not cancelled',
            evidence: [request, cancellation, kept],
            actual: kept ? 'an error' : 'none',
          });
        }
      };
    },
  }),

  scenario('server/cancellation/too-late', {
    title: 'notifications/cancelled after the response, once or twice, changes nothing',
    verifies: ['cancellation.race-tolerant'],
    async run({ peer, expect }) {
      const ping = await peer.harmless();
      // a server that does not respond to ping shows nothing here
      if (!ping.reply)
        return expect.inconclusive(
          'cancellation.race-tolerant',
          `no response to ${ping.request.method} before`,
        );
      peer.cancel(ping);
      peer.cancel(ping);
      const crossing = Array.from({ length: 5 }, () =>
        peer.startMessage(peer.harmlessMessage(peer.nextId())),
      );
      for (const each of crossing) peer.cancel(each);
      const ok = await peer.barrier();
      const { why, shownBy } = peer.liveness.silence();
      expect.that('cancellation.race-tolerant', {
        ok,
        expected: `a response to ${probeOf(peer)} after the cancellation`,
        evidence: [ping, cancellationOf(peer, 'peer', ping.request.id), ...shownBy],
        actual: why,
      });
    },
  }),

  scenario('server/cancellation/nonsense', {
    title: 'notifications/cancelled that names no request is ignored',
    verifies: ['cancellation.invalid-ignored', 'jsonrpc.notification-not-answered'],
    async run({ peer, expect }) {
      for (const params of nonsense) {
        const {
          sent,
          alive,
          silenceReason: silence,
        } = await peer.sendThenBarrier(() => {
          peer.notify('notifications/cancelled', params, { deliberate: true });
        });
        const evidence = [sent, ...silence.shownBy];
        expect.that('cancellation.invalid-ignored', {
          ok: alive,
          expected: `a response to ${probeOf(peer)} after the cancellation`,
          evidence,
          actual: silence.why,
        });
        if (!alive) return;
      }
    },
  }),

  scenario('server/cancellation/while-it-asks', {
    title: 'a tools/call that is cancelled while it waits for the client leaves the server usable',
    verifies: ['cancellation.race-tolerant', 'cancellation.late-response-ignored'],
    era: 'legacy',
    fixtures: ['role sampling'],
    async run({ peer, expect, tool }) {
      let answer: (value: HandlerResult) => void = () => {};
      const held = new Promise<HandlerResult>(resolve => {
        answer = resolve;
      });
      const restore = peer.handle(sampling, () => held, { deliberate: true });
      const call = peer.start('tools/call', tool('sampling', { prompt: 'Hi' }));
      const question = await peer.waitFor(m => m.method === sampling || idKey(m.id) === idKey(call.id));
      if (question?.method !== sampling) {
        await call.done;
        restore();
        throw new NotObserved(neverAsked);
      }
      peer.cancel(call);
      const alone = await peer.barrier();
      const withdrawn = cancellationOf(peer, 'subject', question?.id);
      const heard = lastSeq(peer);
      answer({ role: 'assistant', content: { type: 'text', text: 'Too late.' }, model: 'mcp-conform' });
      await peer.pause();
      // a server that serves one request after the other is silent until its question has a response
      const inTurn = !alone && (await peer.waitUntil(() => repliesAfter(peer, heard)));
      if (inTurn) {
        peer.liveness.unresponsive = false;
        expect.notObserved(
          'cancellation.race-tolerant',
          'the server serves no request while its client has one',
        );
      } else
        expect.that('cancellation.race-tolerant', {
          ok: alone,
          expected: `a response to ${probeOf(peer)} after the cancellation`,
          evidence: [call.request, question],
          actual: `no response to ${probeOf(peer)}`,
        });
      const alive = await peer.barrier();
      restore();
      if (!withdrawn)
        expect.notObserved('cancellation.late-response-ignored', 'the server did not cancel its own request');
      else
        expect.that('cancellation.late-response-ignored', {
          ok: alive,
          expected: `a response to ${probeOf(peer)} after the late response`,
          evidence: [withdrawn],
          actual: `no response to ${probeOf(peer)}`,
        });
    },
  }),
];
