/** basic/lifecycle#timeouts: requests that get no response. */

import { handshakeMethods } from '../../harness/record/handshake.js';
import { scenario } from '../../harness/scenario/scenario.js';
import { held } from '../../harness/scenario/serve.js';
import {
  expectTimeouts,
  isWithdrawn,
  lastInTurn,
  requestsInTurn,
  setsOwnTimeouts,
  timeoutRows,
  uncancelled,
} from './parts.js';

/** A short timeout, because the server does nothing meanwhile. */
const options = { timeoutMs: 150 };

const rows = [...timeoutRows, 'timeouts.cancel-on-expiry', 'cancellation.not-initialize'] as const;

export const scenarios = [
  scenario.client('client/timeouts/never-answered', {
    title: 'a client gives up and cancels requests that get no response, except initialize',
    verifies: rows,
    era: 'legacy',
    serve: { initialize: held, 'prompts/get': held, 'resources/read': held, 'tools/call': held },
    // a client may wait for the head of a response before its next POST, and a response as JSON has none yet
    http: { answers: 'sse' },
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
      (await peer.nextDeferred(handshakeMethods.request)).release();
      const requests = scripted ? await requestsInTurn(peer) : [];
      const [read] = requests;
      // the user decides on the length of a timeout: a client that ignores the option is not judged
      if (setsOwnTimeouts(peer.conversation, requests))
        return expect.notObserved(rows, 'not judged: the client sets its own timeout');
      const all = requests.at(-1)!.method === lastInTurn;
      expectTimeouts(expect, requests, all, [read, requests.at(-1)]);
      if (!all)
        return expect.notObserved('cancellation.not-initialize', 'the client does not give up each request');
      const next = await another().finally(() => {
        const forgotten = requests.slice(0, -1).find(request => !isWithdrawn(peer, request));
        const shown = forgotten ?? read!;
        expect.that('timeouts.cancel-on-expiry', {
          ok: !forgotten,
          expected: 'notifications/cancelled for each of these requests',
          // over HTTP the next request is evidence of streamable-http.cancel-explicit too: one cause
          ...uncancelled(peer, shown, 'none', requests[requests.indexOf(shown) + 1]),
        });
      });
      const opening = await next.nextDeferred(handshakeMethods.request);
      for (let patience = 50; patience > 0 && !next.ended; patience--) await next.pause();
      if (next.ended) expect.noViolation('cancellation.not-initialize', [opening.request]);
      else
        expect.notObserved(
          'cancellation.not-initialize',
          'the client still waits for the response to initialize',
        );
    },
  }),
];
