/** Responses of the reference client to the server's requests, and its handling of notifications. */

import { existsSync } from 'node:fs';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { minimalObject } from '../../harness/generate/minimal.js';
import { declares } from '../../harness/record/conversation.js';
import type { Manner } from '../../harness/scenario/script.js';
import { isObject, type Json, type JsonObject } from '../../spec/json-rpc.js';
import { firstSchemaError } from '../schema-check.js';
import { featuresOf } from '../server/features.js';
import { codes, Refusal } from '../server/refusal.js';

import { HostAction } from './host-action.js';
import type { OpenSession } from './interfaces.js';
import { complete } from './model.js';

interface Decision {
  readonly manner: Manner;
  readonly content: Json | undefined;
}

/** client/sampling#error-handling: the code for a request that the user rejects. */
const rejected = -1;

export class Answers {
  private readonly decisions = new Map<string, Decision>();

  /** The user decides the responses to a method from now on. */
  decide(method: string, manner: Manner, content: Json | undefined): void {
    this.decisions.set(method, { manner, content });
  }

  /** @throws {Refusal} to respond with an error */
  async answer(ask: JsonObject, session: OpenSession, signal: AbortSignal): Promise<JsonObject> {
    const method = String(ask.method);
    if (method === 'ping') return {};
    const params = isObject(ask.params) ? ask.params : {};
    const capability = features[method];
    if (!capability || !declares(session.declared, capability))
      throw new Refusal(codes.methodNotFound, `There is no method "${method}".`);
    if (capability.startsWith('tasks')) return aboutTask(method, params, session, signal);
    if (method === 'roots/list') return this.roots(session);
    const runsAsTask =
      isObject(params.task) &&
      featuresOf(session.revision).tasks &&
      declares(session.declared, `tasks.requests.${method.replace('/', '.')}`);
    return runsAsTask
      ? session.tasks.create(
          params,
          task => new HostAction(session, params, task),
          job => this.perform(method, job, session),
        )
      : this.perform(method, new HostAction(session, params), session);
  }

  private decisionOn(method: string): Decision {
    return this.decisions.get(method) ?? { manner: 'accept', content: undefined };
  }

  private roots({ parts: { habits } }: OpenSession): JsonObject {
    const { manner, content } = this.decisionOn('roots/list');
    if (manner === 'refuse') throw new Refusal(codes.internalError, 'The roots cannot be listed.');
    const roots = Array.isArray(content) ? content.filter(isObject) : [ownRoot];
    return { roots: habits.checksRoots ? roots.filter(isSafe) : roots };
  }

  /** Runs the decision of the user or the model. */
  private async perform(method: string, job: HostAction, session: OpenSession): Promise<JsonObject> {
    const decision = this.decisionOn(method);
    await job.think();
    if (decision.manner === 'refuse') throw new Refusal(rejected, 'The user rejected the request.');
    return method === 'sampling/createMessage'
      ? sample(job.params, decision.content, session)
      : elicit(job.params, decision, session);
  }

  hear(message: JsonObject, session: OpenSession): void {
    const params = isObject(message.params) ? message.params : {};
    if (message.method === 'notifications/cancelled') session.drop(params.requestId);
  }
}

const features: Readonly<Record<string, string>> = {
  'roots/list': 'roots',
  'sampling/createMessage': 'sampling',
  'elicitation/create': 'elicitation',
  'tasks/get': 'tasks',
  'tasks/result': 'tasks',
  'tasks/list': 'tasks.list',
  'tasks/cancel': 'tasks.cancel',
};

/** Tasks on one page of a list. */
const pageSize = 5;

function aboutTask(
  method: string,
  { taskId, cursor }: JsonObject,
  { tasks }: OpenSession,
  signal: AbortSignal,
): JsonObject | Promise<JsonObject> {
  if (method === 'tasks/list') return tasks.list(cursor, pageSize, false);
  // no progress follows the response
  if (method === 'tasks/cancel') return tasks.get(taskId).work.reported.then(() => tasks.cancel(taskId));
  const task = tasks.get(taskId);
  return method === 'tasks/get' ? task.shown : task.result(signal);
}

function sample(params: JsonObject, content: Json | undefined, session: OpenSession): JsonObject {
  const asksForTools = params.tools !== undefined || params.toolChoice !== undefined;
  if (asksForTools && !declares(session.declared, 'sampling.tools') && session.parts.habits.refusesUndeclared)
    throw new Refusal(codes.invalidParams, 'This client has not declared sampling.tools.');
  const models = isObject(content) && Array.isArray(content.models) ? content.models.map(String) : undefined;
  return complete(params, models);
}

const ownRoot: JsonObject = { uri: pathToFileURL(process.cwd()).href, name: 'here' };

/** client/roots#security-considerations: an existing folder, by a path without detours. */
function isSafe({ uri }: JsonObject): boolean {
  const detour = /(^|[/\\])\.\.?($|[/\\])/;
  try {
    const text = decodeURIComponent(String(uri));
    return text.startsWith('file://') && !detour.test(text) && existsSync(fileURLToPath(String(uri)));
  } catch {
    return false;
  }
}

function elicit(
  { requestedSchema, mode }: JsonObject,
  { manner, content }: Decision,
  session: OpenSession,
): JsonObject {
  const { habits } = session.parts;
  const declared = isObject(session.declared.elicitation) ? session.declared.elicitation : {};
  // no declared mode means forms
  const modes = Object.keys(declared).length > 0 ? Object.keys(declared) : ['form'];
  if (!modes.includes(typeof mode === 'string' ? mode : 'form') && habits.refusesUndeclared)
    throw new Refusal(
      codes.invalidParams,
      `This client has not declared the mode ${String(mode ?? 'form')}.`,
    );
  if (manner !== 'accept') return { action: manner };
  if (mode === 'url') return { action: 'accept' };
  const schema = isObject(requestedSchema) ? requestedSchema : {};
  const given = isObject(content) ? content : minimalObject(schema);
  // invalid input is normally requested again; this client gives up
  return habits.checksForms && firstSchemaError(schema, given)
    ? { action: 'cancel' }
    : { action: 'accept', content: given };
}
