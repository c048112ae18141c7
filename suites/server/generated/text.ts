/** The same requests in other bytes, which mean the same. */

import fc from 'fast-check';
import { spelled, spellings } from '../../../harness/generate/bytes.js';
import { scenario } from '../../../harness/scenario.js';
import { plainAsks, texts } from './values.js';

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
      await property(written, async ({ ask: { method, params }, id, spelling }, { peer }) => {
        const message = {
          jsonrpc: '2.0',
          // of its own, whatever the text is
          id: `${id}${peer.nextId()}`,
          method,
          ...(params && { params }),
        };
        await peer.startMessage(message, {
          via: () => void peer.link.send({ text: spelled(message, spelling) }),
        }).done;
      });
    },
  }),
];
