/** Input-required results step by step: the answers of the harness, and the retry. */

import { NotObserved } from '../../harness/peer/deferred.js';
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

/** Calls of the tools with these names that the official suite has for input, as far as the server has them. */
const inputCalls = ({ tools }: Known, names: readonly string[]): JsonObject[] =>
  names
    .map(name => `test_input_required_result_${name}`)
    .filter(name => tools.some(tool => tool.name === name))
    .map(name => ({ name, arguments: {} }));

/** Calls of the tools of the official suite that send a state. */
export const officialCalls = (known: Known): JsonObject[] =>
  inputCalls(known, ['request_state', 'tampered_state', 'multi_round']);

const sendsState = (exchange: Exchange): boolean =>
  isInputRequired(exchange) && typeof resultOf(exchange)?.requestState === 'string';

/**
 * Calls a tool that asks the client. A well-known tool may ask only a client with a handshake; then the tools are called
 * that the official suite has for revisions without one.
 * @param need.state whether the result has to contain a state
 * @throws {NotObserved} when none of the tools asks
 */
export async function askedBy(
  peer: Peer,
  known: Known,
  call: JsonObject,
  { state = false }: { state?: boolean } = {},
): Promise<{ call: JsonObject; asked: Exchange }> {
  const others = state ? officialCalls(known) : inputCalls(known, ['elicitation']);
  for (const one of [call, ...others]) {
    const asked = await peer.request('tools/call', one, { once: true });
    if (state ? sendsState(asked) : isInputRequired(asked)) return { call: one, asked };
  }
  throw new NotObserved(state ? 'the server sends no state' : 'the tool does not ask the client');
}
