/** basic/utilities/ping. */

import { scenario } from '../../harness/scenario/scenario.js';

export const scenarios = [
  scenario('server/ping/plain', {
    title: 'ping gets an empty result, with and without params',
    verifies: ['ping.answered-empty'],
    async run({ peer }) {
      await peer.request('ping');
      await peer.request('ping', {});
      await peer.request('ping', { _meta: {} });
      await peer.request('ping', undefined, { id: `ping-${peer.nextId()}` });
    },
  }),

  scenario('server/ping/during-a-call', {
    title: 'ping gets a response while a tool runs',
    verifies: ['ping.answered-empty'],
    fixtures: ['role slow'],
    async run({ peer, tool }) {
      const call = peer.start('tools/call', tool('slow'));
      await Promise.all([peer.request('ping'), peer.request('ping')]);
      await call.done;
      await peer.request('ping');
    },
  }),
];
