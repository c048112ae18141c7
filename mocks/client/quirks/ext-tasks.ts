/** Legal but unusual behaviours of clients of the tasks extension. */

import { isStateless } from '../../server/faults/shared.js';
import { type ClientDeviation, clientQuirk, onBehaviour, onHttp } from '../fault.js';
import type { LongTaskHabits } from '../long-task-habits.js';

const following = (
  id: string,
  what: string,
  change: (habits: LongTaskHabits) => Partial<LongTaskHabits>,
): ClientDeviation =>
  clientQuirk(
    id,
    { what, where: isStateless },
    onBehaviour(({ longTasks }) => {
      Object.assign(longTasks, change(longTasks));
    }),
  );

export const extTaskQuirks: readonly ClientDeviation[] = [
  following('client-task-watched', 'The client subscribes to a task and does not poll it.', () => ({
    listens: 'only',
  })),
  following('client-task-watched-and-polled', 'The client subscribes to a task and polls it too.', () => ({
    listens: 'also',
  })),
  following('client-task-polled-at-once', 'The first poll of a task comes at once.', ({ interval }) => ({
    interval: course => (course.polls === 0 ? 0 : interval(course)),
  })),
  following('client-task-polled-slowly', 'The client waits twice as long as suggested.', ({ interval }) => ({
    interval: course => 2 * interval(course),
  })),
  following('client-task-looked-at-after-its-end', 'The client polls a task that has ended.', () => ({
    pollsAfterEnd: 2,
  })),
  following('client-task-answered-in-parts', 'The client sends each answer in a request of its own.', () => ({
    inParts: answers => Object.entries(answers).map(([key, answer]) => ({ [key]: answer })),
  })),
  following(
    'client-task-never-cancelled',
    'The client lets a task go on that its user no longer needs.',
    () => ({
      cancelsBy: 'nothing',
    }),
  ),
  clientQuirk(
    'client-task-id-encoded',
    {
      what: 'The client encodes the id of a task in Mcp-Name.',
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
