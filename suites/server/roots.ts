/** client/roots: the use that a server makes of the roots of its client. */

import { NotObserved } from '../../harness/peer/deferred.js';
import { type HandlerResult, RefusedRequest } from '../../harness/peer/requests.js';
import { describe } from '../../harness/scenario/expect.js';
import { scenario } from '../../harness/scenario/scenario.js';
import { waitFor } from '../../harness/time/clock.js';
import { probeOf, stillResponds } from '../shared/probe.js';

const changed = 'notifications/roots/list_changed';
const call = { name: 'test_roots', arguments: {} };

/** Responses without usable roots. */
const unusable: readonly (() => HandlerResult)[] = [
  () => ({ roots: [] }),
  () => ({ roots: [{ uri: 'file:///mcp-conform/no/such/directory' }] }),
  () => {
    throw new RefusedRequest(-32603, 'The roots are not available.');
  },
];

export const scenarios = [
  scenario('server/roots/changes', {
    title: 'repeated notifications/roots/list_changed leaves the server usable',
    verifies: ['roots.changes-handled'],
    async run({ peer, expect }) {
      const [note] = peer.notify(changed);
      for (let n = 0; n < 5; n++) peer.notify(changed);
      expect.that('roots.changes-handled', stillResponds(peer, await peer.barrier(), [note]));
    },
  }),

  scenario('server/roots/fetched-unasked', {
    title: 'a server that sends roots/list after each change accepts any response',
    // the first roots/list may come late
    isolation: 'slow',
    verifies: ['roots.server-refetches-after-change', 'roots.unavailable-roots-handled'],
    era: 'legacy',
    async run({ peer, expect, waitWhileOthersRun }) {
      const asked = () => peer.conversation.requests({ by: 'subject', method: 'roots/list' });
      // without sessions the server has no client to send requests to
      if (asked().length === 0 && !peer.isSessionless)
        await waitWhileOthersRun(
          waitFor(
            peer.next(m => m.method === 'roots/list'),
            peer.timing.answer / 5,
            peer.link.clock,
          ),
        );
      const fetches = async () => {
        const before = asked().length;
        const hasFetched = () => asked().length > before;
        peer.notify(changed);
        if (await peer.waitUntil(hasFetched)) return true;
        // on a busy machine the notification may arrive late
        await peer.barrier();
        return hasFetched();
      };
      if (asked().length === 0 || !(await fetches())) {
        // the server may send roots/list at its next use of the roots
        expect.notObserved(
          'roots.server-refetches-after-change',
          'the server sends roots/list after a change only when a tool needs the roots, or never',
        );
        return expect.notObserved(
          'roots.unavailable-roots-handled',
          'the server sends no roots/list without a tools/call',
        );
      }
      expect.noViolation('roots.server-refetches-after-change', asked().slice(-1));
      const row = 'roots.unavailable-roots-handled';
      for (const answer of unusable) {
        const restore = peer.handle('roots/list', answer);
        const fetched = await fetches();
        const alive = await peer.barrier();
        restore();
        if (!fetched) return expect.notObserved(row, 'the server does not send roots/list after each change');
        expect.that(row, stillResponds(peer, alive, asked().slice(-1)));
      }
    },
  }),

  scenario('server/roots/fetched-again', {
    title: 'a server that has sent roots/list sends it again after notifications/roots/list_changed',
    verifies: ['roots.server-refetches-after-change'],
    fixtures: ['tool test_roots'],
    async run({ peer, expect }) {
      await peer.request('tools/call', call);
      const asked = () => peer.conversation.requests({ by: 'subject', method: 'roots/list' });
      const before = asked().length;
      if (before === 0) throw new NotObserved('the server sends no roots/list');
      const [note] = peer.notify(changed);
      await peer.waitUntil(() => asked().length > before);
      // a roots/list at the next use is early enough
      if (asked().length === before) await peer.request('tools/call', call);
      expect.that('roots.server-refetches-after-change', {
        ok: asked().length > before,
        expected: 'another roots/list',
        evidence: [note, asked().at(-1)],
        actual: 'none',
      });
    },
  }),

  scenario('server/roots/unavailable', {
    title: 'a tools/call gets a response when the roots are empty, unusable or refused',
    verifies: ['roots.unavailable-roots-handled'],
    fixtures: ['tool test_roots'],
    async run({ peer, expect }) {
      for (const answer of unusable) {
        const restore = peer.handle('roots/list', answer);
        if (peer.vocabulary.notifications.client.has(changed)) peer.notify(changed);
        const exchange = await peer.request('tools/call', call);
        const ok = exchange.reply !== undefined && (await peer.barrier());
        restore();
        expect.that('roots.unavailable-roots-handled', {
          ok,
          expected: 'a response to the call, of any kind',
          evidence: [exchange],
          actual: exchange.reply ? `no response to ${probeOf(peer)}` : describe(exchange),
        });
      }
    },
  }),
];
