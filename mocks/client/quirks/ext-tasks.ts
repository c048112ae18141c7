/** Legal but unusual behaviours of clients of the tasks extension. */

import { isStateless } from '../../server/faults/shared.js';
import { type ClientDeviation, clientQuirk, onHttp } from '../fault.js';
import type { LongTaskHabits } from '../long-task-habits.js';
import { onTaskDecision, onTaskHabits } from '../long-task-middleware.js';

/** A client that treats tasks otherwise. @param shows facets of rows without their area */
const following = (
  id: string,
  what: string,
  shows: readonly string[],
  change: (habits: LongTaskHabits) => Partial<LongTaskHabits>,
): ClientDeviation =>
  clientQuirk(
    id,
    { what, shows: shows.map(facet => `ext-tasks.${facet}`), where: isStateless },
    onTaskHabits(change),
  );

export const extTaskQuirks: readonly ClientDeviation[] = [
  following(
    'client-task-watched',
    'The client subscribes to a task and does not poll it.',
    [
      'client-handles-both#subscribed',
      'client-polls-to-end#subscribed',
      'client-observes-after-update#subscribed',
    ],
    () => ({ listens: 'only' }),
  ),
  following(
    'client-task-watched-and-polled',
    'The client subscribes to a task and polls it too.',
    [],
    () => ({ listens: 'also' }),
  ),
  following(
    'client-task-polled-at-once',
    'The first poll of a task comes at once.',
    ['client-poll-interval#first-at-once'],
    ({ interval }) => ({
      interval: course => (course.polls === 0 ? 0 : interval(course)),
    }),
  ),
  following(
    'client-task-polled-slowly',
    'The client waits twice as long as suggested.',
    ['client-poll-interval#slower'],
    ({ interval }) => ({ interval: course => 2 * interval(course) }),
  ),
  following(
    'client-task-looked-at-after-its-end',
    'The client polls a task that has ended.',
    ['client-polls-to-end#after-end'],
    () => ({ pollsAfterEnd: 2 }),
  ),
  following(
    'client-task-answered-in-parts',
    'The client sends each answer in a request of its own.',
    ['client-answers-once#in-parts'],
    () => ({
      inParts: answers => Object.entries(answers).map(([key, answer]) => ({ [key]: answer })),
    }),
  ),
  following(
    'client-task-never-cancelled',
    'The client lets a task go on that its user no longer needs.',
    ['client-cancels-by-request#none'],
    () => ({ cancelsBy: 'nothing' }),
  ),
  following(
    'client-task-cancelled-soon',
    'The client cancels a task after its third poll, or after its answer.',
    ['client-polls-to-end#cancelled', 'client-observes-after-update#cancelled'],
    () => ({ goesOn: ({ polls, updates }) => updates === 0 && polls < 3, cancelsOnLeaving: true }),
  ),
  following(
    'client-task-cancelled-when-asked',
    'The client answers no question of a task, and cancels the task.',
    ['client-answers-input#cancelled'],
    () => ({ answers: () => false, goesOn: ({ polls }) => polls < 8, cancelsOnLeaving: true }),
  ),
  clientQuirk(
    'client-task-declines',
    {
      what: 'The client declines each elicitation of a task.',
      shows: ['ext-tasks.client-answers-input#declined'],
      where: isStateless,
    },
    onTaskDecision({ action: 'decline' }),
  ),
  clientQuirk(
    'client-task-id-encoded',
    {
      what: 'The client encodes the id of a task in Mcp-Name.',
      shows: ['ext-tasks.client-name-header#encoded'],
      where: isStateless,
      over: ['streamable-http'],
    },
    onHttp(ask => {
      const { 'mcp-name': name, 'mcp-method': method } = ask.headers;
      if (name === undefined || !method?.startsWith('tasks/')) return ask;
      const encoded = `=?base64?${Buffer.from(name).toString('base64')}?=`;
      return { ...ask, headers: { ...ask.headers, 'mcp-name': encoded } };
    }),
  ),
];
