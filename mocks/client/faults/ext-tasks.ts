/** The tasks extension (io.modelcontextprotocol/tasks): faults of clients. */

import { isObject, type Json, without } from '../../../spec/json-rpc.js';
import type { RequirementId } from '../../../spec/requirement.js';
import { isStateless } from '../../server/faults/shared.js';
import { clientFault, onBehaviour, onHttp, onResult, onStep } from '../fault.js';
import type { LongTaskHabits } from '../long-task-habits.js';
import { onTaskAnswer, onTaskDecision, onTaskHabits } from '../long-task-middleware.js';

/** A client that treats tasks otherwise. @param shows the facet of its row */
const following = (
  id: string,
  what: string,
  row: RequirementId,
  shows: string,
  change: (habits: LongTaskHabits) => Partial<LongTaskHabits>,
) =>
  clientFault(
    id,
    { what, breaks: [row], shows: [`${row}#${shows}`], where: isStateless },
    onTaskHabits(change),
  );

/** Whether a task has ended. */
const ending = () => ({ isOver: false });

const aboutTasks: readonly Json[] = ['tasks/get', 'tasks/update', 'tasks/cancel'];

/** Another value of Mcp-Name in requests about tasks; undefined removes the header. */
const naming = (id: string, what: string, shows: string, name: (taskId: string) => string | undefined) =>
  clientFault(
    id,
    {
      what,
      breaks: ['ext-tasks.client-name-header'],
      shows: [`ext-tasks.client-name-header#${shows}`],
      where: isStateless,
      over: ['streamable-http'],
    },
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
    'ext-tasks.client-handles-both',
    'dropped',
    () => ({ methods: [] }),
  ),
  following(
    'client-task-of-any-request',
    'The client follows tasks in the response to any request.',
    'ext-tasks.client-rejects-elsewhere',
    'polled',
    () => ({ methods: ['tools/call', 'prompts/get', 'resources/read'] }),
  ),
  following(
    'client-task-polled-all-the-time',
    'The client polls a task without a pause.',
    'ext-tasks.client-poll-interval',
    'no-pause',
    () => ({ interval: () => 0 }),
  ),
  following(
    'client-task-first-interval',
    'The client polls a task with the interval of the announcement, also when it has changed.',
    'ext-tasks.client-poll-interval',
    'announced-interval',
    () => ({ interval: ({ announced }) => Number(announced.pollIntervalMs) }),
  ),
  following(
    'client-long-task-given-up',
    'The client polls a task that asks nothing three times at most.',
    'ext-tasks.client-polls-to-end',
    'given-up',
    () => ({ goesOn: ({ polls, updates }) => updates > 0 || polls < 3 }),
  ),
  following(
    'client-task-unanswered',
    'The client answers no question of a task, and gives the task up.',
    'ext-tasks.client-answers-input',
    'none',
    () => ({ answers: () => false, goesOn: ({ polls }) => polls < 8 }),
  ),
  following(
    'client-task-answers-first-question',
    'The client answers the first of two questions of a task only.',
    'ext-tasks.client-answers-input',
    'first-only',
    () => ({ answers: (key, isAnswered) => key === 'who' && !isAnswered }),
  ),
  following(
    'client-task-left-after-update',
    'The client does not look at a task again that it has answered.',
    'ext-tasks.client-observes-after-update',
    'left',
    () => ({ goesOn: ({ updates }) => updates === 0 }),
  ),
  following(
    'client-task-answered-again',
    'The client answers a question of a task each time that a poll shows it.',
    'ext-tasks.client-answers-once',
    'again',
    () => ({ answers: () => true }),
  ),
  clientFault(
    'client-task-accepts-all',
    {
      what: 'The client accepts each elicitation of a task without asking its user.',
      breaks: ['ext-tasks.client-answers-as-asked'],
      shows: ['ext-tasks.client-answers-as-asked#action'],
      where: isStateless,
    },
    onTaskDecision({ action: 'accept', content: { name: 'Ada' } }),
  ),
  clientFault(
    'client-task-other-roots',
    {
      what: 'The client declares no elicitation, and has no roots when a task asks for them.',
      breaks: ['ext-tasks.client-answers-as-asked'],
      shows: ['ext-tasks.client-answers-as-asked#roots'],
      where: isStateless,
    },
    onBehaviour(habits => {
      habits.capabilities = without(habits.capabilities, 'elicitation');
    }),
    onTaskAnswer(() => ({ roots: [] })),
  ),
  clientFault(
    'client-task-form-misfit',
    {
      what: 'The client answers the form of a task with a number where the schema has a text.',
      breaks: ['elicitation.accept-content-matches'],
      shows: ['elicitation.accept-content-matches#in-task'],
      where: isStateless,
    },
    onTaskAnswer(answer =>
      isObject(answer) && answer.action === 'accept' ? { ...answer, content: { name: 7 } } : answer,
    ),
  ),
  clientFault(
    'client-task-stops',
    {
      what: 'The client sends nothing more after a task has ended.',
      breaks: ['ext-tasks.client-handles-both'],
      shows: ['ext-tasks.client-handles-both#stops'],
      where: isStateless,
    },
    onResult('tasks/get', (state, _, context) => {
      if (state.status !== 'working' && state.status !== 'input_required') context.keep(ending).isOver = true;
      return state;
    }),
    onStep((step, context) => (context.keep(ending).isOver && step[0] !== 'close' ? undefined : step)),
  ),
  following(
    'client-task-cancelled-by-notification',
    'The client cancels a task with notifications/cancelled and the id of the call.',
    'ext-tasks.client-cancels-by-request',
    'call-id',
    () => ({ cancelsBy: 'notification' }),
  ),
  naming(
    'client-task-without-name',
    'The client sends no Mcp-Name with requests about tasks.',
    'none',
    () => undefined,
  ),
  naming(
    'client-task-named-after-its-tool',
    'The client sends the name of the tool as Mcp-Name with requests about tasks.',
    'other',
    () => 'test_simple_text',
  ),
];
