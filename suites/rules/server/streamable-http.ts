/** Streamable HTTP: the responses to a POST. */

import { fail, pass } from '../../../harness/judge/finding.js';
import { rule } from '../../../harness/judge/rule.js';
import type { Conversation } from '../../../harness/record/conversation.js';
import type { HttpExchange } from '../../../harness/record/http-exchange.js';
import { isObject, parseJson } from '../../../spec/json-rpc.js';
import { gaveNone } from '../both/progress.js';
import { isCancelled } from '../derived/conversation.js';
import { bareJson, ended, typeThatHides } from '../derived/ended-streams.js';
import {
  accepted,
  answers,
  askerOf,
  asksNothing,
  asksOf,
  mayHaveTask,
  method,
  receivedOn,
  shown,
} from '../derived/http.js';
import { isUnderWay } from './streams.js';

/** A stream that the server ends this long (ms) after the response stayed open, even where the machine was busy. */
const endsSoon = 10_000;

/** Longer bodies of responses without content are not shown: each may be another one. */
const longestBody = 40;

/**
 * Whether a POST has only messages that need no response, and that the client is permitted to send: notifications, and with a
 * handshake responses. Without a handshake the text says nothing about the answer to a response.
 */
const isPermitted = (conversation: Conversation, e: HttpExchange): boolean =>
  asksNothing(e) && (!conversation.isStateless || e.sent.every(m => m.kind === 'notification'));

export const rules = [
  rule('streamable-http.accepted-202', function* (conversation) {
    for (const e of accepted(conversation, 'POST').filter(e => isPermitted(conversation, e))) {
      if (e.hasError || (e.status === 202 && !e.end)) continue;
      const empty = !e.body && e.events.length === 0;
      const what = e.body && e.body.length <= longestBody ? `the body ${e.body}` : 'a body';
      const actual = empty ? shown(e) : `${shown(e)} and ${what}`;
      yield e.status === 202 && empty
        ? pass([e])
        : fail('status 202 and no body', [...e.sent, e, ...e.received.slice(0, 1)], actual);
    }
  }),

  rule('streamable-http.post-notification-rejected', function* (conversation) {
    for (const e of conversation.http().filter(e => isPermitted(conversation, e))) {
      const { status = 0 } = e;
      if (status >= 400) yield pass([e]);
      else if (e.hasError)
        yield fail('an error status', [...e.sent, e, ...e.received], `${status} and a JSON-RPC error`);
    }
  }),

  rule('streamable-http.request-json-or-sse', function* (conversation) {
    for (const e of accepted(conversation, 'POST').filter(p => asksOf(p).length > 0)) {
      const accepts = e.requestHeader('accept') ?? '';
      if (!accepts.includes('application/json') || !accepts.includes('text/event-stream')) continue;
      const json = parseJson(e.body);
      const batch = Array.isArray(json) && e.sent[0]?.batched;
      // a connection that ends because the harness disconnects proves nothing
      if (e.response!.seq > (conversation.ending?.seq ?? Number.POSITIVE_INFINITY)) continue;
      const silent = e.body === undefined && asksOf(e).some(m => isCancelled(conversation, m));
      const whole = e.isStream || isObject(json) || batch || silent || e.closedBy !== 'server';
      const known = e.isStream || e.contentType === 'application/json' || silent;
      const bare = bareJson(e);
      if (bare !== undefined)
        yield fail('an event stream', [e], `as text/event-stream ${bare.slice(0, 200)}`);
      else if (!known) yield fail(['application/json', 'text/event-stream'], [e], shown(e));
      else yield whole ? pass([e]) : fail('one JSON object', [e], (e.body ?? 'nothing').slice(0, 200));
    }
  }),

  rule('streamable-http.sse-response-arrives', function* (conversation) {
    for (const { post, ask, came } of ended(conversation))
      yield came
        ? pass([ask, post])
        : fail('the response on the stream of its request', [ask, post], 'its end', typeThatHides(post));
  }),

  rule('streamable-http.sse-not-closed-early', function* (conversation) {
    for (const { post, ask, came } of ended(conversation)) {
      const elsewhere = conversation.repliesTo(ask).some(r => r.frame.exchange !== post.number);
      if (came) yield pass([ask, post]);
      else if (!elsewhere)
        yield fail(
          'a stream that stays open until the response',
          [ask, post],
          'its end',
          typeThatHides(post),
        );
    }
  }),

  rule('streamable-http.sse-closed-after-response', function* (conversation) {
    for (const post of accepted(conversation, 'POST').filter(e => e.isStream)) {
      const asks = asksOf(post);
      if (asks.length === 0 || !asks.every(a => post.received.some(r => answers(r, a, post)))) continue;
      const answered = post.received.findLast(r => asks.some(a => answers(r, a, post)))!;
      // a stream that the server ends with the session, after the wait, stayed open
      const until = post.end?.seq ?? Number.POSITIVE_INFINITY;
      const late = conversation
        .eventsOf('deadline')
        .find(d => d.exchange === post.number && d.seq > answered.frame.seq && d.seq < until);
      const wanted = 'the stream ends after the response';
      const openFor = post.end ? post.end.at - answered.frame.at - conversation.schedulingDelay : 0;
      if (post.closedBy !== 'client' && openFor > endsSoon)
        yield fail(wanted, [post, answered, post.end], `open for another ${Math.round(openFor / 1000)} s`);
      else if (late) yield fail(wanted, [post, answered, late], `open for another ${late.ms} ms`);
      else if (post.closedBy === 'server') yield pass([post, post.end]);
    }
  }),

  rule('streamable-http.sse-prime-event', function* (conversation) {
    for (const post of accepted(conversation, 'POST')) {
      // a stream without event ids does not support resumption
      const [first] = post.events;
      if (!first || first.unfinished || !post.events.some(e => e.id)) continue;
      const { id, data } = first;
      const right = id !== undefined && data === '';
      const actual = `${id === undefined ? 'no id' : `id ${id}`}, data ${JSON.stringify(data) ?? 'absent'}`;
      yield right ? pass([post]) : fail('a first event with an id and empty data', [post, first], actual);
    }
  }),

  rule('streamable-http.sse-retry-before-close', function* (conversation) {
    for (const post of accepted(conversation, 'POST')) {
      const early = asksOf(post).some(a => !post.received.some(r => answers(r, a, post)));
      const wentOn = receivedOn(conversation, post).length > post.received.length;
      if (!early || !wentOn || post.closedBy !== 'server') continue;
      const told = post.events.some(e => e.retry !== undefined);
      yield told ? pass([post, post.end]) : fail('a retry field before the end', [post, post.end], 'none');
    }
  }),

  rule('streamable-http.sse-related-messages', function* (conversation) {
    for (const m of conversation.notifications({ by: 'subject', method: 'notifications/progress' })) {
      const [on, asker] = [conversation.httpOf(m), askerOf(conversation, m)];
      if (!on || !asker || method(on) !== 'POST') continue;
      // the server invented a token that happens to belong to another request:
      // progress.token-of-active-request
      if (gaveNone(conversation, m) && !isUnderWay(asker, m)) continue;
      yield on === asker || mayHaveTask(conversation, asker)
        ? pass([m])
        : fail('progress of the request of this stream', [asker, m], 'progress of another request');
    }
  }),
];
