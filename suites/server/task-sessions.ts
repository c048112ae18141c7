/** basic/utilities/tasks: the tasks of several sessions of one server. */

import { NotObserved } from '../../harness/peer/deferred.js';
import { scenario } from '../../harness/scenario/scenario.js';
import { creationOf } from '../rules/derived/task-record.js';
import { begin, idIn, noTask, working } from './task-steps.js';

export const scenarios = [
  scenario.http('server/task-sessions/ids', {
    title: 'a task has an id that no task of another session has',
    verifies: ['tasks.id-unique'],
    fixtures: ['tool test_task'],
    async run({ peer, newConversation, expect }) {
      const made = await begin(peer, working());
      if (idIn(made) === undefined) throw new NotObserved(noTask);
      const other = await newConversation();
      await other.open();
      const foreign = await begin(other, working());
      const taskId = idIn(foreign);
      if (taskId === undefined) throw new NotObserved(noTask);
      const twice = creationOf(peer.conversation, taskId, Number.POSITIVE_INFINITY);
      expect.that('tasks.id-unique', {
        ok: !twice,
        expected: 'an id that no task of the other session has',
        evidence: [twice?.m, foreign],
        actual: taskId,
      });
    },
  }),
];
