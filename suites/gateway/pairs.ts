/** Finds for each message on one side of a gateway what it became on the other side. */

import { grouped } from '../../harness/grouped.js';
import type { Conversation } from '../../harness/record/conversation.js';
import { handshakeMethods } from '../../harness/record/handshake.js';
import { type Exchange, idKey, isReply, type Message } from '../../harness/record/message.js';
import type { Passage } from '../../harness/scenario/gateway.js';
import { canonicalJson, isObject, type Json, type JsonObject, without } from '../../spec/json-rpc.js';
import { type Vocabulary, vocabularyOf } from '../../spec/vocabulary.js';

/** A message with its conversation. */
export interface Item {
  readonly message: Message;
  readonly conversation: Conversation;
}

/** A message that one side sent, and what arrived on the other side. */
export interface Trip {
  readonly sent: Item;
  readonly arrived: Item | undefined;
  /** Further arrivals with the same content. */
  readonly copies: readonly Item[];
}

interface Pairs {
  /** Requests of the client. */
  readonly requests: readonly Trip[];
  /** Requests of the server. */
  readonly serverRequests: readonly Trip[];
  readonly clientNotifications: readonly Trip[];
  readonly serverNotifications: readonly Trip[];
  /** Messages that arrived without a source. */
  readonly added: readonly Item[];
  /** Whether requests arrive in the era in which they were sent: then nothing is translated. */
  readonly sameEra: boolean;
}

const known = new WeakMap<Passage, Pairs>();

export function pairsOf(passage: Passage): Pairs {
  const pairs = known.get(passage) ?? compute(passage);
  known.set(passage, pairs);
  return pairs;
}

/** Methods that a gateway may use for itself. */
const ofItself: ReadonlySet<string> = new Set([
  handshakeMethods.request,
  handshakeMethods.notification,
  'server/discover',
  'ping',
  'tools/list',
  'prompts/list',
  'resources/list',
  'resources/templates/list',
  'tasks/list',
  'logging/setLevel',
  'resources/subscribe',
  'resources/unsubscribe',
  'subscriptions/listen',
  'notifications/subscriptions/acknowledged',
  'notifications/cancelled',
  'notifications/message',
]);

const isOfItself = ({ method }: Message): boolean => ofItself.has(method ?? '');

/** Requests that open a conversation, or only show that it is alive. */
const aside: ReadonlySet<string> = new Set([handshakeMethods.request, 'server/discover', 'ping']);

function compute({ front, back }: Passage): Pairs {
  const of = (
    conversations: readonly Conversation[],
    by: 'client' | 'server',
    kind: Message['kind'],
  ): Item[] =>
    conversations
      .flatMap(conversation =>
        conversation.messages
          .filter(m => m.by === by && m.kind === kind)
          .map(message => ({ message, conversation })),
      )
      .sort((a, b) => a.message.seq - b.message.seq);
  const isWork = ({ message: { method } }: Item) => !aside.has(method ?? '');
  const requests = match(
    of(front, 'client', 'request').filter(isWork),
    of(back, 'client', 'request'),
    contentOf,
  );
  const serverRequests = match(
    of(back, 'server', 'request').filter(isWork),
    of(front, 'server', 'request'),
    contentOf,
  );
  const about = aboutTrip(requests.trips, serverRequests.trips);
  const content = (item: Item): string => `${about(item)} ${contentOf(item)}`;
  const isNews = ({ message: { method } }: Item) => method !== handshakeMethods.notification;
  const down = match(
    of(front, 'client', 'notification').filter(isNews),
    of(back, 'client', 'notification').filter(isNews),
    content,
  );
  const up = match(of(back, 'server', 'notification'), of(front, 'server', 'notification'), content);
  const sameEra = isSameEra(requests.trips, front, back);
  const isCommon = sameEra ? () => true : commonTo(front, back);
  const common = ({ trips }: { trips: readonly Trip[] }) => trips.filter(t => isCommon(t.sent));
  return {
    requests: common(requests),
    serverRequests: common(serverRequests),
    clientNotifications: common(down),
    serverNotifications: common(up),
    added: [requests, serverRequests, down, up]
      .flatMap(({ left }) => left)
      .filter(item => !isOfItself(item.message) && isCommon(item)),
    sameEra,
  };
}

/** A gateway may try the other era first: only conversations with the requests of its client count, where there are any. */
function isSameEra(requests: readonly Trip[], front: readonly Conversation[], back: readonly Conversation[]) {
  const arrived = requests.flatMap(({ arrived: to }) => (to ? [to.conversation] : []));
  const era = front[0]?.revision.era;
  return (arrived.length > 0 ? arrived : back).every(c => c.revision.era === era);
}

/**
 * What a gateway translates in place of passing it on: messages that one of the eras does not have, and the answers to
 * questions, which one era sends as responses and the other with the repeated request.
 */
function commonTo(front: readonly Conversation[], back: readonly Conversation[]): (item: Item) => boolean {
  const all = [...new Set([...front, ...back].map(c => c.revision))].map(vocabularyOf);
  return ({ message: { by, kind, method, params } }) => {
    const has = ({ requests, notifications }: Vocabulary) =>
      (kind === 'request' ? requests : notifications)[by].has(method ?? '');
    return params?.inputResponses === undefined && params?.requestState === undefined && all.every(has);
  };
}

/** Pairs what was sent with what arrived: equal content first, then the same method in the order of sending. */
function match(sent: readonly Item[], arrived: readonly Item[], content: (item: Item) => string) {
  const free = new Set(arrived);
  const byContent = grouped(arrived, content);
  const found = new Map<Item, Item>();
  const take = (item: Item, candidates: readonly Item[]) => {
    // a relay passes bytes on before it records them: an arrival may be recorded first
    const target = candidates.find(c => free.has(c));
    if (!target) return;
    free.delete(target);
    found.set(item, target);
  };
  for (const item of sent) take(item, byContent.get(content(item)) ?? []);
  const byName = grouped(arrived, nameOf);
  for (const item of sent) if (!found.has(item)) take(item, byName.get(nameOf(item)) ?? []);
  const byMethod = grouped(arrived, ({ message }) => message.method ?? '');
  for (const item of sent) if (!found.has(item)) take(item, byMethod.get(item.message.method ?? '') ?? []);
  const trips = sent.map((item): Trip => {
    const target = found.get(item);
    return { sent: item, arrived: target, copies: [] as Item[] };
  });
  const contents = grouped(
    trips.filter(t => t.arrived),
    t => content(t.arrived!),
  );
  for (const item of [...free]) {
    const [original] = contents.get(content(item)) ?? [];
    if (!original || (isOfItself(item.message) && item.message.method !== 'notifications/message')) continue;
    free.delete(item);
    (original.copies as Item[]).push(item);
  }
  return { trips, left: [...free] };
}

/** The tool, prompt or resource that a request is about. */
const nameOf = ({ message: { method, params } }: Item): string =>
  `${method} ${String(params?.name ?? params?.uri ?? params?.progress ?? '')}`;

/** Content without what a gateway may number anew. */
function contentOf({ message: { method, params } }: Item): string {
  const rest = without(params ?? {}, '_meta', 'progressToken', 'requestId', 'requestState');
  return `${method} ${canonicalJson(rest)}`;
}

/** A name for the request that a notification is about; empty for others. */
function aboutTrip(requests: readonly Trip[], serverRequests: readonly Trip[]) {
  const names = new Map<string, string>();
  for (const [at, trip] of [...requests, ...serverRequests].entries())
    for (const item of [trip.sent, trip.arrived]) {
      if (!item) continue;
      const { link } = item.conversation;
      names.set(`${link} id ${item.message.by} ${item.message.idKey}`, `#${at}`);
      const token = tokenOf(item.message);
      if (token === undefined) continue;
      const name = `${link} token ${item.message.by} ${idKey(token)}`;
      names.set(name, `#${at}`);
      names.set(`${name} ${item.message.frame.exchange}`, `#${at}`);
    }
  return ({ message: { by, method, params, frame }, conversation: { link } }: Item): string => {
    const asker = by === 'client' ? 'server' : 'client';
    if (method === 'notifications/progress') {
      const name = `${link} token ${asker} ${idKey(params?.progressToken)}`;
      // without sessions several clients may use one token: the stream tells them apart
      return names.get(`${name} ${frame.exchange}`) ?? names.get(name) ?? '?';
    }
    if (method === 'notifications/cancelled')
      return names.get(`${link} id ${by} ${idKey(params?.requestId)}`) ?? '?';
    return '';
  };
}

export const metaIn = (params: JsonObject | undefined): JsonObject =>
  isObject(params?._meta) ? params._meta : {};

export const tokenOf = ({ params }: Message): Json | undefined => metaIn(params).progressToken;

/** Whether a progress notification is about a request: it has the token, and is on the stream of the request where one has both. */
export function isAbout({ message, conversation }: Item, asked: Item, requests: readonly Item[]): boolean {
  const hasToken = (one: Item) =>
    one.conversation === conversation &&
    canonicalJson(tokenOf(one.message)) === canonicalJson(message.params?.progressToken);
  if (!hasToken(asked)) return false;
  const { exchange } = message.frame;
  const isOfStream = (one: Item) => one.message.frame.exchange === exchange;
  return isOfStream(asked) || exchange === undefined || !requests.some(r => hasToken(r) && isOfStream(r));
}

/** The exchange of a request. */
export function exchangeOf({ message, conversation }: Item): Exchange {
  const replies = conversation.repliesTo(message).filter(isReply);
  // without sessions requests of several clients may have one id: the stream tells their responses apart
  const reply = replies.find(r => r.frame.exchange === message.frame.exchange) ?? replies[0];
  return { request: message, reply, deadline: conversation.deadlinesOf(message)[0] };
}

/** The first difference of two values, in words; undefined when they are equal. @param at the path so far */
export function difference(a: Json | undefined, b: Json | undefined, at = ''): string | undefined {
  if (isObject(a) && isObject(b)) {
    for (const name of new Set([...Object.keys(a), ...Object.keys(b)])) {
      const own = (from: JsonObject) => (Object.hasOwn(from, name) ? from[name] : undefined);
      const found = difference(own(a), own(b), `${at}/${name}`);
      if (found) return found;
    }
    return undefined;
  }
  if (Array.isArray(a) && Array.isArray(b) && a.length === b.length) {
    for (const [index, item] of a.entries()) {
      const found = difference(item, b[index], `${at}/${index}`);
      if (found) return found;
    }
    return undefined;
  }
  if (canonicalJson(a) === canonicalJson(b)) return undefined;
  return `${at || 'the value'} is ${brief(b)} instead of ${brief(a)}`;
}

function brief(value: Json | undefined): string {
  const text = value === undefined ? 'absent' : JSON.stringify(value);
  return text.length > 160 ? `${text.slice(0, 150)}…` : text;
}

/** Trips of requests that arrived, with both responses. */
export const answered = (trips: readonly Trip[]) =>
  trips.flatMap(({ sent, arrived }) => {
    if (!arrived) return [];
    return [{ sent, arrived, near: exchangeOf(sent), far: exchangeOf(arrived) }];
  });

export const isNote =
  (...methods: string[]) =>
  ({ sent }: Trip): boolean =>
    methods.includes(sent.message.method ?? '');

export const resultIn = (reply: Message | undefined): JsonObject | undefined =>
  isObject(reply?.json) && isObject(reply.json.result) ? reply.json.result : undefined;
