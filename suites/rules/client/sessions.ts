/** Streamable HTTP, clients: the session id. */

import { fail, pass } from '../../../harness/judge/finding.js';
import { rule } from '../../../harness/judge/rule.js';
import type { Conversation } from '../../../harness/record/conversation.js';
import type { HttpExchange } from '../../../harness/record/http-exchange.js';
import { lastEventId, method } from '../derived/http.js';
import { isFromOutside, opens, toEndpoint } from './streamable-http.js';

const header = 'mcp-session-id';

/** The exchange whose response assigned a session id; the stream may have been resumed in other exchanges. */
function assignment(conversation: Conversation): { id: string; exchange: HttpExchange } | undefined {
  const request = conversation.handshake?.request;
  const exchange = request && conversation.httpOf(request);
  const id = exchange?.header(header);
  return exchange && id !== undefined ? { id, exchange } : undefined;
}

/** Requests of the client in its session, after the session id was assigned. */
function* further(conversation: Conversation): Generator<{ id: string; exchange: HttpExchange }> {
  const assigned = assignment(conversation);
  const told = assigned?.exchange.response?.seq ?? Number.POSITIVE_INFINITY;
  let knows = false;
  for (const exchange of toEndpoint(conversation, 'POST', 'GET', 'DELETE')) {
    if (exchange.request!.seq <= told || opens(exchange) || isFromOutside(conversation, exchange)) continue;
    knows ||= method(exchange) !== 'GET' || exchange.requestHeader(header) !== undefined;
    // a GET that is sent as soon as the client starts may have crossed the response
    if (knows) yield { id: assigned!.id, exchange };
  }
}

/** The first request of a session that got status 404: the session has expired. A DELETE does not count. */
const expired = (conversation: Conversation): HttpExchange | undefined => {
  const id = assignment(conversation)?.id;
  return toEndpoint(conversation, 'POST', 'GET').find(
    e => e.status === 404 && id !== undefined && e.requestHeader(header) === id,
  );
};

const caseOf = (conversation: Conversation): number | undefined => conversation.events[0]?.case;

export const rules = [
  rule('streamable-http.client-sends-session', function* (conversation) {
    for (const { id, exchange } of further(conversation)) {
      const named = exchange.requestHeader(header);
      if (named === id) yield pass([exchange]);
      else yield fail(`Mcp-Session-Id: ${id}`, [exchange], named ?? 'no such header');
    }
    const [first] = conversation.http().filter(opens);
    const named = first?.requestHeader(header);
    if (named !== undefined) yield fail('initialize without a session id', [first], named);
  }),

  rule.acrossRun('streamable-http.client-new-session-on-404', function* (conversations) {
    for (const conversation of conversations) {
      const over = expired(conversation);
      if (!over) continue;
      const id = over.requestHeader(header);
      const [first] = conversations
        .filter(c => c.link > conversation.link && caseOf(c) === caseOf(conversation))
        .flatMap(c => c.http().filter(e => opens(e) && e.seq > over.seq));
      const again = conversation
        .http()
        .filter(e => e.requestHeader(header) === id && e.request!.seq > over.response!.seq)
        .filter(e => method(e) === 'POST' && lastEventId(e) === undefined);
      const named = first?.requestHeader(header);
      if (named !== undefined) yield fail('initialize without a session id', [over, first], named);
      else if (first) yield pass([over, first]);
      // one request may have been in flight already
      else if (again.length > 1)
        yield fail(
          'a new session',
          [over, ...again],
          `${again.length} more requests with the old session id`,
        );
    }
  }),
];
