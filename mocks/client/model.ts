/** The simulated model of the reference client: its responses are short and follow the request. */

import { minimalObject } from '../../harness/generate/minimal.js';
import { isObject, type Json, type JsonObject } from '../../spec/json-rpc.js';
import { codes, Refusal } from '../server/refusal.js';

const objects = (value: Json | undefined): JsonObject[] =>
  Array.isArray(value) ? value.filter(isObject) : [];

const blocksOf = ({ content }: JsonObject): JsonObject[] =>
  isObject(content) ? [content] : objects(content);

const isA = (type: string) => (block: JsonObject) => block.type === type;

/**
 * Responds to a sampling request.
 * @param models names of the models; the first one is used when no hint matches
 * @throws {Refusal} for tool results that do not match the preceding tool uses
 */
export function complete(params: JsonObject, models: readonly string[] = ['mock-model']): JsonObject {
  const messages = objects(params.messages);
  checkResults(messages);
  const model = choose(params.modelPreferences, models);
  const tool = toolToUse(params, messages);
  if (!tool)
    return {
      role: 'assistant',
      content: { type: 'text', text: 'The reference client has no model.' },
      model,
      stopReason: 'endTurn',
    };
  const input = minimalObject(isObject(tool.inputSchema) ? tool.inputSchema : {});
  const use = { type: 'tool_use', id: `use-${messages.length}`, name: tool.name!, input };
  return { role: 'assistant', content: [use], model, stopReason: 'toolUse' };
}

/** client/sampling#tool-result-messages: a message has only tool results, one for each tool use. */
function checkResults(messages: readonly JsonObject[]): void {
  for (const [at, message] of messages.entries()) {
    const blocks = blocksOf(message);
    const results = blocks.filter(isA('tool_result'));
    if (results.length > 0 && results.length < blocks.length)
      throw new Refusal(codes.invalidParams, 'Tool results are mixed with other content.');
    const wanted = blocks.filter(isA('tool_use')).map(use => use.id);
    const given = blocksOf(messages[at + 1] ?? {}).filter(isA('tool_result'));
    if (wanted.some(id => !given.some(result => result.toolUseId === id)))
      throw new Refusal(codes.invalidParams, 'The result of a tool use is missing.');
  }
}

/**
 * client/sampling#model-preferences: the first hint that is a substring of a name, otherwise the first model.
 */
function choose(preferences: Json | undefined, models: readonly string[]): string {
  for (const { name } of objects(isObject(preferences) ? preferences.hints : undefined)) {
    const found = typeof name === 'string' && models.find(model => model.includes(name));
    if (found) return found;
  }
  return models[0]!;
}

/** Uses the first tool once, unless the tool choice is none. */
function toolToUse(
  { tools, toolChoice }: JsonObject,
  messages: readonly JsonObject[],
): JsonObject | undefined {
  const used = messages.some(message => blocksOf(message).some(isA('tool_result')));
  const mode = isObject(toolChoice) ? toolChoice.mode : 'auto';
  return used || mode === 'none' ? undefined : objects(tools)[0];
}
