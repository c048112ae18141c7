/** basic/utilities/ping. */

import { scenario } from '../../harness/scenario/scenario.js';
import { held } from '../../harness/scenario/serve.js';

export const scenarios = [
  scenario.client('client/ping/during-a-call', {
    title: 'a client that waits for a tool responds to ping meanwhile',
    verifies: ['ping.answered-empty', 'ping.not-excessive'],
    serve: { 'tools/call': held },
    does: [['connect'], ['list', 'tools'], ['call', 'test_simple_text'], ['close']],
    isolation: 'shared',
    async run({ peer, expect }) {
      const call = await peer.nextDeferred('tools/call');
      await peer.request('ping');
      await Promise.all([peer.request('ping', {}), peer.request('ping', undefined, { id: 'ping-as-text' })]);
      call.release();
      await peer.caseOver();
      expect.noViolation('ping.not-excessive', [peer.conversation.handshake]);
    },
  }),
];
