/** The tasks extension: calls that become tasks, and the requests about them. */

import { declares } from '../../../harness/record/conversation.js';
import { extensionPath } from '../../../spec/extensions/index.js';
import { isObject, type JsonObject } from '../../../spec/json-rpc.js';
import { ServerCall } from '../call.js';
import type { Handler } from '../handlers/handler.js';
import type { Call, Tool } from '../interfaces.js';
import { codes, Refusal } from '../refusal.js';
import { taskStoreOf } from './task-store.js';

export const tasksExtension = 'io.modelcontextprotocol/tasks';
const needs = extensionPath(tasksExtension);

/** @throws {Refusal} for a request that does not declare the extension */
function requireTasks(call: Call): void {
  if (declares(call.scope.clientCapabilities, needs)) return;
  throw new Refusal(codes.missingClientCapability, 'The client has not declared the tasks extension.', {
    requiredCapabilities: { extensions: { [tasksExtension]: {} } },
  });
}

/** Whether a call becomes a task. @throws {Refusal} as `asLongTask` */
export function becomesLongTask({ definition: { execution } }: Tool, call: Call): boolean {
  const support = isObject(execution) ? execution.taskSupport : undefined;
  if (support !== 'optional' && support !== 'required') return false;
  if (!declares(call.scope.capabilities, needs)) return false;
  if (support === 'required') requireTasks(call);
  return declares(call.scope.clientCapabilities, needs);
}

/**
 * The announcement of the task that a call becomes; undefined when the call stays without one: the server decides by the
 * tool. @throws {Refusal} for a tool that works as a task only, when the client does not declare the extension
 */
export function asLongTask(
  tool: Tool,
  call: Call,
  perform: (call: Call) => JsonObject | Promise<JsonObject>,
): JsonObject | undefined {
  if (!becomesLongTask(tool, call)) return undefined;
  const task = taskStoreOf(call.session.world).create();
  const scope = { ...call.scope, logLevel: undefined, rounds: task };
  const work = new ServerCall(call.session, call.id, call.method, call.params, undefined, scope);
  // progress of tasks is not supported
  work.finished = true;
  task.work = work;
  // the work starts after the response is sent
  setTimeout(() => void task.run(() => perform(work)), 0);
  return { resultType: 'task', ...task.plain };
}

const find = ({ taskId }: JsonObject, call: Call) => {
  requireTasks(call);
  return taskStoreOf(call.session.world).get(taskId);
};

export const taskExtensionHandlers: Readonly<Record<string, Handler>> = {
  'tasks/get': { needs, run: (params, call) => find(params, call).detailed },
  'tasks/update': {
    needs,
    // answers without an open question are ignored, whatever they are
    ignores: /^\/params\/inputResponses\/./,
    run(params, call) {
      find(params, call).update(isObject(params.inputResponses) ? params.inputResponses : {});
      return {};
    },
  },
  'tasks/cancel': {
    needs,
    run(params, call) {
      find(params, call).cancel();
      return {};
    },
  },
};

/** The ids of a subscription that exist. @throws {Refusal} for a client that does not declare the extension */
export function subscribedTasks(ids: unknown, call: Call): string[] | undefined {
  if (!Array.isArray(ids) || !declares(call.scope.capabilities, needs)) return undefined;
  requireTasks(call);
  const store = taskStoreOf(call.session.world);
  return ids.filter((id): id is string => store.has(id));
}
