/** server/utilities/completion. */

import type { JsonObject } from '../../../spec/json-rpc.js';
import type { Call } from '../interfaces.js';
import { codes, Refusal } from '../refusal.js';
import { inRevision } from '../world.js';
import type { Handler } from './handler.js';

/** The specification limits the number of values in one response. */
const most = 100;

/**
 * The completions of a reference: argument names with their candidates. @throws {Refusal} for an unknown
 * reference
 */
function candidatesAt(
  ref: JsonObject,
  { session, scope }: Call,
): Readonly<Record<string, readonly string[]>> {
  const { world } = session;
  const { features } = scope;
  if (ref.type === 'ref/prompt') {
    const prompt = world.prompts.find(p => p.definition.name === ref.name && inRevision(p, features));
    if (!prompt) throw new Refusal(codes.invalidParams, `Unknown prompt: ${String(ref.name)}`);
    return prompt.completes ?? {};
  }
  const template = world.templates.find(t => t.definition.uriTemplate === ref.uri);
  if (template) return template.completes ?? {};
  // a plain URI has no variables to complete
  if (world.resources.some(r => r.definition.uri === ref.uri)) return {};
  throw new Refusal(codes.invalidParams, `Unknown resource: ${String(ref.uri)}`);
}

function complete(params: JsonObject, call: Call): JsonObject {
  const { name, value } = params.argument as { name: string; value: string };
  const candidates =
    Object.entries(candidatesAt(params.ref as JsonObject, call)).find(([n]) => n === name)?.[1] ?? [];
  const fitting = candidates.filter(candidate => candidate.toLowerCase().startsWith(value.toLowerCase()));
  return {
    completion: {
      values: fitting.slice(0, most),
      total: fitting.length,
      hasMore: fitting.length > most,
    },
  };
}

export const completionHandlers: Record<string, Handler> = {
  'completion/complete': { needs: 'completions', run: complete },
};
