/** What the reference client answers to the server's requests, and hears in its notifications. */

import { existsSync } from 'node:fs';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { declares } from '../../harness/history.js';
import { plainObject } from '../../harness/sample.js';
import type { Manner } from '../../harness/script.js';
import { isObject, type Json, type JsonObject } from '../../spec/json-rpc.js';
import { featuresOf } from '../features.js';
import { misfit } from '../handlers/tools.js';
import { codes, Refusal } from '../refusal.js';

import { complete } from './model.js';
import type { ClientSession } from './session.js';

interface Decision {
  readonly manner: Manner;
  readonly content: Json | undefined;
}

/** client/sampling#error-handling: the code for a user who says no. */
const rejected = -1;

export class Answers {
  private readonly decisions = new Map<string, Decision>();

  /** The user decides how a method is answered from now on. */
  decide(method: string, manner: Manner, content: Json | undefined): void {
    this.decisions.set(method, { manner, content });
  }

  /** @throws {Refusal} to answer with an error */
  async answer(ask: JsonObject, session: ClientSession, _signal: AbortSignal): Promise<JsonObject> {
    const method = String(ask.method);
    if (method === 'ping') return {};
    const params = isObject(ask.params) ? ask.params : {};
    const { manner, content } = this.decisions.get(method) ?? { manner: 'accept', content: undefined };
    const capability = features[method];
    if (!capability || !declares(session.declared, capability))
      throw new Refusal(codes.methodNotFound, `There is no method "${method}".`);
    const { habits } = session.parts;
    if (method === 'roots/list') {
      if (manner === 'refuse') throw new Refusal(codes.internalError, 'The roots cannot be listed.');
      const roots = Array.isArray(content) ? content.filter(isObject) : [ownRoot];
      return { roots: habits.checksRoots ? roots.filter(isSafe) : roots };
    }
    if (manner === 'refuse') throw new Refusal(rejected, 'The user said no.');
    return method === 'sampling/createMessage'
      ? this.sample(params, content, session)
      : elicit(params, { manner, content }, session);
  }

  private sample(params: JsonObject, content: Json | undefined, session: ClientSession): JsonObject {
    const asksForTools = params.tools !== undefined || params.toolChoice !== undefined;
    if (
      asksForTools &&
      !declares(session.declared, 'sampling.tools') &&
      session.parts.habits.refusesUndeclared
    )
      throw new Refusal(codes.invalidParams, 'This client has not declared sampling.tools.');
    const models =
      isObject(content) && Array.isArray(content.models) ? content.models.map(String) : undefined;
    report(params, session);
    return complete(params, models);
  }

  hear(message: JsonObject, session: ClientSession): void {
    const params = isObject(message.params) ? message.params : {};
    if (message.method === 'notifications/cancelled') session.drop(params.requestId);
  }
}

const features: Readonly<Record<string, string>> = {
  'roots/list': 'roots',
  'sampling/createMessage': 'sampling',
  'elicitation/create': 'elicitation',
};

const ownRoot: JsonObject = { uri: pathToFileURL(process.cwd()).href, name: 'here' };
/** Who is asked for it tells how the model is going. */
function report({ _meta: meta }: JsonObject, session: ClientSession): void {
  const { progressToken } = isObject(meta) ? meta : {};
  const { progressMessages } = featuresOf(session.revision);
  if (progressToken === undefined) return;
  for (const [progress, message] of [
    [1, 'Reading'],
    [2, 'Writing'],
  ] as const)
    void session.notify('notifications/progress', {
      progressToken,
      progress,
      total: 2,
      ...(progressMessages && { message }),
    });
}

/** client/roots#security-considerations: a folder that is there, by a path without detours. */
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
  session: ClientSession,
): JsonObject {
  const { habits } = session.parts;
  const declared = isObject(session.declared.elicitation) ? session.declared.elicitation : {};
  // nothing said means forms
  const modes = Object.keys(declared).length > 0 ? Object.keys(declared) : ['form'];
  if (!modes.includes(typeof mode === 'string' ? mode : 'form') && habits.refusesUndeclared)
    throw new Refusal(
      codes.invalidParams,
      `This client has not declared the mode ${String(mode ?? 'form')}.`,
    );
  if (manner !== 'accept') return { action: manner };
  if (mode === 'url') return { action: 'accept' };
  const schema = isObject(requestedSchema) ? requestedSchema : {};
  const given = isObject(content) ? content : plainObject(schema);
  // who types something that does not fit is asked again, and here gives up
  return habits.checksForms && misfit(schema, given)
    ? { action: 'cancel' }
    : { action: 'accept', content: given };
}
