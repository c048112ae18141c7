/** basic/utilities/cancellation. */

import type { HandlerResult, Peer, Pending } from '../../harness/peer/peer.js';
import { idKey, type Message } from '../../harness/record/message.js';
import { type Known, scenario } from '../../harness/scenario/scenario.js';
import type { JsonObject } from '../../spec/json-rpc.js';
import { neverAsked } from './questions.js';

const sampling = 'sampling/createMessage';

/** Starts a slow tool, and waits until it is at work, or already done; one that tells nothing is given a moment. */
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

/** The well-known tool reports progress; of others nobody knows. */
const tells = (known: Known): boolean => known.toolsByRole.get('slow')?.arguments === undefined;

/** Cancellations that name nothing that could be cancelled. */
export const nonsense: readonly (JsonObject | undefined)[] = [
  { requestId: 'nobody-asked-this' },
  { requestId: 2 ** 40 },
  { requestId: null },
  { requestId: { a: 1 } },
  { requestId: true },
  {},
  undefined,
  { requestId: 'nobody-asked-this', reason: 'long '.repeat(20_000) },
];

export const scenarios = [
  scenario('server/cancellation/cancel-a-call', {
    title: 'a cancelled call stops its work and is not answered',
    verifies: ['cancellation.no-response', 'cancellation.stops-work'],
    fixtures: ['role slow'],
    async run({ peer, expect, known, tool }) {
      if (peer.isStateless) {
        const why = 'without sessions a cancellation comes to somebody who knows of no request';
        expect.notObserved('cancellation.no-response', why);
        return expect.notObserved('cancellation.stops-work', why);
      }
      const call = await underway(peer, tool('slow'), tells(known));
      const { conversation } = peer;
      const [early] = conversation.repliesTo(call.request);
      peer.cancel(call);
      await peer.barrier();
      // what crossed with the cancellation is behind us now
      const before = progressOf(peer, call).length;
      const crossed = conversation.repliesTo(call.request)[0];
      if (early ?? crossed?.kind === 'result') {
        expect.notObserved('cancellation.no-response', 'it was answered before it was cancelled');
        return expect.notObserved('cancellation.stops-work', 'it was answered before it was cancelled');
      }
      // the tool knows no errors: this one is an answer to the cancellation
      const evidence = [call.request, crossed];
      expect.that('cancellation.no-response', crossed?.kind !== 'error', 'no answer', evidence, 'error');
      return () => {
        const [reply] = conversation.repliesTo(call.request);
        const late = progressOf(peer, call)[before];
        const worksOn = late ? 'progress' : reply?.kind === 'result' ? 'a result' : undefined;
        const shown = [call.request, late ?? reply];
        expect.that('cancellation.stops-work', !worksOn, 'no more progress, no result', shown, worksOn);
      };
    },
  }),

  scenario('server/cancellation/cancel-one-of-two', {
    title: 'a cancellation ends the call it names and no other, not even under its id of another type',
    verifies: ['cancellation.race-tolerant', 'cancellation.invalid-ignored'],
    fixtures: ['role slow'],
    async run({ peer, expect, known, tool }) {
      const start = () => underway(peer, tool('slow'), tells(known));
      const [first, second, third] = [await start(), await start(), await start()];
      peer.cancel(first);
      // the id of a call, but of the wrong type
      const [misnamed] = peer.notify(
        'notifications/cancelled',
        { requestId: String(third.id) },
        { deliberate: true },
      );
      await second.done;
      await peer.waitUntil(() => peer.conversation.repliesTo(third.request).length > 0);
      return () => {
        for (const [row, { id, request }, cancellation] of [
          ['cancellation.race-tolerant', second, first.request],
          ['cancellation.invalid-ignored', third, misnamed],
        ] as const) {
          // what comes under the id of the wrong type is not the answer
          const kept = peer.conversation.repliesTo(request).find(reply => idKey(reply.id) === idKey(id));
          expect.that(row, kept?.kind === 'result', 'a result of the call that goes on', [
            request,
            cancellation,
            kept,
          ]);
        }
      };
    },
  }),

  scenario('server/cancellation/too-late', {
    title: 'a cancellation of what is already answered, once or twice, changes nothing',
    verifies: ['cancellation.race-tolerant'],
    async run({ peer, expect }) {
      const ping = await peer.request('ping');
      peer.cancel(ping);
      peer.cancel(ping);
      const crossing = Array.from({ length: 5 }, () => peer.start('ping'));
      for (const each of crossing) peer.cancel(each);
      expect.that('cancellation.race-tolerant', await peer.barrier(), 'a pong after it', [
        ping,
        crossing[0]!.request,
      ]);
    },
  }),

  scenario('server/cancellation/nonsense', {
    title: 'a cancellation that names nothing is ignored',
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
        expect.that('cancellation.invalid-ignored', alive, 'a pong after it', evidence, silence.why);
        if (!alive) return;
      }
    },
  }),

  scenario('server/cancellation/while-it-asks', {
    title: 'a call that is cancelled while it waits for the client leaves the server usable',
    verifies: ['cancellation.race-tolerant', 'cancellation.late-response-ignored'],
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
        restore();
        return expect.notObserved(
          ['cancellation.race-tolerant', 'cancellation.late-response-ignored'],
          neverAsked,
        );
      }
      peer.cancel(call);
      expect.that('cancellation.race-tolerant', await peer.barrier(), 'a pong after it', [
        call.request,
        question,
      ]);
      const cancels = peer.conversation.notifications({ by: 'subject', method: 'notifications/cancelled' });
      const withdrawn = cancels.find(m => idKey(m.params?.requestId) === idKey(question?.id));
      answer({ role: 'assistant', content: { type: 'text', text: 'Too late.' }, model: 'mcp-conform' });
      await peer.pause();
      const alive = await peer.barrier();
      restore();
      if (!withdrawn)
        expect.notObserved('cancellation.late-response-ignored', 'the server did not cancel its own request');
      else
        expect.that('cancellation.late-response-ignored', alive, 'a pong after the late answer', [withdrawn]);
    },
  }),
];
