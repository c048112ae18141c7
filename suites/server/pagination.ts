/** server/utilities/pagination. */

import { resultOf } from '../../harness/record/message.js';
import { scenario } from '../../harness/scenario/scenario.js';
import { identity, pagedLists } from './lists.js';

export const scenarios = [
  scenario('server/pagination/walk-twice', {
    title: 'following the cursors ends, repeats nothing, and gives the same again',
    verifies: ['pagination.resume-after-cursor'],
    async run({ peer, expect }) {
      const lists = pagedLists(peer);
      if (lists.length === 0) expect.notObserved('pagination.resume-after-cursor', 'no list is declared');
      for (const { method, key, changed } of lists) {
        const before = peer.conversation.notifications({ method: changed }).length;
        const [first, second] = [await peer.list(method, key), await peer.list(method, key)];
        // a list that changes meanwhile excuses everything
        if (peer.conversation.notifications({ method: changed }).length > before) continue;
        const items = (walk: typeof first) => walk.items.map(identity).sort().join();
        const evidence = [...first.exchanges, ...second.exchanges].slice(-4);
        expect.that(
          'pagination.resume-after-cursor',
          items(first) === items(second),
          `${method}: the same items`,
          evidence,
        );
      }
    },
  }),

  scenario('server/pagination/same-cursor-twice', {
    title: 'a cursor used twice gives the same page twice',
    verifies: ['pagination.stable-cursors'],
    async run({ peer, expect }) {
      let seen = false;
      for (const { method } of pagedLists(peer)) {
        const cursor = resultOf(await peer.request(method))?.nextCursor;
        if (typeof cursor !== 'string') continue;
        seen = true;
        const first = await peer.request(method, { cursor });
        const again = await peer.request(method, { cursor });
        // that both pages are the same is for a rule to say; refused at once, it was good for one use only
        if (resultOf(first)) expect('pagination.stable-cursors', again).result();
      }
      if (!seen) expect.notObserved('pagination.stable-cursors', 'no list has a second page');
    },
  }),

  scenario('server/pagination/invalid-cursor', {
    title: 'a cursor nobody gave out is refused as invalid params, and hurts nobody',
    verifies: ['pagination.invalid-cursor-error', 'pagination.invalid-cursor-graceful'],
    async run({ peer, expect }) {
      const lists = pagedLists(peer);
      if (lists.length === 0) expect.notObserved('pagination.invalid-cursor-error', 'no list is declared');
      const ask = (method: string, cursor: string) => peer.request(method, { cursor }, { deliberate: true });
      for (const { method } of lists) {
        const [usual, made] = await Promise.all([
          peer.request(method),
          ...['mcp-conform-made-this-up', '', '\u0000é', 'x'.repeat(100_000)].map(c => ask(method, c)),
        ]);
        // a list that is refused altogether is another row's; templates need not be there at all
        if (resultOf(usual)) expect('pagination.invalid-cursor-error', made!).error(-32602);
        else expect.notObserved('pagination.invalid-cursor-error', `${method} is refused`);
      }
      expect.that('pagination.invalid-cursor-graceful', await peer.barrier(), 'a server that still answers', [
        peer.conversation.messages.at(-1),
      ]);
    },
  }),
];
