/** Responses of the reference client to requests that belong to a task. */

import { isObject, type JsonObject } from '../../spec/json-rpc.js';
import { relatedTask } from '../tasks.js';

/**
 * basic/utilities/tasks#associating-task-related-messages: the response names the task that the request
 * named.
 */
export function withTask(result: JsonObject, { method, params }: JsonObject): JsonObject {
  // there the id is in the body
  if (String(method).startsWith('tasks/')) return result;
  const meta = isObject(params) && isObject(params._meta) ? params._meta : {};
  const { [relatedTask]: related } = meta;
  if (related === undefined) return result;
  return { ...result, _meta: { [relatedTask]: related } };
}
