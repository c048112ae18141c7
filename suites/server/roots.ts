/** client/roots: what a server makes of the roots of its client. */

import { type HandlerResult, RefusedRequest } from '../../harness/peer/peer.js';
import { scenario } from '../../harness/scenario/scenario.js';
import { waitFor } from '../../harness/time/clock.js';

const changed = 'notifications/roots/list_changed';
const call = { name: 'test_roots', arguments: {} };

/** Answers that leave a server without roots it could use. */
const unusable: readonly (() => HandlerResult)[] = [
  () => ({ roots: [] }),
  () => ({ roots: [{ uri: 'file:///mcp-conform/no/such/directory' }] }),
  () => {
    throw new RefusedRequest(-32603, 'The roots are not available.');
  },
];

export const scenarios = [
  scenario('server/roots/changes', {
    title: 'any number of changes of the roots is borne',
    verifies: ['roots.changes-handled'],
    async run({ peer, expect }) {
      const [note] = peer.notify(changed);
      for (let n = 0; n < 5; n++) peer.notify(changed);
      expect.that('roots.changes-handled', await peer.barrier(), 'a server that still answers', [note]);
    },
  }),

  scenario('server/roots/fetched-unasked', {
    title: 'a server that asks for the roots whenever they have changed takes any answer',
    // it may be a while before it asks for the first time
    isolation: 'slow',
    verifies: ['roots.server-refetches-after-change', 'roots.unavailable-roots-handled'],
    async run({ peer, expect, waitWhileOthersRun }) {
      const asked = () => peer.conversation.requests({ by: 'subject', method: 'roots/list' });
      // without sessions it has nobody to ask
      if (asked().length === 0 && !peer.isStateless)
        await waitWhileOthersRun(
          waitFor(
            peer.next(m => m.method === 'roots/list'),
            peer.timing.answer / 5,
            peer.link.clock,
          ),
        );
      const fetches = async () => {
        const before = asked().length;
        peer.notify(changed);
        return peer.waitUntil(() => asked().length > before);
      };
      if (asked().length === 0 || !(await fetches())) {
        // it may ask when it next needs them
        expect.notObserved(
          'roots.server-refetches-after-change',
          'it does not ask unless something is asked of it',
        );
        return expect.notObserved('roots.unavailable-roots-handled', 'it does not ask for roots by itself');
      }
      expect.noViolation('roots.server-refetches-after-change', asked().slice(-1));
      for (const answer of unusable) {
        const restore = peer.handle('roots/list', answer);
        const fetched = await fetches();
        const alive = await peer.barrier();
        restore();
        if (!fetched) return;
        const row = 'roots.unavailable-roots-handled';
        expect.that(row, alive, 'a server that still answers', asked().slice(-1));
      }
    },
  }),

  scenario('server/roots/fetched-again', {
    title: 'a server that has asked for the roots asks again when they have changed',
    verifies: ['roots.server-refetches-after-change'],
    fixtures: ['tool test_roots'],
    async run({ peer, expect }) {
      await peer.request('tools/call', call);
      const asked = () => peer.conversation.requests({ by: 'subject', method: 'roots/list' });
      const before = asked().length;
      if (before === 0) return expect.notObserved('roots.server-refetches-after-change', 'it never asked');
      const [note] = peer.notify(changed);
      await peer.waitUntil(() => asked().length > before);
      // asking at the next use is early enough
      if (asked().length === before) await peer.request('tools/call', call);
      expect.that('roots.server-refetches-after-change', asked().length > before, 'another roots/list', [
        note,
        asked().at(-1),
      ]);
    },
  }),

  scenario('server/roots/unavailable', {
    title: 'no roots, unusable roots and a refusal leave the server usable',
    verifies: ['roots.unavailable-roots-handled'],
    fixtures: ['tool test_roots'],
    async run({ peer, expect }) {
      for (const answer of unusable) {
        const restore = peer.handle('roots/list', answer);
        peer.notify(changed);
        const exchange = await peer.request('tools/call', call);
        const ok = exchange.reply !== undefined && (await peer.barrier());
        restore();
        expect.that('roots.unavailable-roots-handled', ok, 'an answer to the call, of any kind', [exchange]);
      }
    },
  }),
];
