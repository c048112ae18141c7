/** basic/transports#stdio: lines that a client writes and reads, and the shutdown of its server. */

import type { Deferred } from '../../harness/peer/deferred.js';
import type { Peer } from '../../harness/peer/peer.js';
import { handshakeMethods } from '../../harness/record/handshake.js';
import type { Message } from '../../harness/record/message.js';
import { scenario } from '../../harness/scenario/scenario.js';
import type { Script } from '../../harness/scenario/script.js';
import { held } from '../../harness/scenario/serve.js';
import type { Ignorable } from '../../harness/transports/link.js';
import type { JsonObject } from '../../spec/json-rpc.js';
import { goesOn, heldOrNone, isLastCall, orNone, releaseFurther } from './parts.js';
import { tool } from './world.js';

/** Servers, by the signals that they ignore. */
const servers: readonly (readonly [slug: string, what: string, ignores: readonly Ignorable[]])[] = [
  ['goes', 'exits when its input ends', []],
  ['stays', 'exits on SIGTERM only', ['eof']],
  ['has-to-be-killed', 'ignores SIGTERM', ['eof', 'SIGTERM']],
];

/** Valid, but unusual for a reader that does not expect JSON lines. */
const text = 'é 漢 🎉 \u0085 \u2028 \r\n \\u0041 \u0000';

/** Sends a response in several writes, cut inside characters. */
async function answerInPieces(peer: Peer, asked: Deferred, result: JsonObject): Promise<void> {
  asked.neverAnswer();
  const whole = peer.completed(asked.request, result);
  const line = `${JSON.stringify({ jsonrpc: '2.0', id: asked.request.id!, result: whole })}\n`;
  const bytes = Buffer.from(line);
  const cuts = [1, bytes.indexOf(0xc3) + 1, bytes.indexOf(0xe6) + 1, bytes.indexOf(0xf0) + 2, bytes.length];
  for (const [n, cut] of cuts.entries()) {
    peer.link.stdioServer!.write(bytes.subarray(cuts[n - 1] ?? 0, cut), { deliberate: false });
    await peer.pause();
  }
}

const visit: Script = [['connect'], ['list', 'tools'], goesOn, ['close']];

/** Less than the capacity of a pipe: a client is free not to read it. */
function complain(peer: Peer): void {
  for (let n = 0; n < 100; n++) peer.link.stdioServer!.writeError(`ERROR: nothing is wrong (${n})\n`);
}

/** Sends a response to each request of a conversation, with an action before the first one of each method. */
async function receive(peer: Peer, meanwhile: (peer: Peer) => void): Promise<void> {
  const respond = async (method: string): Promise<void> => {
    const asked = await heldOrNone(peer, method);
    if (!asked) return;
    meanwhile(peer);
    asked.release();
    // a client may list its tools again
    await releaseFurther(peer, method);
  };
  // a client may leave some of them out
  await Promise.all(['server/discover', handshakeMethods.request, 'tools/list'].map(respond));
  await peer.caseOver();
}

/** A conversation in which the client has only asked for the era; another one follows it. */
const onlyAsked = (peer: Peer): boolean =>
  peer.conversation.requests({ by: 'subject' }).every(m => m.method === 'server/discover');

/** Receives the conversations of one visit. @returns the last request, if it came */
async function receiveVisit(
  first: Peer,
  another: () => Promise<Peer>,
  meanwhile: (peer: Peer) => void,
): Promise<Message | undefined> {
  for (let peer: Peer | undefined = first; peer; ) {
    await receive(peer, meanwhile);
    if (!onlyAsked(peer)) return peer.conversation.requests({ by: 'subject' }).find(isLastCall);
    peer = await orNone(another());
  }
  return undefined;
}

const ends = servers.map(([slug, what, ignores]) =>
  scenario.client.stdio(`client/stdio/server-${slug}`, {
    title: `a client closes the input of a server that ${what}, and waits before the next step`,
    verifies: ['stdio.client-shutdown-sequence'],
    stdio: { ignores },
    does: [['connect'], ['list', 'tools'], ['close']],
  }),
);

export const scenarios = [
  ...ends,

  scenario.client.stdio('client/stdio/lines', {
    title: 'a client writes one message per line, in UTF-8, and reads lines that arrive in pieces',
    verifies: [
      'stdio.no-embedded-newlines',
      'stdio.lines-end-in-lf',
      'stdio.client-stdin-pure',
      'transport.utf8',
    ],
    serve: { 'tools/list': held },
    does: [['connect'], ['list', 'tools'], ['close']],
    async run({ peer, expect }) {
      const listing = await peer.nextDeferred('tools/list');
      if (peer.vocabulary.requests.server.has('ping')) await peer.request('ping', undefined, { id: text });
      await answerInPieces(peer, listing, { tools: [tool('first')], nextCursor: text });
      const next = await heldOrNone(peer, 'tools/list');
      const cursor = next?.params.cursor;
      next?.answer({ tools: [tool('last')] });
      if (typeof cursor !== 'string')
        return expect.notObserved('transport.utf8', 'the client does not follow pages');
      const broken = cursor.includes('\uFFFD');
      const expected = `the cursor ${JSON.stringify(text)}`;
      expect.that('transport.utf8', {
        ok: !broken,
        expected,
        evidence: [next!.request],
        actual: JSON.stringify(cursor),
      });
    },
  }),

  scenario.client.stdio('client/stdio/noise', {
    title: 'a client ignores the stderr output of its server',
    verifies: ['stdio.stderr-not-failure'],
    countsProbes: true,
    serve: { initialize: held, 'server/discover': held, 'tools/list': held },
    does: [...visit, ...visit],
    begins: 'connected',
    async run({ peer, another, expect, scripted }) {
      const row = 'stdio.stderr-not-failure';
      const before = await receiveVisit(peer, another, scripted ? () => {} : complain);
      if (!scripted && before) return expect.noViolation(row, [before]);
      if (!before)
        return expect.notObserved(row, 'the client does not continue without stderr output either');
      const next = await another();
      const after = await receiveVisit(next, another, complain);
      expect.that(row, {
        ok: !!after,
        expected: 'tools/call, as without stderr output',
        evidence: [before, after],
        actual: 'the client disconnected',
      });
    },
  }),
];
