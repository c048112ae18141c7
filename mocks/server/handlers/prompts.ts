/** server/prompts. */

import { isObject, type JsonObject } from '../../../spec/json-rpc.js';
import type { Call } from '../interfaces.js';
import { codes, Refusal } from '../refusal.js';
import { inRevision, listed } from '../world.js';
import type { Handler } from './handler.js';

const list = (params: JsonObject, call: Call): JsonObject =>
  listed('prompts', call.session.world.prompts, params, call);

function get(params: JsonObject, call: Call): JsonObject | Promise<JsonObject> {
  const { session, scope } = call;
  const prompt = session.world.prompts.find(p => p.definition.name === params.name);
  const definition = prompt && inRevision(prompt, scope.features);
  if (!prompt || !definition)
    throw new Refusal(codes.invalidParams, `Unknown prompt: ${String(params.name)}`);
  const given = isObject(params.arguments) ? params.arguments : {};
  const known = Array.isArray(definition.arguments) ? definition.arguments.filter(isObject) : [];
  const missing = known.find(a => a.required === true && typeof given[String(a.name)] !== 'string');
  if (missing) throw new Refusal(codes.invalidParams, `The argument "${String(missing.name)}" is missing.`);
  const description = String(definition.description);
  const messages = prompt.get(given as Record<string, string>, call);
  return messages instanceof Promise
    ? messages.then(all => ({ description, messages: all }))
    : { description, messages };
}

export const promptHandlers: Record<string, Handler> = {
  'prompts/list': { needs: 'prompts', run: list },
  'prompts/get': { needs: 'prompts', run: get },
};
