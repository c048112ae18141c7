/** basic/transports: what a client without a handshake may send at all. */

import { fail, pass } from '../../../harness/judge/finding.js';
import { rule } from '../../../harness/judge/rule.js';
import type { Conversation } from '../../../harness/record/conversation.js';
import type { Message } from '../../../harness/record/message.js';
import type { RequirementId } from '../../../spec/requirement.js';
import { ownRequests } from '../derived/stateless-client.js';

/** Responses of the client where no server may send it a request. */
const responses = (conversation: Conversation): readonly Message[] =>
  conversation.isStateless && conversation.subject === 'client'
    ? conversation
        .replies({ by: 'subject' })
        .filter(m => conversation.revisionOf(conversation.requestOf(m) ?? m).era === 'modern')
    : [];

/** A forbidden request of the server shows whether the client responds. */
const provocations = (conversation: Conversation): readonly Message[] =>
  conversation.isStateless && conversation.subject === 'client' ? conversation.requests({ by: 'peer' }) : [];

const noResponses = (row: RequirementId) =>
  rule(row, function* (conversation) {
    for (const m of responses(conversation))
      yield fail('requests and notifications only', [conversation.requestOf(m), m], `a response (${m.kind})`);
    for (const m of provocations(conversation)) if (conversation.repliesTo(m).length === 0) yield pass([m]);
  });

export const rules = [
  noResponses('stdio.client-no-responses'),
  noResponses('streamable-http.client-no-responses'),

  // after a fallback to an earlier revision, a GET may resume a stream of that one
  rule('streamable-http.no-resumption', function* (conversation) {
    const own = ownRequests(conversation);
    const posts = new Set(own.map(m => conversation.httpOf(m)));
    const isAll = own.length > 0 && own.length === conversation.requests({ by: 'subject' }).length;
    for (const exchange of conversation.http()) {
      if (!posts.has(exchange) && !(isAll && exchange.request?.method === 'GET')) continue;
      const last = exchange.requestHeader('last-event-id');
      yield last === undefined
        ? pass([exchange])
        : fail('no Last-Event-ID', [exchange], `${exchange.request?.method} with Last-Event-ID: ${last}`);
    }
  }),

  rule('transport.message-directions', function* (conversation) {
    for (const m of responses(conversation))
      yield fail('requests and notifications only', [conversation.requestOf(m), m], `a response (${m.kind})`);
    for (const m of ownRequests(conversation)) yield pass([m]);
  }),

  rule('jsonrpc.request-id-unique-in-flight', function* (conversation) {
    const open = new Map<string, Message>();
    for (const m of ownRequests(conversation)) {
      const before = open.get(m.idKey);
      const isOpen = before && !conversation.repliesTo(before).some(reply => reply.seq < m.seq);
      const isLost = before && isGivenUp(conversation, before, m.seq);
      if (isOpen && !isLost) yield fail('an id that no open request has', [before, m], JSON.stringify(m.id));
      else yield pass([m]);
      open.set(m.idKey, m);
    }
  }),
];

/** Whether a request was cancelled, or its stream had ended, before a later message. */
function isGivenUp(conversation: Conversation, request: Message, seq: number): boolean {
  const end = conversation.httpOf(request)?.end;
  const isCancelled = conversation
    .notifications({ by: 'subject', method: 'notifications/cancelled' })
    .some(m => m.params?.requestId === request.id && m.seq < seq);
  return isCancelled || (end !== undefined && end.seq < seq);
}
