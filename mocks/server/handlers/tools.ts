/** server/tools. */

import { declares } from '../../../harness/record/conversation.js';
import { isObject, type JsonObject } from '../../../spec/json-rpc.js';
import { firstSchemaError } from '../../schema-check.js';
import { ServerCall } from '../call.js';
import { asLongTask, becomesLongTask } from '../extensions/tasks.js';
import type { Call, Tool } from '../interfaces.js';
import { codes, Refusal, RequestFailure } from '../refusal.js';
import { inRevision, listed } from '../world.js';
import type { Handler } from './handler.js';

const list = (params: JsonObject, call: Call): JsonObject =>
  listed('tools', call.session.world.tools, params, call);

const failure = (text: string): JsonObject => ({ content: [{ type: 'text', text }], isError: true });

function run(params: JsonObject, call: Call): JsonObject | Promise<JsonObject> {
  const { session, scope } = call;
  const tool = session.world.tools.find(t => t.definition.name === params.name);
  const definition = tool && inRevision(tool, scope.features);
  if (!tool || !definition) throw new Refusal(codes.invalidParams, `Unknown tool: ${String(params.name)}`);
  const { gathers } = tool;
  if (gathers && becomesLongTask(tool, call)) {
    const given = isObject(params.arguments) ? params.arguments : {};
    return gathers(given, call).then(
      more =>
        asLongTask(tool, call, taskCall =>
          perform(tool, { ...params, arguments: { ...given, ...more } }, taskCall),
        )!,
    );
  }
  const announced = asLongTask(tool, call, taskCall => perform(tool, params, taskCall));
  if (announced) return announced;
  if (!declares(scope.capabilities, 'tasks.requests.tools.call')) return perform(tool, params, call);
  const support = isObject(definition.execution) ? definition.execution.taskSupport : undefined;
  const asTask = isObject(params.task);
  if (asTask && support !== 'optional' && support !== 'required')
    throw new Refusal(codes.methodNotFound, `${String(params.name)} does not support tasks.`);
  if (!asTask && support === 'required')
    throw new Refusal(codes.methodNotFound, `${String(params.name)} requires a task.`);
  return asTask
    ? session.tasks.create(
        params,
        task => new ServerCall(session, call.id, call.method, params, task),
        taskCall => perform(tool, params, taskCall),
      )
    : perform(tool, params, call);
}

function perform(tool: Tool, params: JsonObject, call: Call): JsonObject | Promise<JsonObject> {
  const { scope } = call;
  const given = isObject(params.arguments) ? params.arguments : {};
  const wrong = firstSchemaError(tool.definition.inputSchema as JsonObject, given);
  if (wrong) {
    // the model can learn only from results
    if (scope.features.argumentErrorsAsResult) return failure(`Invalid arguments: ${wrong}`);
    throw new Refusal(codes.invalidParams, `Invalid arguments: ${wrong}`);
  }
  try {
    const done = tool.run(given, call);
    return done instanceof Promise ? done.catch(failed) : done;
  } catch (error) {
    return failed(error);
  }
}

/** An error inside a tool is a result with `isError`, including an error response of the client. */
function failed(error: unknown): JsonObject {
  if (error instanceof RequestFailure) throw error;
  return failure(error instanceof Error ? error.message : String(error));
}

export const toolHandlers: Record<string, Handler> = {
  'tools/list': { needs: 'tools', run: list },
  'tools/call': { needs: 'tools', run },
};
