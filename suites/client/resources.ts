/** server/resources: the subscriptions of a client. */

import { scenario } from '../../harness/scenario/scenario.js';

const uri = 'test://watched-resource';

export const scenarios = [
  scenario.client('client/resources/subscriptions', {
    title: 'resources/unsubscribe of a client names active subscriptions only',
    verifies: ['resources.unsubscribe-after-subscribe'],
    does: [
      ['connect'],
      ['list', 'resources'],
      ['read', uri],
      ['subscribe', uri],
      ['subscribe', uri, false],
      ['close'],
    ],
    isolation: 'shared',
    async run({ peer, expect }) {
      await peer.caseOver();
      if (peer.requestsOfCase('resources/unsubscribe').length === 0)
        expect.notObserved(
          'resources.unsubscribe-after-subscribe',
          'the client sends no resources/unsubscribe',
        );
    },
  }),
];
