/** Helpers of several rules about HTTP exchanges. */

import { append } from '../../../harness/grouped.js';
import { type Conversation, derived, derivedBy } from '../../../harness/record/conversation.js';
import { beginsHandshake } from '../../../harness/record/handshake.js';
import type { HttpExchange } from '../../../harness/record/http-exchange.js';
import { idKey, isReply, isWellFormedRequest, type Message } from '../../../harness/record/message.js';
import { isObject, type Json } from '../../../spec/json-rpc.js';
import { isNotificationWithId } from './conversation.js';
import { resultIn, wantsTask } from './task-record.js';

export const method = (exchange: HttpExchange): string | undefined => exchange.request?.method;
export const succeeded = (exchange: HttpExchange): boolean =>
  exchange.status !== undefined && exchange.status >= 200 && exchange.status < 300;

/** POSTs of the harness that got a success status, and streams that it opened with GET. */
export const accepted = derivedBy((conversation: Conversation, verb: 'POST' | 'GET'): HttpExchange[] =>
  conversation.http().filter(e => method(e) === verb && succeeded(e)),
);

/**
 * The requests in a POST that need a response; an array may be refused as a whole, and a notification with an id may be
 * taken for a notification.
 */
export const asksOf = (exchange: HttpExchange): Message[] =>
  exchange.sent.filter(
    m => isWellFormedRequest(m) && !isNotificationWithId(m) && !(m.batched && m.frame.deliberate),
  );

/** Whether a POST contains notifications and responses only. */
export const asksNothing = (exchange: HttpExchange): boolean =>
  exchange.sent.length > 0 && exchange.sent.every(m => m.kind !== undefined && m.kind !== 'request');

/** Whether the request of an exchange is not deliberately invalid. */
export const isPolite = (exchange: HttpExchange): boolean => !exchange.request?.deliberate;

/**
 * Whether the headers of a request have their usual form. streamable-http.read-as-http judges other forms of the same
 * values, and streamable-http.media-types-read-as-http those of media types.
 */
export const hasUsualHeaders = ({ request }: HttpExchange): boolean =>
  request?.headers.every(
    ([name, value]) =>
      value === value.trim() && !(/^(accept|content-type)$/i.test(name) && /[A-Z;]/.test(value)),
  ) ?? true;

const isUsualPost = (exchange: HttpExchange): boolean =>
  method(exchange) === 'POST' &&
  isPolite(exchange) &&
  hasUsualHeaders(exchange) &&
  !exchange.sent.some(m => m.frame.deliberate);

/**
 * Whether a POST got status 500 without a cause in the requests of the harness: none that is invalid on purpose, and no
 * DELETE, came between the last POST that succeeded and this one.
 */
export function crashesAt(conversation: Conversation, post: HttpExchange): boolean {
  if (post.status !== 500 || conversation.transport !== 'streamable-http' || !isUsualPost(post)) return false;
  const before = conversation.http().filter(e => e.number < post.number);
  const served = before.findLastIndex(e => isUsualPost(e) && succeeded(e));
  return before.slice(served + 1).every(isUsualPost);
}

export const lastEventId = (exchange: HttpExchange): string | undefined =>
  exchange.requestHeader('last-event-id');

/** The exchange on which each event id was first seen. */
const seenOn = derived((conversation: Conversation): ReadonlyMap<string, HttpExchange> => {
  const map = new Map<string, HttpExchange>();
  for (const exchange of conversation.http())
    for (const { id } of exchange.events) if (id && !map.has(id)) map.set(id, exchange);
  return map;
});

/**
 * The exchange whose stream a GET resumes; the GET itself when it resumes none, undefined when the stream is
 * unknown.
 */
export function originOf(conversation: Conversation, exchange: HttpExchange): HttpExchange | undefined {
  let at = exchange;
  for (let steps = 0; steps < 100; steps++) {
    const last = lastEventId(at);
    if (last === undefined) return at;
    const before = seenOn(conversation).get(last);
    if (!before || before === at) return undefined;
    at = before;
  }
  return undefined;
}

/** The exchanges that resume a stream, by the exchange that opened the stream. */
const resumptions = derived((conversation: Conversation) => {
  const map = new Map<HttpExchange, HttpExchange[]>();
  for (const e of conversation.http()) {
    const from = lastEventId(e) === undefined ? undefined : originOf(conversation, e);
    if (from && from !== e) append(map, from, e);
  }
  return map;
});

/** The connections of a stream: the one that opened it, and those that resumed it. */
export const connectionsOf = (conversation: Conversation, origin: HttpExchange): HttpExchange[] => [
  origin,
  ...(resumptions(conversation).get(origin) ?? []),
];

/** All messages that arrived on a stream, over all its connections. */
export const receivedOn = (conversation: Conversation, origin: HttpExchange): Message[] =>
  connectionsOf(conversation, origin).flatMap(e => e.received);

/** Whether a reply on the stream of a POST belongs to its request; another row reports an incorrect id. */
export const answers = (reply: Message, request: Message, post: HttpExchange): boolean =>
  isReply(reply) && (reply.idKey === request.idKey || post.sent.length === 1);

/** The token of a progress notification, or the progress token of a request. */
export function tokenOf(m: Message): Json | undefined {
  if (m.kind === 'notification')
    return m.method === 'notifications/progress' ? m.params?.progressToken : undefined;
  const meta = m.params?._meta;
  return isObject(meta) ? meta.progressToken : undefined;
}

/** The exchanges whose request asked for progress, by progress token. */
const progressRequests = derived((conversation: Conversation) => {
  const map = new Map<string, HttpExchange[]>();
  for (const request of conversation.requests({ by: 'peer' })) {
    const exchange = conversation.httpOf(request);
    const key = idKey(tokenOf(request));
    if (exchange) append(map, key, exchange);
  }
  return map;
});

/** The POST whose request has the progress token of a notification; undefined when none has it. */
export function askerOf(conversation: Conversation, m: Message): HttpExchange | undefined {
  const token = m.kind === 'notification' ? tokenOf(m) : undefined;
  if (token === undefined) return undefined;
  const all = progressRequests(conversation).get(idKey(token)) ?? [];
  return all.find(e => e === conversation.httpOf(m)) ?? all.findLast(e => e.seq < m.seq);
}

/** Whether a POST began a task, or may have: messages about a task may arrive on any stream. */
export const mayHaveTask = (conversation: Conversation, post: HttpExchange): boolean =>
  conversation
    .exchanges({ by: 'peer' })
    .some(
      ({ request, reply }) =>
        conversation.httpOf(request) === post &&
        wantsTask(request) &&
        (!reply || isObject(resultIn(reply)?.task)),
    );

/**
 * A server that assigns no session id: each POST is independent, and a message of one POST is unknown in the
 * next.
 */
export const isStateless = derived((conversation: Conversation): boolean => {
  const { handshake, subject, transport } = conversation;
  const opened = handshake?.reply && conversation.httpOf(handshake.request);
  const none = opened !== undefined && opened.header('mcp-session-id') === undefined;
  return subject === 'server' && transport === 'streamable-http' && none;
});

/** Whether a POST lacks the session id that the server has assigned, or will assign: it may be refused in any way. */
export const lacksSession = (conversation: Conversation, exchange: HttpExchange): boolean =>
  exchange.requestHeader('mcp-session-id') === undefined &&
  conversation.http().some(e => e.header('mcp-session-id') !== undefined);

/**
 * The session to which an exchange belongs; each exchange without a session id that sends initialize is a
 * session of its own.
 */
export function sessionOf(exchange: HttpExchange): string {
  const opens = exchange.sent.some(beginsHandshake);
  const id = opens ? exchange.header('mcp-session-id') : exchange.requestHeader('mcp-session-id');
  return id ?? (opens ? `exchange ${exchange.number}` : '');
}

/** Status or failure, and media type of a response, as a short text. */
export const shown = (exchange: HttpExchange): string =>
  [exchange.status ?? exchange.end?.code ?? 'no response', exchange.contentType].filter(Boolean).join(' ');

/** Whether the connection of a POST broke before its response, so that the message may not have arrived. */
export function mayBeLost(conversation: Conversation, m: Message): boolean {
  const post = conversation.httpOf(m);
  return (
    post !== undefined && post.status === undefined && post.closedBy === 'error' && post.sent.includes(m)
  );
}

/** Whether a stream broke before a message, so that the record may lack earlier messages of the server. */
export const mayLackMessages = (conversation: Conversation, m: Message): boolean =>
  conversation.http().some(e => e.closedBy === 'error' && e.end!.seq < m.seq);
