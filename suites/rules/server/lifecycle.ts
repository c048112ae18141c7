/** The handshake: the messages that are allowed before it is complete. */

import { fail, pass } from '../../../harness/judge/finding.js';
import { rule } from '../../../harness/judge/rule.js';
import { namedVersion } from '../../../harness/record/envelope.js';
import {
  describeMessage,
  errorOf,
  isWellFormedRequest,
  type Message,
  resultOf,
} from '../../../harness/record/message.js';
import { vocabularyOf } from '../../../spec/vocabulary.js';
import { problemsIn } from '../both/schema.js';
import { isCancelled, isSound } from '../derived/conversation.js';
import { crashesAt, hasUsualHeaders, lacksSession } from '../derived/http.js';
import { problemIn } from '../derived/problem-text.js';

/**
 * Messages that are allowed at any time; a client that supports other eras may also send server/discover
 * first.
 */
const early: ReadonlySet<string> = new Set([
  'ping',
  'notifications/message',
  'notifications/cancelled',
  'server/discover',
]);

const isEarly = (m: Message): boolean =>
  m.method !== undefined && m.method !== 'initialize' && !early.has(m.method) && isSound(m);

/** A request without a handshake, with which a client of both eras may learn the era of its server. */
const probesEra = (m: Message): boolean => m.by === 'client' && namedVersion(m) !== undefined;

export const rules = [
  // Whether an error is correct depends on the flaw of the request (version, parameters) and is judged
  // elsewhere.
  rule('lifecycle.server-answers-initialize', function* (conversation) {
    const vocabulary = vocabularyOf(conversation.revision);
    for (const exchange of conversation.exchanges({ by: 'peer', method: 'initialize' })) {
      const { request, reply } = exchange;
      if (!reply || !resultOf(exchange)) continue;
      const [problem] = problemsIn(vocabulary, reply, request)!.filter(
        p => /^$|^\/(protocolVersion|capabilities|serverInfo)/.test(p.path) && !/\/icons(\/|$)/.test(p.path),
      );
      if (problem) {
        const { expected, actual } = problemIn(reply, problem, 'InitializeResult');
        yield fail(expected, [request, reply], actual);
      } else yield pass([request, reply]);
    }
  }),

  rule('lifecycle.initialize-first', function* (conversation) {
    const [initialize] = conversation.requests({ method: 'initialize' });
    const start = initialize?.seq ?? Number.POSITIVE_INFINITY;
    const hasty = conversation.sent('subject').filter(m => m.seq < start && isEarly(m) && !probesEra(m));
    for (const m of hasty) yield fail('initialize first', [m], describeMessage(m));
    if (initialize && hasty.length === 0) yield pass([initialize]);
  }),

  rule('lifecycle.server-waits-for-initialized', function* (conversation) {
    const [initialize] = conversation.requests({ by: 'peer', method: 'initialize' });
    const [initialized] = conversation.notifications({ by: 'peer', method: 'notifications/initialized' });
    if (!initialize) return;
    for (const m of conversation.requests({ by: 'subject' })) {
      if (m.seq < initialize.seq || !isEarly(m)) continue;
      const waited = initialized && initialized.seq < m.seq;
      yield waited
        ? pass([initialized, m])
        : fail('no request before notifications/initialized', [initialize, m], describeMessage(m));
    }
  }),

  // jsonrpc.request-answered-once judges whether a ping gets a response at all; jsonrpc.result-object judges
  // whether the result is an object.
  rule('ping.answered-empty', function* (conversation) {
    const [initialize] = conversation.requests({ method: 'initialize' });
    for (const exchange of conversation.exchanges({ by: 'peer', method: 'ping' })) {
      const { request, reply } = exchange;
      if (!initialize || request.seq < initialize.seq || !isWellFormedRequest(request) || request.batched)
        continue;
      const post = conversation.httpOf(request);
      if (resultOf(exchange)) yield pass([request, reply]);
      // cancellation.no-response judges whether a cancelled request gets a response at all
      else if (isCancelled(conversation, request)) continue;
      // base.unknown-params-ignored judges requests with members that no revision defines
      else if (Object.keys(request.params ?? {}).some(name => name !== '_meta')) continue;
      else if (post && lacksSession(conversation, post)) continue;
      else if (post && !hasUsualHeaders(post)) continue;
      else if (post?.hasErrorStatus) {
        // other refusals may be about the headers, the session or the load
        const isUnknown = errorOf(exchange)?.code === -32601;
        const says = isUnknown ? 'error -32601' : crashesAt(conversation, post) && 'status 500';
        if (says) yield fail('an empty result', [request, ...post.ends], says);
      } else if (errorOf(exchange)) yield fail('an empty result', [request, reply], 'an error');
    }
  }),
];
