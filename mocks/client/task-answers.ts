/** The answers of the reference client to the questions of a task, changed. */

import { isObject, type Json, type JsonObject } from '../../spec/json-rpc.js';
import { paramsOf } from '../server/faults/shared.js';
import { type ClientMiddleware, onAsk } from './fault.js';

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
