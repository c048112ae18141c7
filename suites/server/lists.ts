/** The lists of the protocol, and those that this subject declares. */

import type { Peer } from '../../harness/peer/peer.js';
import { declares } from '../../harness/record/conversation.js';
import type { Message } from '../../harness/record/message.js';
import type { JsonObject } from '../../spec/json-rpc.js';

interface List {
  readonly method: string;
  /** The member of the result that contains the items. */
  readonly key: string;
  readonly capability: string;
  readonly changed: string;
}

const tools: List = {
  method: 'tools/list',
  key: 'tools',
  capability: 'tools',
  changed: 'notifications/tools/list_changed',
};

const all: readonly List[] = [
  tools,
  {
    method: 'prompts/list',
    key: 'prompts',
    capability: 'prompts',
    changed: 'notifications/prompts/list_changed',
  },
  {
    method: 'resources/list',
    key: 'resources',
    capability: 'resources',
    changed: 'notifications/resources/list_changed',
  },
];

export const declaredLists = (peer: Peer): List[] => all.filter(l => declares(peer.declared, l.capability));

/** Each declared list, and the list of templates, which is optional for a server with resources. */
export const pagedLists = (peer: Peer): List[] =>
  declaredLists(peer).flatMap(list =>
    list.capability === 'resources'
      ? [list, { ...list, method: 'resources/templates/list', key: 'resourceTemplates' }]
      : [list],
  );

/** The lists share no identifier for items; items with equal text are the same item. */
export const identity = (item: JsonObject): string => JSON.stringify(item);

/**
 * Calls the fixture tool that changes all lists, and returns the notification about one of them, if it came.
 */
export async function changeLists(peer: Peer, changed: string): Promise<Message | undefined> {
  const told = peer.waitFor(m => m.method === changed);
  await peer.request('tools/call', { name: 'test_list_change', arguments: {} });
  return told;
}

/** The number of the last event before all pages of the tools were listed, per conversation. */
const walked = new WeakMap<Peer, number>();

/**
 * Lists the tools, unless this conversation has listed them since their last change: rules compare results
 * with the listed definitions.
 */
export async function listTools(peer: Peer): Promise<void> {
  const before = walked.get(peer);
  const changes = peer.conversation.notifications({ by: 'subject', method: tools.changed });
  if (before !== undefined && !changes.some(m => m.seq > before)) return;
  walked.set(peer, peer.conversation.events.at(-1)?.seq ?? 0);
  await peer.list(tools.method, tools.key);
}
