/** Input-required results step by step: the answers of the harness, and the retry. */

import type { Peer } from '../../harness/peer/peer.js';
import { type Exchange, errorOf, resultOf } from '../../harness/record/message.js';
import type { Known } from '../../harness/scenario/scenario.js';
import { isObject, type Json, type JsonObject } from '../../spec/json-rpc.js';

export const isInputRequired = (exchange: Exchange): boolean =>
  resultOf(exchange)?.resultType === 'input_required';

/** Whether a result has questions for the client: one with requestState alone asks for a retry, not for input. */
export function asksClient(exchange: Exchange): boolean {
  const { inputRequests } = resultOf(exchange) ?? {};
  return isInputRequired(exchange) && isObject(inputRequests) && Object.keys(inputRequests).length > 0;
}

/** What a call got, as the actual behaviour of an expectation. */
export function outcomeOf(exchange: Exchange): string {
  const error = errorOf(exchange);
  if (error) return `error ${error.code} ${JSON.stringify(error.message)}`;
  const result = resultOf(exchange);
  if (!result) return 'no response';
  if (asksClient(exchange)) return 'an input-required result with questions';
  if (isInputRequired(exchange)) return 'an input-required result without inputRequests';
  return result.isError === true ? 'a result with isError: true' : 'a complete result';
}

/** A complete result that reports no failure of the tool. */
export const isCompleted = (exchange: Exchange): boolean => {
  const result = resultOf(exchange);
  return result !== undefined && !isInputRequired(exchange) && result.isError !== true;
};

/** The answers of the harness to all questions of a result. */
export async function answersTo(peer: Peer, exchange: Exchange): Promise<JsonObject> {
  const { inputRequests } = resultOf(exchange)!;
  const answers: [string, JsonObject][] = [];
  for (const [key, asked] of Object.entries(isObject(inputRequests) ? inputRequests : {}))
    if (isObject(asked)) answers.push([key, (await peer.answerTo(asked, exchange.reply!)) ?? {}]);
  return Object.fromEntries(answers);
}

/** The params of a retry with these answers. */
export function retryOf(call: JsonObject, exchange: Exchange, inputResponses: Json): JsonObject {
  const { requestState } = resultOf(exchange)!;
  return { ...call, inputResponses, ...(requestState !== undefined && { requestState }) };
}

/** Calls of the tools of the official suite that ask for input, as far as the server has them. */
export const officialCalls = ({ tools }: Known): JsonObject[] =>
  ['request_state', 'tampered_state', 'multi_round']
    .map(name => `test_input_required_result_${name}`)
    .filter(name => tools.some(tool => tool.name === name))
    .map(name => ({ name, arguments: {} }));
