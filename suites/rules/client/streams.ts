/** Streamable HTTP, clients: streams that break or end, and how they are resumed. */

import { fail, pass } from '../../../harness/judge/finding.js';
import { rule } from '../../../harness/judge/rule.js';
import type { Conversation } from '../../../harness/record/conversation.js';
import { beginsHandshake } from '../../../harness/record/handshake.js';
import type { HttpExchange, SseEvent } from '../../../harness/record/http-exchange.js';
import { describeId, idKey, isReply, type Message } from '../../../harness/record/message.js';
import { asksOf, connectionsOf, lastEventId, method, originOf, receivedOn } from '../derived/http.js';
import { toEndpoint } from './streamable-http.js';

/** A shorter wait (ms) cannot be distinguished from the transmission time. */
const tellable = 200;

/** The stream and the event on which an id was seen, before a request. */
function seen(
  conversation: Conversation,
  id: string,
  before: number,
): { stream: HttpExchange; event: SseEvent } | undefined {
  for (const stream of [...conversation.http()].reverse()) {
    const event = stream.events.findLast(e => e.id === id && e.seq < before && !e.unfinished);
    if (event) return { stream, event };
  }
  return undefined;
}

/**
 * An event after another one on a stream that the client certainly received: the last event of a complete
 * response, or a request to which the client responded.
 */
function received(conversation: Conversation, stream: HttpExchange, after: SseEvent): SseEvent | undefined {
  const later = stream.events.filter(e => e.seq > after.seq && e.id !== undefined && !e.unfinished);
  if (stream.closedBy === 'server') return later.at(-1);
  return later.findLast(e => e.messages.some(m => conversation.repliesTo(m).length > 0));
}

/** The event with the reconnection time of a stream: the last `retry` field counts. */
const retryOf = ({ events }: HttpExchange): SseEvent | undefined =>
  events.findLast(e => /^\d+$/.test(e.retry ?? ''));

/**
 * The stream that a GET resumes: the one with its event id, or the last connection of that stream if it had a retry
 * value; without ids, the stream opened with GET that ended before. A GET without an id that was available requests a
 * new stream.
 */
function formerOf(conversation: Conversation, get: HttpExchange): HttpExchange | undefined {
  const id = lastEventId(get);
  const { seq } = get.request!;
  if (id !== undefined) {
    const from = seen(conversation, id, seq)?.stream;
    const all = from ? connectionsOf(conversation, originOf(conversation, from) ?? from) : [];
    const last = all.findLast(e => e.end && e.end.seq < seq);
    return last && retryOf(last) ? last : from;
  }
  const isStanding = (e: HttpExchange) => lastEventId(e) === undefined && e.isStream && e.number < get.number;
  const gets = toEndpoint(conversation, 'GET').filter(isStanding);
  const last = gets.at(-1);
  const over = gets.every(e => e.end && e.end.seq < seq);
  return over && !last?.events.some(e => e.id) ? last : undefined;
}

/** The ids of the responses among messages. A request of the server may have the id of a request of the client. */
const repliedIn = (messages: readonly Message[]) => new Set(messages.filter(isReply).map(m => m.idKey));

/** Connections of POST streams that the server ended before the response, with ids for resumption. */
const unfinished = (conversation: Conversation): { stream: HttpExchange; ids: ReadonlySet<string> }[] =>
  toEndpoint(conversation, 'POST', 'GET').flatMap(stream => {
    const post = stream.isStream && stream.closedBy === 'server' && originOf(conversation, stream);
    if (!post) return [];
    const soFar = connectionsOf(conversation, post).filter(e => e.number <= stream.number);
    const answered = repliedIn(soFar.flatMap(e => e.received));
    const open = asksOf(post).some(ask => !answered.has(ask.idKey));
    const ids = new Set(soFar.flatMap(e => e.events).flatMap(event => event.id || []));
    return open && ids.size > 0 ? [{ stream, ids }] : [];
  });

/** Whether a stream of a POST had its responses before a request: nothing of it is left to be resumed. */
function isComplete(conversation: Conversation, stream: HttpExchange, next: HttpExchange): boolean {
  const post = originOf(conversation, stream);
  const asks = post && method(post) === 'POST' ? asksOf(post) : [];
  const before = post ? connectionsOf(conversation, post).filter(e => e.number < next.number) : [];
  const answered = repliedIn(before.flatMap(e => e.received));
  return asks.length > 0 && asks.every(ask => answered.has(ask.idKey));
}

/**
 * The stream that a GET should resume, when its id is from a stream that remains open: the last one that the server ended
 * before the response.
 */
function endedInstead(
  conversation: Conversation,
  from: HttpExchange,
  get: HttpExchange,
): HttpExchange | undefined {
  const { seq } = get.request!;
  const isOpen = from.isStream && (!from.end || (from.end.seq > seq && from.closedBy === 'server'));
  if (!isOpen) return undefined;
  return unfinished(conversation).findLast(({ stream }) => stream.end!.seq < seq)?.stream;
}

/** Requests of the server that a resumed stream delivers again under their event id. */
function* redelivered(conversation: Conversation): Generator<Record<'first' | 'again', Message>> {
  for (const get of conversation.http()) {
    const origin = lastEventId(get) === undefined ? undefined : originOf(conversation, get);
    if (!origin) continue;
    const before = connectionsOf(conversation, origin)
      .filter(e => e.number < get.number)
      .flatMap(e => e.events);
    for (const { id, messages } of get.events)
      for (const again of id ? messages.filter(m => m.kind === 'request') : []) {
        const first = before
          .filter(e => e.id === id)
          .flatMap(e => e.messages)
          .find(m => m.kind === 'request' && m.idKey === again.idKey);
        if (first) yield { first, again };
      }
  }
}

/** Whether two requests have the same parameters, without what belongs to one sending. */
function isSameRequest(one: Message, other: Message): boolean {
  const [a, b] = [one, other].map(({ params }) => JSON.stringify({ ...params, _meta: null }));
  return a === b;
}

export const rules = [
  rule('streamable-http.client-resumes-by-get', function* (conversation) {
    for (const e of conversation.http()) {
      const id = lastEventId(e);
      if (id === undefined || !e.request) continue;
      const from = seen(conversation, id, e.request.seq);
      const missed = from && received(conversation, from.stream, from.event);
      const ended = from && endedInstead(conversation, from.stream, e);
      if (method(e) === 'POST' && from && isComplete(conversation, from.stream, e)) continue;
      if (method(e) !== 'GET') yield fail('a GET', [e], method(e));
      else if (!from)
        yield fail('the id of an event that the client has received', [e], `${id}, of no event so far`);
      else if (ended)
        yield fail('the id of an event of the stream that has ended', [ended.end, from.event, e], id);
      else if (missed) yield fail(`the id of the last event, ${missed.id}`, [missed, e], id);
      else yield pass([from.event, e]);
    }
  }),

  rule('streamable-http.redelivered-answered-once', function* (conversation) {
    for (const { first, again } of redelivered(conversation)) {
      const replies = [...new Set([first, again].flatMap(m => conversation.repliesTo(m)))];
      const evidence = [first, again, ...replies];
      if (replies.length > 1) yield fail('one response', evidence, `${replies.length} of them`);
      else if (replies.length === 1) yield pass(evidence);
    }
  }),

  rule('streamable-http.client-polls', function* (conversation) {
    for (const { stream, ids } of unfinished(conversation)) {
      const isBack = (e: HttpExchange) => e.number > stream.number && ids.has(lastEventId(e) ?? '');
      const back = conversation.http().find(isBack);
      const waited = conversation
        .eventsOf('deadline')
        .find(d => d.label === 'http' && d.seq > stream.end!.seq);
      if (back) yield pass([stream, back]);
      else if (waited)
        yield fail('the client resumes the stream', [stream.end, waited], `not within ${waited.ms} ms`);
    }
  }),

  rule('streamable-http.reissue-new-id', function* (conversation) {
    if (!conversation.isStateless) return;
    const posts = toEndpoint(conversation, 'POST');
    for (const post of posts) {
      if (post.closedBy !== 'error' || !post.isStream) continue;
      const answered = repliedIn(post.received);
      const open = asksOf(post).filter(ask => !answered.has(ask.idKey));
      for (const ask of open)
        for (const again of posts.filter(e => e.number > post.number).flatMap(asksOf))
          if (again.method === ask.method && isSameRequest(again, ask))
            yield again.idKey === ask.idKey
              ? fail('a new id', [ask, post.end, again], describeId(again.id))
              : pass([ask, post.end, again]);
    }
  }),

  rule('streamable-http.client-respects-retry', function* (conversation) {
    for (const get of toEndpoint(conversation, 'GET')) {
      const former = formerOf(conversation, get);
      const said = former && retryOf(former);
      const ms = Number(said?.retry);
      if (!said || !former.end || former.end.by === 'client' || ms < tellable) continue;
      const waited = Math.round(get.request!.at - former.end.at);
      const evidence = [said, former.end, get.request];
      if (waited < ms * 0.9) yield fail(`a wait of ${ms} ms`, evidence, `${waited} ms`);
      else yield pass(evidence);
    }
  }),

  rule('streamable-http.cancel-explicit', function* (conversation) {
    const notes = conversation.notifications({ by: 'subject', method: 'notifications/cancelled' });
    for (const note of notes) yield pass([note]);
    for (const { post, after } of abandoned(conversation))
      yield fail('notifications/cancelled', [post.end, after], 'connection closed without a notification');
  }),
];

/**
 * Streams that the client closed before the response, and its next message; without streams that the client
 * resumes, and without those on which it had stopped to answer pings: it could not read a message there.
 */
function* abandoned(conversation: Conversation): Generator<{ post: HttpExchange; after: HttpExchange }> {
  const withdrawn = new Set(
    conversation
      .notifications({ by: 'subject', method: 'notifications/cancelled' })
      .map(m => idKey(m.params?.requestId)),
  );
  const unanswered = new Set(
    conversation.exchanges({ by: 'peer', method: 'ping' }).flatMap(e => (e.reply ? [] : e.request)),
  );
  for (const post of toEndpoint(conversation, 'POST')) {
    const { end } = post;
    if (!post.isStream || end?.by !== 'client') continue;
    const received = receivedOn(conversation, post);
    if (received.some(m => unanswered.has(m))) continue;
    const answered = repliedIn(received);
    const open = asksOf(post).some(
      m => !beginsHandshake(m) && !answered.has(idKey(m.id)) && !withdrawn.has(idKey(m.id)),
    );
    const ids = new Set(post.events.flatMap(event => event.id || []));
    const back = conversation.http().some(e => ids.has(lastEventId(e) ?? ''));
    const after = toEndpoint(conversation, 'POST').find(e => e.request!.seq > end.seq);
    if (open && !back && after) yield { post, after };
  }
}
