/** Values for arguments of prompts and templates, taken from the completions of the server. */

import type { Peer } from '../../harness/peer/peer.js';
import { resultOf } from '../../harness/record/message.js';
import { isObject, type JsonObject } from '../../spec/json-rpc.js';

/** Prefixes to complete: the empty text, and one that begins an ordinary name on most servers. */
const beginnings = ['', '1'];

async function completed(peer: Peer, ref: JsonObject, name: string): Promise<string | undefined> {
  for (const value of beginnings) {
    const exchange = await peer.request('completion/complete', { ref, argument: { name, value } });
    const completion = resultOf(exchange)?.completion;
    const [first] = isObject(completion) && Array.isArray(completion.values) ? completion.values : [];
    if (typeof first === 'string' && first !== '') return first;
  }
  return undefined;
}

/**
 * The first value that the server offers for each argument.
 * @param ref the prompt or template, as completion refers to it
 * @returns undefined when the server offers no value for an argument
 */
export async function completedArguments(
  peer: Peer,
  ref: JsonObject,
  names: readonly string[],
): Promise<Record<string, string> | undefined> {
  const values: Record<string, string> = {};
  for (const name of names) {
    const value = await completed(peer, ref, name);
    if (value === undefined) return undefined;
    values[name] = value;
  }
  return values;
}
