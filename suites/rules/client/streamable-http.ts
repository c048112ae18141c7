/** Streamable HTTP, clients: how requests are made. */

import { fail, pass } from '../../../harness/judge/finding.js';
import { rule } from '../../../harness/judge/rule.js';
import { type Conversation, derived } from '../../../harness/record/conversation.js';
import { beginsHandshake, handshakeMethods } from '../../../harness/record/handshake.js';
import type { HttpExchange } from '../../../harness/record/http-exchange.js';
import { isReply, resultOf } from '../../../harness/record/message.js';
import { isObject, parseJson } from '../../../spec/json-rpc.js';
import { method } from '../derived/http.js';

/** The addresses for messages: the address given to the client, and the targets of redirects since. */
const homes = derived((conversation: Conversation): ReadonlySet<string> => {
  const url = conversation.opened?.url ?? conversation.http()[0]?.request?.url ?? '';
  const found = new Set([target(url)]);
  for (const e of conversation.http()) {
    const to = e.status !== undefined && e.status >= 300 && e.status < 400 ? e.header('location') : undefined;
    if (to !== undefined && isHome(e, found) && URL.canParse(to, url))
      found.add(target(new URL(to, url).href));
  }
  return found;
});

/** The path without the host, which has many names, and without the query: the endpoint is a path. */
const target = (text: string): string => (URL.canParse(text) ? new URL(text).pathname : text);

const isHome = (e: HttpExchange, all: ReadonlySet<string>): boolean =>
  e.request !== undefined && all.has(target(e.request.url));

const atHome = derived((conversation: Conversation): readonly HttpExchange[] =>
  conversation.http().filter(e => isHome(e, homes(conversation))),
);

/** Whether a request opens a session. */
export const opens = (e: HttpExchange): boolean => e.sent.some(beginsHandshake);

/** Requests of the client to the MCP endpoint with one of the methods that the endpoint defines. */
export const toEndpoint = (
  conversation: Conversation,
  ...verbs: ('POST' | 'GET' | 'DELETE')[]
): HttpExchange[] => atHome(conversation).filter(e => verbs.some(verb => verb === method(e)));

/** The media types of an Accept header, without parameters. */
const listed = (e: HttpExchange): string[] =>
  (e.requestHeader('accept') ?? '')
    .split(',')
    // a weight of 0 excludes the type
    .filter(type => !/;\s*q\s*=\s*0(?:\.0*)?\s*(?:;|$)/i.test(type))
    .map(type => type.replace(/;.*/, '').trim().toLowerCase());

const shownAccept = (e: HttpExchange): string => e.requestHeader('accept') ?? 'no Accept header';

/** Whether a request has messages, also where no message is expected. */
const holdsMessages = (e: HttpExchange): boolean => {
  if (e.sent.length > 0) return true;
  const json = parseJson(e.requestBody);
  return (Array.isArray(json) ? json : [json]).some(item => isObject(item) && item.jsonrpc !== undefined);
};

/** The flaw in the content of a body. */
function flawOf(conversation: Conversation, post: HttpExchange): string | undefined {
  const frame = conversation.frames('subject').find(f => f.exchange === post.number);
  if (!frame) return 'no body';
  const json = parseJson(frame.text);
  if (json === undefined) return 'not JSON';
  if (!Array.isArray(json)) return undefined;
  if (!conversation.revision.batches) return 'an array';
  const replies = post.sent.filter(isReply).length;
  if (json.length === 0) return 'an empty array';
  return replies > 0 && replies < json.length ? 'responses and other messages in one array' : undefined;
}

export const rules = [
  rule('streamable-http.message-per-post', function* (conversation) {
    for (const e of conversation.http()) {
      if (!e.request) continue;
      const socket = e.requestHeader('upgrade')?.toLowerCase() === 'websocket';
      const home = isHome(e, homes(conversation));
      if (socket) yield fail('a POST', [e], 'an upgrade to WebSocket');
      else if (home && method(e) === 'POST') yield pass([e]);
      else if (holdsMessages(e)) {
        const where = home ? method(e) : `${method(e)} ${target(e.request.url)}`;
        yield fail('a POST to the MCP endpoint', [e], where);
      }
    }
  }),

  rule('streamable-http.post-accept', function* (conversation) {
    for (const e of toEndpoint(conversation, 'POST')) {
      const both = ['application/json', 'text/event-stream'].every(type => listed(e).includes(type));
      yield both ? pass([e]) : fail('application/json and text/event-stream', [e], shownAccept(e));
    }
  }),

  rule('streamable-http.get-accept', function* (conversation) {
    for (const e of toEndpoint(conversation, 'GET').filter(get => !asksWhoGuards(conversation, get)))
      yield listed(e).includes('text/event-stream')
        ? pass([e])
        : fail('text/event-stream', [e], shownAccept(e));
  }),

  rule('streamable-http.post-body', function* (conversation) {
    for (const e of toEndpoint(conversation, 'POST')) {
      // a body that broke off proves nothing, and another row reports invalid UTF-8
      if (e.requestBody !== undefined || e.sent[0]?.frame.invalidUtf8) continue;
      const flaw = flawOf(conversation, e);
      yield flaw ? fail('one JSON-RPC message', [e], flaw) : pass([e]);
    }
  }),

  rule('streamable-http.client-version-header', function* (conversation) {
    for (const e of afterHandshake(conversation)) {
      const named = e.requestHeader('mcp-protocol-version');
      yield named === undefined ? fail('MCP-Protocol-Version', [e], 'no such header') : pass([e]);
    }
  }),

  rule('streamable-http.client-version-header-negotiated', function* (conversation) {
    const { handshake, revision } = conversation;
    // the response to initialize names a version that does not exist, so no version was negotiated
    if (handshake && resultOf(handshake)?.protocolVersion !== revision.id) return;
    for (const e of afterHandshake(conversation)) {
      const named = e.requestHeader('mcp-protocol-version');
      if (named === undefined) continue;
      yield named === conversation.revision.id ? pass([e]) : fail(conversation.revision.id, [e], named);
    }
  }),
];

/**
 * Requests of the client from notifications/initialized on or, when the client never sends it, from its first
 * request after the handshake; without those that open another session.
 */
function afterHandshake(conversation: Conversation): HttpExchange[] {
  const [ready] = conversation.notifications({ by: 'subject', method: handshakeMethods.notification });
  const { handshake } = conversation;
  const told = handshake && resultOf(handshake) ? handshake.reply!.seq : Number.POSITIVE_INFINITY;
  const first = ready ?? conversation.requests({ by: 'subject' }).find(m => m.seq > told);
  const start = (first && conversation.httpOf(first)?.number) ?? Number.POSITIVE_INFINITY;
  return toEndpoint(conversation, 'POST', 'GET', 'DELETE').filter(
    e => e.number >= start && !opens(e) && !isFromOutside(conversation, e),
  );
}

/**
 * A GET without a session id, an event id and a version header may come from another instance of the client
 * that is about to open a session and first checks whether authorization is needed. After the client has
 * ended its session, a GET without a session id is outside of a session again.
 */
export const isFromOutside = (conversation: Conversation, e: HttpExchange): boolean => {
  if (method(e) !== 'GET' || !saysNothing(e, 'mcp-session-id', 'last-event-id')) return false;
  return saysNothing(e, 'mcp-protocol-version') || e.request!.seq > endOfSession(conversation);
};

const saysNothing = (e: HttpExchange, ...headers: string[]): boolean =>
  headers.every(name => e.requestHeader(name) === undefined);

/** When the server ended the session at the request of the client; Infinity before. */
const endOfSession = (conversation: Conversation): number =>
  toEndpoint(conversation, 'DELETE').find(e => e.status !== undefined && e.status < 300)?.response?.seq ??
  Number.POSITIVE_INFINITY;

/**
 * Whether a GET opens no stream, but only serves to find the authorization server: a client without a token
 * gets a 401 response with its location.
 */
const asksWhoGuards = (conversation: Conversation, get: HttpExchange): boolean =>
  get.status === 401 && saysNothing(get, 'authorization') && isFromOutside(conversation, get);
