/** The tasks extension (io.modelcontextprotocol/tasks) on a protected server with several users. */

import { NotObserved } from '../../harness/peer/deferred.js';
import { scenario } from '../../harness/scenario/scenario.js';
import { asking, enter } from './authorization.js';
import { answerIn } from './authorized.js';
import { call, noTask, taskIdIn, withTasks } from './ext-task-steps.js';

export const scenarios = [
  scenario.http('server/ext-tasks-access/of-another', {
    title: 'requests of another user about a task are refused',
    verifies: ['ext-tasks.access-checked'],
    era: 'modern',
    declares: withTasks,
    fixtures: ['tool test_task'],
    async run(at) {
      const { expect, access, peer, http } = at;
      const row = 'ext-tasks.access-checked';
      const token = await access.tokenOf('second');
      if (token === undefined)
        throw new NotObserved('no token of a second user is available: give --second-bearer-token');
      const headers = await enter(at, token);
      if (!headers) return expect.inconclusive(row, 'the server refuses the second user');
      const made = await call(peer, { name: 'test_task', arguments: {} });
      const taskId = taskIdIn(made);
      if (taskId === undefined) throw new NotObserved(noTask);
      for (const method of ['tasks/get', 'tasks/cancel']) {
        const e = await http.fetch({ body: asking(at, method, method, { taskId }), headers });
        const isGiven = answerIn(e, method)?.kind === 'result';
        expect.that(row, {
          ok: !isGiven,
          expected: `${method} of another user to be refused`,
          evidence: [made, e],
          actual: `a result of ${method}`,
        });
      }
    },
  }),
];
