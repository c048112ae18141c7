/** Streamable HTTP: streams opened with GET, event ids, and the stream on which each message is sent. */

import { entry } from '../../../harness/grouped.js';
import { fail, pass } from '../../../harness/judge/finding.js';
import { rule } from '../../../harness/judge/rule.js';
import type { Conversation } from '../../../harness/record/conversation.js';
import type { HttpExchange } from '../../../harness/record/http-exchange.js';
import { type Exchange, isReply, type Message } from '../../../harness/record/message.js';
import {
  accepted,
  askerOf,
  isPolite,
  lastEventId,
  mayHaveTask,
  method,
  originOf,
  sessionOf,
  shown,
} from '../derived/http.js';
import { carries, resumptions, sentAfter, sentUpTo } from '../derived/replays.js';

/** An event without a message, which some event stores of servers keep as an empty object. */
const isEmpty = (data: string | undefined): boolean => !data || data === '{}';

/**
 * The session id and the version of a request, for which a server may refuse the request whatever its other
 * headers are.
 */
const credentials = (e: HttpExchange): string =>
  `${e.requestHeader('mcp-session-id')} ${e.requestHeader('mcp-protocol-version')}`;

/** Statuses with which a server refuses a second stream of a session; 404 means that the session is over. */
const refusesSecond = ({ status = 0 }: HttpExchange): boolean =>
  Math.floor(status / 100) === 4 && ![401, 403, 404, 405, 429].includes(status);

/** The GET requests of a session for a further general stream, after the first one. */
function* furtherGets(conversation: Conversation): Generator<HttpExchange> {
  const ended = conversation.http().find(e => method(e) === 'DELETE')?.seq ?? Number.POSITIVE_INFINITY;
  let first: HttpExchange | undefined;
  for (const e of conversation.http()) {
    if (method(e) !== 'GET' || e.seq > ended || lastEventId(e) !== undefined || !isPolite(e)) continue;
    if (first && credentials(e) === credentials(first)) yield e;
    if (e.status === 200 && e.isStream) first ??= e;
  }
}

/**
 * GET requests for the general stream that are not deliberately invalid, while the session is known to exist: not
 * after the request to end the session, and not refused for a stream that the server may still hold open.
 */
function* gets(conversation: Conversation): Generator<HttpExchange> {
  const session = conversation
    .http()
    .find(e => e.header('mcp-session-id'))
    ?.header('mcp-session-id');
  const posts = conversation.http().filter(e => method(e) === 'POST' && e.status !== undefined);
  const welcome = new Set(accepted(conversation, 'POST').map(credentials));
  const unwelcome = new Set(posts.map(credentials).filter(c => !welcome.has(c)));
  const ending =
    conversation.http().find(e => method(e) === 'DELETE')?.request?.seq ?? Number.POSITIVE_INFINITY;
  let streaming = false;
  for (const e of conversation.http()) {
    if (e.seq > ending) continue;
    // the revision defines no status for a second stream of a session; 404 means that the session is over
    const second = streaming && Math.floor((e.status ?? 0) / 100) === 4 && e.status !== 404;
    if (method(e) === 'GET' && e.status === 200 && e.isStream) streaming = true;
    if (second) continue;
    const free = [401, 403, 409, 429].includes(e.status ?? 0);
    const own = e.requestHeader('mcp-session-id') === session;
    if (method(e) !== 'GET' || !e.status || free || !own || unwelcome.has(credentials(e))) continue;
    if (isPolite(e) && lastEventId(e) === undefined) yield e;
  }
}

/** Copies of one message are sent at once (ms). */
const atOnce = 100;

const onGet = 'on a stream opened with GET';

/** The stream of a request or a notification, unless it resumes another one. */
function streamOf(conversation: Conversation, m: Message): HttpExchange | undefined {
  const exchange = conversation.httpOf(m);
  const isSaid = m.kind === 'request' || m.kind === 'notification';
  return isSaid && exchange?.isStream && lastEventId(exchange) === undefined ? exchange : undefined;
}

/**
 * Texts that came twice at one moment on one stream, with nothing sent to the server in between: the server says them in a row,
 * and what comes on another stream may be one more.
 */
function textsInARow(conversation: Conversation): Set<string> {
  const found = new Set<string>();
  const latest = new Map<HttpExchange, Map<string, Message>>();
  let asked = 0;
  for (const m of conversation.messages) {
    if (m.by !== conversation.subject) asked = m.seq;
    const stream = m.by === conversation.subject ? streamOf(conversation, m) : undefined;
    if (!stream) continue;
    const said = entry(latest, stream, () => new Map<string, Message>());
    const before = said.get(m.frame.text);
    if (before && before.seq > asked && isAtOnce(before, m)) found.add(m.frame.text);
    said.set(m.frame.text, m);
  }
  return found;
}

/**
 * Messages of the server that arrived on two streams, both of them open, neither of which resumes the other. Two messages to
 * the server may cause messages with the same text: they are one message only if nothing was sent to it in between, and at most
 * one request can have caused it. A text that was sent before may also come again by itself, now on another stream, as
 * a log message each second does: then only messages at one moment are copies.
 */
function* doubled(conversation: Conversation): Generator<{ first: Message; again: Message | undefined }> {
  const said = new Map<string, Message>();
  /** The last message with a text on each stream, the latest one last. */
  const latest = new Map<string, Map<HttpExchange, Message>>();
  const inARow = textsInARow(conversation);
  for (const m of conversation.sent('subject')) {
    const exchange = streamOf(conversation, m);
    if (!exchange) continue;
    const { text } = m.frame;
    if (inARow.has(text)) {
      yield { first: m, again: undefined };
      continue;
    }
    const streams = latest.get(text) ?? new Map<HttpExchange, Message>();
    streams.delete(exchange);
    const last = [...streams.values()].at(-1);
    latest.set(text, streams.set(exchange, m));
    const first = said.get(text);
    const apart = first !== undefined && mayBeCopies(conversation, first, m);
    const own = apart && caused(conversation, first, m);
    if (!first || own) said.set(text, m);
    if (apart && !own) yield { first, again: m };
    else if (
      last &&
      mayBeCopies(conversation, last, m) &&
      isAtOnce(last, m) &&
      !caused(conversation, last, m)
    )
      yield { first: last, again: m };
    else yield { first: first ?? m, again: undefined };
  }
}

/**
 * Whether two messages came on two streams that were open at the same time. A stream may begin with a greeting, and a GET
 * stream may take the place of one that has ended.
 */
function mayBeCopies(conversation: Conversation, first: Message, second: Message): boolean {
  const [one, other] = [conversation.httpOf(first), conversation.httpOf(second)];
  if (!one || !other || one === other || (other.request?.seq ?? 0) >= first.seq) return false;
  return method(one) !== 'GET' || method(other) !== 'GET' || (one.end?.seq ?? second.seq) >= second.seq;
}

const isAtOnce = (first: Message, second: Message): boolean => second.frame.at - first.frame.at <= atOnce;

/** Whether each of two messages may have a cause of its own. */
function caused(conversation: Conversation, first: Message, second: Message): boolean {
  const asked = conversation.exchanges({ by: 'peer' });
  const between = conversation.sent('peer').some(({ seq }) => seq > first.seq && seq < second.seq);
  const open = ({ request, reply }: Exchange) => {
    const over = reply?.seq ?? conversation.httpOf(request)?.end?.seq ?? second.seq;
    return request.seq < first.seq && over > first.seq;
  };
  return between || asked.filter(open).length > 1;
}

const oneStream = (id: 'streamable-http.one-stream-per-message' | 'streamable-http.no-broadcast') =>
  rule(id, function* (conversation) {
    for (const { first, again } of doubled(conversation))
      yield again ? fail('one stream', [first, again], 'the same message on two streams') : pass([first]);
  });

/** Whether the POST had neither a response nor an end when a later message arrived. */
export const isUnderWay = (post: HttpExchange, m: Message): boolean =>
  (post.end?.seq ?? m.seq) >= m.seq && !post.received.some(r => isReply(r) && r.seq < m.seq);

export const rules = [
  // without sessions the endpoint supports POST only
  rule('streamable-http.single-endpoint', function* (conversation) {
    if (conversation.isStateless) {
      for (const e of accepted(conversation, 'POST')) yield pass([e]);
      return;
    }
    for (const e of gets(conversation))
      yield e.status === 404 ? fail('GET at the path that accepts POST', [e], shown(e)) : pass([e]);
  }),

  rule('streamable-http.get-sse-or-405', function* (conversation) {
    for (const e of gets(conversation)) {
      const right = e.status === 405 || (e.status === 200 && e.isStream);
      yield right ? pass([e]) : fail(['text/event-stream', 'status 405'], [e], shown(e));
    }
  }),

  rule('streamable-http.second-get-stream', function* (conversation) {
    for (const e of furtherGets(conversation)) {
      if (refusesSecond(e)) yield fail(['text/event-stream', 'status 405'], [e], shown(e));
      else if (e.status === 200 && e.isStream) yield pass([e]);
    }
  }),

  rule('streamable-http.get-no-responses', function* (conversation) {
    for (const e of accepted(conversation, 'GET').filter(g => g.isStream)) {
      const origin = originOf(conversation, e);
      if (!origin || method(origin) !== 'GET') continue;
      const reply = e.received.find(isReply);
      const end = e.end?.seq ?? Number.POSITIVE_INFINITY;
      const other = conversation.replies({ by: 'subject' }).find(r => r.seq > e.seq && r.seq < end);
      if (reply) yield fail('responses on the streams of their requests', [e, reply], onGet);
      else if (other) yield pass([e, other]);
    }
  }),

  rule('streamable-http.get-unrelated-messages', function* (conversation) {
    for (const e of accepted(conversation, 'GET').filter(g => originOf(conversation, g) === g))
      for (const m of e.received) {
        const asker = askerOf(conversation, m);
        // a server that responds with JSON has no other stream for the message
        if (asker?.isStream && isUnderWay(asker, m) && !mayHaveTask(conversation, asker))
          yield fail('a message about a request in flight on the stream of its POST', [asker, m], onGet);
        else yield pass([m]);
      }
  }),

  oneStream('streamable-http.one-stream-per-message'),
  oneStream('streamable-http.no-broadcast'),

  rule('streamable-http.event-id-unique', function* (conversation) {
    const first = new Map<string, { e: HttpExchange; data: string | undefined; seq: number }>();
    for (const e of conversation.http())
      for (const { id, data, seq, redelivered } of e.events) {
        if (!id || redelivered) continue;
        const key = `${sessionOf(e)} ${id}`;
        const before = first.get(key);
        const last = lastEventId(e);
        const from = last === undefined ? undefined : first.get(`${sessionOf(e)} ${last}`)?.seq;
        // a repeated event whose data has changed is still the same event: other rows judge its data
        const isSame = before && (before.data === data || (isEmpty(before.data) && isEmpty(data)));
        const expected = before && (isSame || (from !== undefined && before.seq > from));
        // an event that its stream already had is replayed out of order: streamable-http.replay-once judges it
        const isOfStream = before && originOf(conversation, before.e) === originOf(conversation, e);
        const replay = before && (expected || isOfStream) && last !== undefined && before.e !== e;
        if (!before) first.set(key, { e, data, seq });
        yield before && !replay
          ? fail('a unique id', [before, { seq }], 'an id used before')
          : pass([{ seq }]);
      }
  }),

  rule('streamable-http.no-cross-stream-replay', function* (conversation) {
    for (const { get, origin, foreign } of resumptions(conversation)) {
      if (!origin) continue;
      if (foreign)
        yield fail('only messages of the broken stream', [get, foreign], 'a message of another stream');
      else if (get.received.length > 0) yield pass([get, ...get.received]);
    }
  }),

  rule('streamable-http.replay-complete', function* (conversation) {
    for (const { get, origin } of resumptions(conversation)) {
      if (!origin) continue;
      const due = sentAfter(conversation, origin, get);
      const arrived = get.events.filter(e => carries(e) && !e.redelivered);
      const found = due.map(({ id, data }) => arrived.findIndex(e => e.id === id || e.data === data));
      // a message that the stream did not have before comes after all that it had, and so does the end
      const isPast = arrived.some((_, at) => !found.includes(at)) || get.closedBy === 'server';
      const missing = due.find((_, n) => found[n] === -1 && (isPast || found.slice(n).some(at => at !== -1)));
      const evidence = [get, ...get.received];
      if (missing)
        yield fail('every message after Last-Event-ID', [missing, ...evidence], missing.data ?? '');
      else if (found.some(at => at !== -1)) yield pass(evidence);
    }
  }),

  rule('streamable-http.replay-once', function* (conversation) {
    for (const { get, origin } of resumptions(conversation)) {
      if (!origin) continue;
      const former = sentUpTo(conversation, origin, get);
      const again = get.events.find(e => carries(e) && !e.redelivered && e.id && former.has(e.id));
      if (again)
        yield fail('messages after Last-Event-ID', [former.get(again.id!)!, get, again], again.data ?? '');
      else if (get.received.length > 0) yield pass([get, ...get.received]);
    }
  }),
];
