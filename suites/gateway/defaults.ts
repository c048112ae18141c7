/** Members that say the same as their absence: a gateway that adds or drops them changes nothing. */

import { isObject, type Json, type JsonObject, without } from '../../spec/json-rpc.js';

/** A result without members that say the same as their absence. */
export function withoutDefaults(result: JsonObject): JsonObject {
  const own = result.isError === false ? without(result, 'isError') : result;
  if (!isObject(own.inputRequests)) return own;
  const questions = Object.entries(own.inputRequests).map(([name, question]): [string, Json] => [
    name,
    isObject(question) && isObject(question.params)
      ? { ...question, params: withoutMode(question.params) }
      : question,
  ]);
  return { ...own, inputRequests: Object.fromEntries(questions) };
}

/** A prompt without arguments may have an empty list of them. */
export const withoutEmpty = (item: JsonObject): JsonObject =>
  Array.isArray(item.arguments) && item.arguments.length === 0 ? without(item, 'arguments') : item;

/** The parameters of a request of the server; an elicitation without a mode is a form. */
export const withoutMode = (params: JsonObject): JsonObject =>
  params.mode === 'form' ? without(params, 'mode') : params;

/** Capabilities, without members that declare nothing; elicitation without a mode declares forms. */
export function declared(capabilities: JsonObject): JsonObject {
  const own = Object.entries(capabilities).map(([name, value]): [string, Json] => {
    if (!isObject(value)) return [name, value];
    const members = Object.entries(value).filter(([, item]) => item !== false);
    return [
      name,
      name === 'elicitation' && members.length === 0 ? { form: {} } : Object.fromEntries(members),
    ];
  });
  const { experimental, ...others } = Object.fromEntries(own);
  return isObject(experimental) && Object.keys(experimental).length > 0
    ? { ...others, experimental }
    : others;
}
