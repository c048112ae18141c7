/** basic/utilities/tasks. */

import type { Handler } from './handler.js';

export const taskHandlers: Record<string, Handler> = {
  'tasks/get': { needs: 'tasks', run: ({ taskId }, { session }) => session.tasks.get(taskId).shown },
  'tasks/result': {
    needs: 'tasks',
    run: ({ taskId }, { session, signal }) => session.tasks.get(taskId).result(signal),
  },
  'tasks/list': {
    needs: 'tasks.list',
    run: ({ cursor }, { session: { tasks, world } }) =>
      tasks.list(cursor, world.pageSize, world.emptyLastPage),
  },
  'tasks/cancel': { needs: 'tasks.cancel', run: ({ taskId }, { session }) => session.tasks.cancel(taskId) },
};
