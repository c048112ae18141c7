/** basic/utilities/tasks, as far as it binds servers that have none. */

import { declares, resultOf } from '../../harness/history.js';
import { scenario } from '../../harness/scenario.js';

export const scenarios = [
  scenario('server/tasks/undeclared', {
    title: 'a server that has not declared tasks takes a call with a task for an ordinary one',
    verifies: ['tasks.undeclared-type-processed-normally'],
    fixtures: ['tool test_simple_text'],
    async run({ peer, expect }) {
      if (declares(peer.declared, 'tasks.requests.tools.call'))
        return expect.absent('tasks.undeclared-type-processed-normally', 'tasks are declared');
      const params = { name: 'test_simple_text', arguments: {}, task: { ttl: 60_000 } };
      const call = await peer.request('tools/call', params, { deliberate: true });
      const plain = resultOf(call)?.task === undefined;
      expect('tasks.undeclared-type-processed-normally', call).result(() =>
        plain ? undefined : 'an ordinary result',
      );
    },
  }),
];
