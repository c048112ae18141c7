/** Tool calls whose duration is unknown. */

import type { Peer } from '../../harness/peer/peer.js';
import type { Exchange } from '../../harness/record/message.js';
import type { Known } from '../../harness/scenario/scenario.js';
import { asText, type JsonObject } from '../../spec/json-rpc.js';

/**
 * Sends a call that has to be refused. A slow tool is not silent: only where a usual call of the tool gets its response
 * in time, the wait for the refusal is that for any response, and a missing one counts.
 * @param usual a call of the same tool that the server accepts
 */
export async function callToRefuse(
  peer: Peer,
  usual: { readonly name: string; readonly arguments: JsonObject },
  params: JsonObject,
): Promise<Exchange> {
  const call = await peer.requestOrCancel('tools/call', params, { deliberate: true });
  if (call.reply || peer.ended) return call;
  const accepted = await peer.requestOrCancel('tools/call', { ...usual });
  return accepted.reply ? peer.request('tools/call', params, { deliberate: true }) : call;
}

/**
 * Calls each tool once: those that are known to be slow at the same time, the others one after the other.
 * @returns the exchanges in the order of the calls
 */
export async function callAll(
  peer: Peer,
  calls: readonly (JsonObject | Known['callable'][number])[],
  { slowTools }: Known,
): Promise<Exchange[]> {
  let last: Promise<unknown> = Promise.resolve();
  return Promise.all(
    calls.map(params => {
      const call = () => peer.requestOrCancel('tools/call', { ...params });
      if (slowTools.has(asText(params.name))) return call();
      const next = last.then(call);
      last = next;
      return next;
    }),
  );
}
