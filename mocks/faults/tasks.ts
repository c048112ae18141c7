/** basic/utilities/tasks, for a server that has none. */

import { fault, onReply, result } from '../fault.js';
import { paramsOf } from './shared.js';

const now = new Date(0).toISOString();

export const taskFaults = [
  fault(
    'task-made-undeclared',
    {
      what: 'A call with a task makes one, although tasks were not declared.',
      breaks: ['tasks.undeclared-type-processed-normally'],
    },
    onReply('tools/call', (reply, ask) =>
      paramsOf(ask).task === undefined
        ? reply
        : result(ask, {
            task: { taskId: 'a-task', status: 'working', createdAt: now, lastUpdatedAt: now, ttl: null },
          }),
    ),
  ),
];
