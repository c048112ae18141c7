/** Changes of what the reference client does with tasks of the tasks extension. */

import { isObject, type Json, type JsonObject } from '../../spec/json-rpc.js';
import { paramsOf } from '../server/faults/shared.js';
import { type ClientMiddleware, onAsk, onBehaviour } from './fault.js';
import type { LongTaskHabits } from './long-task-habits.js';

/** Changes some of the habits. @param change is given the present ones */
export const onTaskHabits = (change: (habits: LongTaskHabits) => Partial<LongTaskHabits>): ClientMiddleware =>
  onBehaviour(({ longTasks }) => {
    Object.assign(longTasks, change(longTasks));
  });

/** Changes each answer in tasks/update. */
export const onTaskAnswer = (change: (answer: Json) => Json): ClientMiddleware =>
  onAsk('tasks/update', ask => {
    const { inputResponses } = paramsOf(ask);
    const answers = Object.entries(isObject(inputResponses) ? inputResponses : {}) as [string, Json][];
    const changed = Object.fromEntries(answers.map(([key, answer]) => [key, change(answer)]));
    return { ...ask, params: { ...paramsOf(ask), inputResponses: changed } };
  });

/** Changes the answers to elicitations of a task. */
export const onTaskDecision = (decision: JsonObject): ClientMiddleware =>
  onTaskAnswer(answer => (isObject(answer) && 'action' in answer ? decision : answer));
