/** The same requests in other bytes, and in other pieces, which mean the same. */

import { setImmediate as nextTurn } from 'node:timers/promises';
import fc from 'fast-check';
import { spelled, spellings } from '../../../harness/generate/bytes.js';
import { sequence } from '../../../harness/generate/sequence.js';
import type { Exchange } from '../../../harness/record/message.js';
import { scenario } from '../../../harness/scenario/scenario.js';
import { cuts, piecesOf, plainAsks, requestOf, texts } from './values.js';

export const scenarios = [
  scenario('server/generated/text/spellings', {
    title: 'escapes, white space and the order of members make no difference',
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
    title: 'however many pieces messages arrive in, and however many in one piece, they are read the same',
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
            // it is on its way before the next one
            await nextTurn();
          }
          await Promise.all(answers);
          // who goes in the middle of a message leaves no request open
          if (peer.link.writable) await peer.barrier();
          const exit = peer.conversation.eventsOf('exit').at(-1);
          if (exit) expect.that('jsonrpc.request-answered-once', false, 'a process that reads on', [exit]);
        },
        { most: 15 },
      );
    },
  }),
];
