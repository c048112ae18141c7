/** What a client does with tasks of the tasks extension: the decisions that deviations change. */

import type { JsonObject } from '../../spec/json-rpc.js';

export const tasksExtension = 'io.modelcontextprotocol/tasks';

/** The course of a task so far. */
export interface TaskCourse {
  /** The response that announced the task. */
  readonly announced: JsonObject;
  /** The last state. */
  readonly state: JsonObject;
  readonly polls: number;
  /** Requests with answers that were sent. */
  readonly updates: number;
}

export interface LongTaskHabits {
  /** Methods whose response may be a task. */
  methods: readonly string[];
  /** Milliseconds until the next poll. */
  interval: (course: TaskCourse) => number;
  /** Whether the client asks for the next state. */
  goesOn: (course: TaskCourse) => boolean;
  /** The client cancels a task with tasks/cancel when it gives it up. */
  cancelsOnLeaving: boolean;
  /** Whether a question is answered. @param isAnswered it was answered before */
  answers: (key: string, isAnswered: boolean) => boolean;
  /** The answers in each request with answers. */
  inParts: (answers: JsonObject) => readonly JsonObject[];
  /** Subscribes to the task: `only`, without polls, or `also`. */
  listens: 'no' | 'only' | 'also';
  /** Polls after the end of the task. */
  pollsAfterEnd: number;
  /** What cancels a task: tasks/cancel, or notifications/cancelled, or nothing. */
  cancelsBy: 'request' | 'notification' | 'nothing';
}

export const longTaskHabits = (): LongTaskHabits => ({
  methods: ['tools/call'],
  interval: ({ state }) => (typeof state.pollIntervalMs === 'number' ? state.pollIntervalMs : 50),
  goesOn: ({ polls }) => polls < 500,
  cancelsOnLeaving: false,
  answers: (_, isAnswered) => !isAnswered,
  inParts: answers => [answers],
  listens: 'no',
  pollsAfterEnd: 0,
  cancelsBy: 'request',
});
