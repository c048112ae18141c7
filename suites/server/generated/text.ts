/** The same requests in other bytes, and in other pieces, with the same meaning. */

import { setImmediate as nextTurn } from 'node:timers/promises';
import fc from 'fast-check';
import { spelled, spellings } from '../../../harness/generate/bytes.js';
import { sequence } from '../../../harness/generate/sequence.js';
import type { Exchange } from '../../../harness/record/message.js';
import { scenario } from '../../../harness/scenario/scenario.js';
import { cuts, piecesOf, plainAsks, requestOf, texts } from './values.js';

export const scenarios = [
  scenario('server/generated/text/spellings', {
    title: 'a request with escapes, white space and reordered members gets a response',
    verifies: ['jsonrpc.response-id-matches', 'jsonrpc.request-answered-once'],
    generated: true,
    async run({ peer, known, property }) {
      const written = fc.record(
        { ask: fc.constantFrom(...plainAsks(peer, known)), id: texts, spelling: spellings() },
        { noNullPrototype: true },
      );
      await property(written, async ({ ask, id, spelling }, { peer }) => {
        const message = requestOf(peer, ask, id);
        await peer.startMessage(message, {
          via: () => void peer.link.send({ text: spelled(message, spelling) }),
        }).done;
      });
    },
  }),

  scenario.stdio('server/generated/text/pieces', {
    title: 'messages in any number of pieces, or several in one piece, get their responses',
    verifies: ['jsonrpc.response-id-matches', 'jsonrpc.request-answered-once'],
    isolation: 'shared',
    generated: true,
    async run({ peer, known, property }) {
      const ask = fc.constantFrom(...plainAsks(peer, known));
      const asks = sequence(fc.record({ ask, id: texts }, { noNullPrototype: true }), 6);
      await property(
        fc.record({ asks, cuts }, { noNullPrototype: true }),
        async ({ asks, cuts }, { peer, stdio, expect }) => {
          const lines = asks.map(({ ask, id }) => `${JSON.stringify(requestOf(peer, ask, id))}\n`);
          const answers: Promise<Exchange[]>[] = [];
          for (const piece of piecesOf(lines.join(''), cuts)) {
            answers.push(peer.sendByHand(() => stdio.write(piece, { deliberate: false })));
            // each piece is sent before the next one is written
            await nextTurn();
          }
          await Promise.all(answers);
          // a process that exits in the middle of a message leaves no request open
          if (peer.link.writable) await peer.barrier();
          const exit = peer.conversation.eventsOf('exit').at(-1);
          // the harness terminates a process whose message is over its limit
          const isTerminated = peer.conversation.eventsOf('overflow').length > 0;
          if (exit && !isTerminated)
            expect.that('jsonrpc.request-answered-once', {
              ok: false,
              expected: 'a process that continues to read',
              evidence: [exit],
              actual: 'the process ended',
            });
        },
        { most: 15 },
      );
    },
  }),
];
