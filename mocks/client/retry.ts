/** The retry of a request of the reference client after an input-required result (basic/patterns/mrtr). */

import { isObject, type JsonObject } from '../../spec/json-rpc.js';
import { Failure } from './failure.js';

/** The additional members of a retry. @param answer answers one question */
export async function retryOf(
  { inputRequests, requestState }: JsonObject,
  answer: (asked: JsonObject) => Promise<JsonObject>,
): Promise<JsonObject> {
  const inputResponses: JsonObject = {};
  for (const [key, asked] of Object.entries(isObject(inputRequests) ? inputRequests : {})) {
    if (!isObject(asked)) throw new Failure('A question is not a request.');
    inputResponses[key] = await answer(asked);
  }
  return {
    ...(isObject(inputRequests) && { inputResponses }),
    ...(requestState !== undefined && { requestState }),
  };
}
