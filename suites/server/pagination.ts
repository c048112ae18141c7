/** server/utilities/pagination. */

import { resultOf } from '../../harness/record/message.js';
import { scenario } from '../../harness/scenario/scenario.js';
import { stillResponds } from '../shared/probe.js';
import { identity, pagedLists } from './lists.js';

export const scenarios = [
  scenario('server/pagination/walk-twice', {
    title: 'following nextCursor ends, repeats no item, and returns the same items a second time',
    verifies: ['pagination.resume-after-cursor'],
    async run({ peer, expect }) {
      const lists = pagedLists(peer);
      if (lists.length === 0)
        expect.notObserved('pagination.resume-after-cursor', 'the server declares no list');
      for (const { method, key, changed } of lists) {
        const before = peer.conversation.notifications({ method: changed }).length;
        const [first, second] = [await peer.list(method, key), await peer.list(method, key)];
        // a list that changes meanwhile is not judged
        if (peer.conversation.notifications({ method: changed }).length > before) continue;
        // two parts of a list may differ: the walk ends at a limit
        if (first.isCut || second.isCut) {
          expect.notObserved(
            'pagination.resume-after-cursor',
            `${method} has too many pages to read all of them`,
          );
          continue;
        }
        const items = (walk: typeof first) => walk.items.map(identity).sort().join();
        const evidence = [...first.exchanges, ...second.exchanges].slice(-4);
        expect.that('pagination.resume-after-cursor', {
          ok: items(first) === items(second),
          expected: `${method}: the same items both times`,
          evidence,
          actual: 'other items',
        });
      }
    },
  }),

  scenario('server/pagination/same-cursor-twice', {
    title: 'a cursor used twice returns the same page twice',
    verifies: ['pagination.stable-cursors'],
    async run({ peer, expect }) {
      let seen = false;
      for (const { method } of pagedLists(peer)) {
        const cursor = resultOf(await peer.request(method))?.nextCursor;
        if (typeof cursor !== 'string') continue;
        seen = true;
        const first = await peer.request(method, { cursor });
        const again = await peer.request(method, { cursor });
        // a rule compares both pages; a cursor that is refused immediately was valid for one use only
        if (resultOf(first)) expect('pagination.stable-cursors', again).result();
      }
      if (!seen) expect.notObserved('pagination.stable-cursors', 'no list has a second page');
    },
  }),

  scenario('server/pagination/invalid-cursor', {
    title: 'a list request with an unknown cursor gets error -32602, and later requests get a response',
    verifies: ['pagination.invalid-cursor-error', 'pagination.invalid-cursor-graceful'],
    async run({ peer, expect }) {
      const lists = pagedLists(peer);
      if (lists.length === 0)
        expect.notObserved('pagination.invalid-cursor-error', 'the server declares no list');
      const ask = (method: string, cursor: string) => peer.request(method, { cursor }, { deliberate: true });
      for (const { method } of lists) {
        const [usual, made] = await Promise.all([
          peer.request(method),
          ...['mcp-conform-made-this-up', '', '\u0000é', 'x'.repeat(100_000)].map(c => ask(method, c)),
        ]);
        // another row judges a list that is always refused; templates are optional
        if (resultOf(usual)) expect('pagination.invalid-cursor-error', made!).error(-32602);
        else expect.notObserved('pagination.invalid-cursor-error', `${method} is refused`);
      }
      expect.that(
        'pagination.invalid-cursor-graceful',
        stillResponds(peer, await peer.barrier(), [peer.conversation.messages.at(-1)]),
      );
    },
  }),
];
