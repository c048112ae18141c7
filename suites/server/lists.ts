/** The lists of the protocol, and those that this subject declares. */

import { NotObserved } from '../../harness/peer/deferred.js';
import type { Peer } from '../../harness/peer/peer.js';
import { declares } from '../../harness/record/conversation.js';
import { type Exchange, errorOf, type Message } from '../../harness/record/message.js';
import { isNetworkFailure } from '../../harness/record/network-failure.js';
import { describe, type Expect } from '../../harness/scenario/expect.js';
import type { JsonObject } from '../../spec/json-rpc.js';
import type { RequirementId } from '../../spec/requirement.js';

export interface List {
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

/**
 * The lists share no identifier for items; items with equal text are the same item. A resource remains the same when its
 * size or date changes.
 */
export const identity = (item: JsonObject): string => JSON.stringify(item.uri ?? item);

/** Some items from all over a list: the first, the last, one of each further MIME type, and the middle one, then any. */
export function sampled(items: readonly JsonObject[], most: number): JsonObject[] {
  const [first, last, middle] = [items[0], items.at(-1), items[items.length >> 1]];
  const types = new Set([first?.mimeType, last?.mimeType]);
  const ofOtherTypes = items.filter(({ mimeType }) => !types.has(mimeType) && types.add(mimeType));
  const ordered = [first, last, ...ofOtherTypes, middle, ...items].filter(item => item !== undefined);
  return [...new Set(ordered)].slice(0, most);
}

/** Requests a list once, for the row whose rule judges the response. */
export async function requestList<Row extends RequirementId>(
  { peer, expect }: { peer: Peer; expect: Expect<Row> },
  row: Row,
  method: string,
): Promise<void> {
  const exchange = await peer.request(method);
  if (isNetworkFailure(exchange)) expect.notObserved(row, 'the server could not reach the network');
  // a response that is late is judged by the rule
  if (!exchange.reply && !exchange.deadline) expect(row, exchange).result();
}

/** Where each response is an error, no result has a shape to judge: the reason shows the first error. */
export function noteErrors(expect: Expect<'base.schema-valid'>, exchanges: readonly Exchange[]): void {
  const [first] = exchanges;
  if (!first || !exchanges.every(errorOf)) return;
  const { method } = first.request;
  expect.notObserved('base.schema-valid', `each ${method} gets an error; the first is ${describe(first)}`);
}

/** The number of the last event so far. */
export const lastSeq = ({ conversation }: Peer): number => conversation.events.at(-1)?.seq ?? 0;

const noStream = 'the server offers no stream for messages outside of responses';

/**
 * Does something that makes the server send a notification, and waits for it.
 * @throws {NotObserved} when the notification cannot arrive: the server offers no stream for it, which is legal, and
 * has ended the streams of its responses
 */
export async function provoked(
  peer: Peer,
  method: string,
  act: () => Promise<Exchange>,
  wait: { readonly isBrief?: boolean } = {},
): Promise<{ call: Exchange; told: Message | undefined }> {
  const from = lastSeq(peer);
  const told = peer.expected.notification(method, wait);
  const call = await act();
  const arrived = () =>
    peer.conversation.notifications({ by: 'subject', method }).find(({ seq }) => seq > from);
  if (peer.hasOwnStream || arrived()) return { call, told: await told };
  await peer.barrier();
  const late = arrived();
  if (!late) throw new NotObserved(noStream);
  return { call, told: late };
}

/** Whether the fixture tool that changes all lists makes the server send the notification about one of them. */
export async function checkListChange<Row extends RequirementId>(
  { peer, expect }: { peer: Peer; expect: Expect<Row> },
  row: Row,
  changed: string,
): Promise<void> {
  const [, list] = /notifications\/(\w+)\//.exec(changed)!;
  const listening = await peer.listen({ [`${list}ListChanged`]: true });
  const change = () => peer.request('tools/call', { name: 'test_list_change', arguments: {} });
  // a server that ignores the subscription is not likely to send the notification: a short wait is enough
  const { isIgnored = false } = listening;
  const { told } = await provoked(peer, changed, change, { isBrief: isIgnored });
  if (!told && isIgnored)
    expect.inconclusive(
      row,
      'subscriptions/listen is ignored (subscriptions.ack-first): there is no subscription to send the notification on',
    );
  else
    expect.that(row, {
      ok: !!told,
      expected: changed,
      evidence: [told ?? peer.conversation.messages.at(-1)],
      actual: 'none',
    });
  const { method, key } = all.find(one => one.changed === changed)!;
  const listed = async () => (await peer.list(method, key)).items.map(identity).sort().join();
  if (told) {
    const before = await listed();
    const { call, told: again } = await provoked(peer, changed, change);
    // another change of the list, seen in the list, gets a notification too
    if (!again && (await listed()) !== before)
      expect.that(row, {
        ok: false,
        expected: `${changed} after each change`,
        evidence: [told, call],
        actual: 'none after this change',
      });
  }
  await listening.stop();
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
  walked.set(peer, lastSeq(peer));
  await peer.list(tools.method, tools.key);
}
