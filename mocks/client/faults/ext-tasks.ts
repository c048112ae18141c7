/** The tasks extension (io.modelcontextprotocol/tasks): faults of clients. */

import { isObject, type Json } from '../../../spec/json-rpc.js';
import type { RequirementId } from '../../../spec/requirement.js';
import { isStateless, paramsOf } from '../../server/faults/shared.js';
import { clientFault, onAsk, onBehaviour, onHttp } from '../fault.js';
import type { LongTaskHabits } from '../long-task-habits.js';

/** A client that treats tasks otherwise. */
const following = (
  id: string,
  what: string,
  breaks: readonly [RequirementId, ...RequirementId[]],
  change: (habits: LongTaskHabits) => Partial<LongTaskHabits>,
) =>
  clientFault(
    id,
    { what, breaks, where: isStateless },
    onBehaviour(({ longTasks }) => {
      Object.assign(longTasks, change(longTasks));
    }),
  );

const aboutTasks: readonly Json[] = ['tasks/get', 'tasks/update', 'tasks/cancel'];

/** Another value of Mcp-Name in requests about tasks; undefined removes the header. */
const naming = (id: string, what: string, name: (taskId: string) => string | undefined) =>
  clientFault(
    id,
    { what, breaks: ['ext-tasks.client-name-header'], where: isStateless, over: ['streamable-http'] },
    onHttp(ask => {
      const method = ask.headers['mcp-method'];
      if (method === undefined || !aboutTasks.includes(method)) return ask;
      const { 'mcp-name': taskId, ...headers } = ask.headers;
      const given = name(String(taskId));
      return { ...ask, headers: given === undefined ? headers : { ...headers, 'mcp-name': given } };
    }),
  );

export const extTaskFaults = [
  following(
    'client-task-dropped',
    'The client declares the tasks extension and treats a task as an invalid result.',
    ['ext-tasks.client-handles-both'],
    () => ({ methods: [] }),
  ),
  following(
    'client-task-of-any-request',
    'The client follows tasks in the response to any request.',
    ['ext-tasks.client-rejects-elsewhere'],
    () => ({ methods: ['tools/call', 'prompts/get', 'resources/read'] }),
  ),
  following(
    'client-task-polled-all-the-time',
    'The client polls a task without a pause.',
    ['ext-tasks.client-poll-interval'],
    () => ({ interval: () => 0 }),
  ),
  following(
    'client-task-first-interval',
    'The client polls a task with the interval of the announcement, also when it has changed.',
    ['ext-tasks.client-poll-interval'],
    () => ({ interval: ({ announced }) => Number(announced.pollIntervalMs) }),
  ),
  following(
    'client-long-task-given-up',
    'The client polls a task that asks nothing three times at most.',
    ['ext-tasks.client-polls-to-end'],
    () => ({ goesOn: ({ polls, updates }) => updates > 0 || polls < 3 }),
  ),
  following(
    'client-task-unanswered',
    'The client answers no question of a task, and gives the task up.',
    ['ext-tasks.client-answers-input'],
    () => ({ answers: () => false, goesOn: ({ polls }) => polls < 8 }),
  ),
  following(
    'client-task-left-after-update',
    'The client does not look at a task again that it has answered.',
    ['ext-tasks.client-observes-after-update'],
    () => ({ goesOn: ({ updates }) => updates === 0 }),
  ),
  following(
    'client-task-answered-again',
    'The client answers a question of a task each time that a poll shows it.',
    ['ext-tasks.client-answers-once'],
    () => ({ answers: () => true }),
  ),
  clientFault(
    'client-task-accepts-all',
    {
      what: 'The client accepts each elicitation of a task without asking its user.',
      breaks: ['ext-tasks.client-answers-as-asked'],
      where: isStateless,
    },
    onAsk('tasks/update', ask => {
      const { inputResponses } = paramsOf(ask);
      const accepted = Object.entries(isObject(inputResponses) ? inputResponses : {}).map(([key, answer]) => [
        key,
        isObject(answer) && 'action' in answer ? { action: 'accept', content: { name: 'Ada' } } : answer,
      ]);
      return { ...ask, params: { ...paramsOf(ask), inputResponses: Object.fromEntries(accepted) } };
    }),
  ),
  following(
    'client-task-cancelled-by-notification',
    'The client cancels a task with notifications/cancelled and the id of the call.',
    ['ext-tasks.client-cancels-by-request'],
    () => ({ cancelsBy: 'notification' }),
  ),
  naming(
    'client-task-without-name',
    'The client sends no Mcp-Name with requests about tasks.',
    () => undefined,
  ),
  naming(
    'client-task-named-after-its-tool',
    'The client sends the name of the tool as Mcp-Name with requests about tasks.',
    () => 'test_simple_text',
  ),
];
