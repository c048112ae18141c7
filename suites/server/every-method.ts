/** One request of each method that this server serves, for what holds for every method. */

import type { Ask } from '../../harness/generate/requests.js';
import type { Peer } from '../../harness/peer/peer.js';
import { isReadOnly } from '../../harness/record/capabilities.js';
import type { Known } from '../../harness/scenario/scenario.js';
import { isServed, plainAsks } from './generated/values.js';
import { sampled } from './lists.js';
import { plainAsk } from './prompts.js';

/** A call of a tool that changes nothing and is not slow. */
export function toolCall({ callable, slowTools, tools }: Known): Ask[] {
  const isHarmless = (name: string) => isReadOnly(tools.find(tool => tool.name === name) ?? {});
  const tool = callable.find(({ name }) => !slowTools.has(name) && isHarmless(name));
  return tool ? [{ method: 'tools/call', params: { ...tool } }] : [];
}

/** Each prompt, with plain arguments. */
export const promptAsks = ({ prompts }: Known) =>
  prompts.map(prompt => ({ method: 'prompts/get', params: plainAsk(prompt) }));

/** Each resource; those of different types come first. */
export const resourceAsks = ({ resources }: Known) =>
  sampled(resources, resources.length).map(({ uri = '' }) => ({ method: 'resources/read', params: { uri } }));

/** Requests that get a result with sound metadata, one of each method; each is sent once in a conversation. */
export async function servedAsks(peer: Peer, known: Known): Promise<Ask[]> {
  const asks = [...plainAsks(peer, known), ...toolCall(known)];
  const served = await Promise.all(asks.map(ask => isServed(peer, ask)));
  return asks.filter((_, at) => served[at]);
}
