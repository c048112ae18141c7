/** basic/lifecycle#timeouts: requests that are never answered. */

import type { Peer } from '../../harness/peer/peer.js';
import { idKey, type Message } from '../../harness/record/message.js';
import { scenario } from '../../harness/scenario/scenario.js';
import { held } from '../../harness/scenario/serve.js';

/** Soon, as the server does nothing in between. */
const options = { timeoutMs: 150 };

/** In the order of the script; the last one is answered. */
const methods = ['resources/read', 'prompts/get', 'tools/call', 'prompts/list'];

/** Those of them that come: each shows that the one before was given up. */
async function asked(peer: Peer): Promise<Message[]> {
  const found: Message[] = [];
  for (const method of methods) {
    const [seen] = peer.conversation.requests({ by: 'subject', method });
    const request = seen ?? (await peer.waitFor(m => m.method === method));
    if (!request) break;
    found.push(request);
  }
  return found;
}

const isWithdrawn = (peer: Peer, { id }: Message): boolean =>
  peer.conversation
    .notifications({ by: 'subject', method: 'notifications/cancelled' })
    .some(m => idKey(m.params?.requestId) === idKey(id));

const rows = [
  'timeouts.established',
  'timeouts.cancel-on-expiry',
  'tools.client-timeouts',
  'cancellation.not-initialize',
] as const;

export const scenarios = [
  scenario.client('client/timeouts/never-answered', {
    title: 'a client gives up what is never answered, and takes it back, but for initialize',
    verifies: rows,
    serve: { initialize: held, 'prompts/get': held, 'resources/read': held, 'tools/call': held },
    does: [
      ['connect'],
      ['read', 'test://static-text', options],
      ['get', 'test_simple_prompt', {}, options],
      ['call', 'test_simple_text', {}, options],
      ['list', 'prompts'],
      ['close'],
      ['connect', options],
    ],
    begins: 'connected',
    lasts: 600,
    async run({ peer, another, expect, scripted }) {
      (await peer.nextDeferred('initialize')).release();
      const requests = scripted ? await asked(peer) : [];
      const [read, , call] = requests;
      // it is the operator who knows how long is too long: nothing is said of who passes over the option
      if (requests.length < 2) {
        expect.notObserved(rows, 'how long it waits is its own affair');
        return;
      }
      const last = requests.at(-1)!;
      const all = requests.length === methods.length;
      expect.that('timeouts.established', all, 'an end of every wait', [read, last], `${last.method} waits`);
      if (call) expect.that('tools.client-timeouts', all, 'an end of the wait', [call]);
      else expect.notObserved('tools.client-timeouts', 'it called no tool');

      if (!all) return expect.notObserved('cancellation.not-initialize', 'it does not give up everything');
      const next = await another();
      const givenUp = requests.slice(0, -1);
      const forgotten = givenUp.find(request => !isWithdrawn(peer, request));
      const expected = 'notifications/cancelled for each of them';
      expect.that('timeouts.cancel-on-expiry', !forgotten, expected, [forgotten ?? read], 'none');
      const opening = await next.nextDeferred('initialize');
      for (let patience = 50; patience > 0 && !next.ended; patience--) await next.pause();
      if (next.ended) expect.noViolation('cancellation.not-initialize', [opening.request]);
      else expect.notObserved('cancellation.not-initialize', 'it waits on for the answer to initialize');
    },
  }),
];
