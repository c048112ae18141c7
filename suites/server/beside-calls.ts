/** Calls of the tools of an unknown server while notifications about changes are awaited. */

import type { Peer } from '../../harness/peer/peer.js';
import { isReadOnly } from '../../harness/record/capabilities.js';
import { envelopeKeys } from '../../harness/record/envelope.js';
import { type Exchange, type Message, resultOf } from '../../harness/record/message.js';
import type { Known } from '../../harness/scenario/scenario.js';
import type { JsonObject } from '../../spec/json-rpc.js';
import { identity } from './lists.js';

const most = { tools: 8, resources: 10 };

const changed = /^notifications\/(\w+\/list_changed|resources\/updated)$/;

/** Words in the name of a tool that changes a list or a resource. */
const changes =
  /change|toggle|trigger|add|create|remove|delete|update|enable|disable|register|notify|touch|modify|publish/i;

/** Tools that are known to respond soon: first those whose names say that they change something, last those that only read. */
export function quickTools({ callable, slowTools, tools }: Known): Known['callable'] {
  // of tools with the same name, the first one counts
  const listed = new Map(tools.toReversed().map(tool => [tool.name, tool]));
  const rank = ({ name }: { name: string }): number =>
    isReadOnly(listed.get(name) ?? {}) ? 2 : changes.test(name) ? 0 : 1;
  const quick = callable.filter(tool => !slowTools.has(tool.name));
  return quick.toSorted((a, b) => rank(a) - rank(b)).slice(0, most.tools);
}

export const uris = ({ resources }: Known): string[] =>
  resources
    .map(resource => resource.uri)
    .filter(uri => typeof uri === 'string')
    .slice(0, most.resources);

/** Calls each tool once; without a handshake with a log level and a progress token. */
export async function callEach(peer: Peer, tools: Known['callable']): Promise<void> {
  for (const { name, arguments: args } of tools) {
    if (peer.ended) return;
    const meta: JsonObject = { progressToken: `beside-${peer.nextId()}` };
    if (peer.conversation.isStateless) meta[envelopeKeys.logLevel] = 'debug';
    await peer.requestOrCancel('tools/call', { name, arguments: args }, { meta });
  }
}

export const changesSince = ({ conversation }: Peer, seq: number): Message[] =>
  conversation.notifications({ by: 'subject' }).filter(m => m.seq > seq && changed.test(m.method ?? ''));

/** The tools on all pages, in any order; undefined when a page is missing. */
export async function toolsOf(peer: Peer): Promise<{ names: string; last: Exchange } | undefined> {
  const { items, exchanges } = await peer.list('tools/list', 'tools');
  const last = exchanges.at(-1);
  if (!last || !exchanges.every(resultOf)) return undefined;
  return { names: items.map(identity).sort().join(), last };
}
