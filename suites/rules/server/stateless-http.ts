/** Streamable HTTP without sessions: statuses and headers of responses. */

import { fail, type Judgement, pass } from '../../../harness/judge/finding.js';
import { rule } from '../../../harness/judge/rule.js';
import type { Conversation } from '../../../harness/record/conversation.js';
import { namedVersion } from '../../../harness/record/envelope.js';
import type { HttpExchange } from '../../../harness/record/http-exchange.js';
import type { Message } from '../../../harness/record/message.js';
import type { RequirementId } from '../../../spec/requirement.js';
import { vocabularyOf } from '../../../spec/vocabulary.js';
import { method, succeeded } from '../derived/http.js';
import { refusals } from '../derived/stateless.js';

/** POSTs in a revision without a handshake that got a response. */
const posts = (conversation: Conversation) =>
  conversation.isStateless
    ? conversation
        .http()
        .filter(e => method(e) === 'POST' && e.status !== undefined && isOfRevision(e, conversation))
    : [];

/** Whether the header and the body name the revision: other requests may be those of an earlier revision. */
const isOfRevision = (e: HttpExchange, { revision }: Conversation): boolean =>
  e.requestHeader('mcp-protocol-version') === revision.id &&
  e.sent.every(m => m.kind === 'request' && namedVersion(m) === revision.id);

/** An error with this code has this HTTP status. */
function* statuses(
  conversation: Conversation,
  code: number,
  status: number,
  isJudged: (request: Message, post: HttpExchange) => boolean = () => true,
): Generator<Judgement> {
  for (const { request, reply, code: given } of refusals(conversation)) {
    const post = conversation.httpOf(reply);
    if (given !== code || !post || !isJudged(request, post)) continue;
    // a stream that has begun with a notification has its status already
    if (post.isStream && post.received[0] !== reply) continue;
    yield post.status === status
      ? pass([request, post])
      : fail(`status ${status}`, [request, post], `status ${post.status}`);
  }
}

const statusFor = (row: RequirementId, code: number, status: number) =>
  rule(row, conversation => statuses(conversation, code, status));

const isUnknown = (name: string, { revision }: Conversation): boolean =>
  !vocabularyOf(revision).requests.client.has(name);

/** POSTs of an unknown method that got 404 without any message, at an endpoint that serves later POSTs. */
function withoutError(conversation: Conversation): HttpExchange[] {
  const all = posts(conversation);
  const lastServed = new Map(all.filter(e => e.received.length > 0).map(e => [e.request!.url, e.seq]));
  return all.filter(
    ({ seq, status, end, request, sent, received }) =>
      status === 404 &&
      end?.by === 'server' &&
      seq < (lastServed.get(request!.url) ?? 0) &&
      sent.length === 1 &&
      received.length === 0 &&
      isUnknown(sent[0]!.method!, conversation),
  );
}

export const rules = [
  // A method of a feature that is not declared exists in the revision: the text demands 404 for others only. A request
  // without a version, such as initialize, is refused with 400 in any case (basic/versioning#compatibility-matrix).
  rule('streamable-http.method-not-found-404', function* (conversation) {
    yield* statuses(
      conversation,
      -32601,
      404,
      (request, post) =>
        isUnknown(request.method ?? '', conversation) &&
        !(post.status === 400 && namedVersion(request) === undefined),
    );
    for (const post of withoutError(conversation))
      yield fail('error -32601', [post], 'status 404 without a JSON-RPC error');
  }),
  statusFor('http-headers.mismatch-http-400', -32020, 400),
  statusFor('meta.missing-capability-http-400', -32021, 400),
  statusFor('http-headers.unsupported-version-400', -32022, 400),

  rule.each(
    'streamable-http.sse-no-buffering-header',
    conversation => posts(conversation).filter(post => succeeded(post) && post.isStream),
    post => {
      const value = post.header('x-accel-buffering');
      return value?.trim().toLowerCase() === 'no'
        ? pass([post])
        : fail('X-Accel-Buffering: no', [post], value ?? 'none');
    },
  ),

  rule.each('streamable-http.old-session-header-ignored', posts, post => {
    const id = post.header('mcp-session-id');
    return id === undefined ? pass([post]) : fail('no Mcp-Session-Id', [post], id);
  }),
];
