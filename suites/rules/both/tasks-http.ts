/** Tasks over Streamable HTTP. */

import { fail, pass } from '../../../harness/judge/finding.js';
import { rule } from '../../../harness/judge/rule.js';
import type { Conversation } from '../../../harness/record/conversation.js';
import type { HttpExchange } from '../../../harness/record/http-exchange.js';
import { accepted, asksOf } from '../derived/http.js';

const isJson = (exchange: HttpExchange): boolean => exchange.contentType === 'application/json';

/** Accepted POSTs with one request, and the method of that request. */
const asked = (conversation: Conversation) =>
  accepted(conversation, 'POST').flatMap(exchange => {
    const [request, more] = asksOf(exchange);
    return request && !more ? [{ exchange, request, method: request.method ?? '' }] : [];
  });

export const rules = [
  // The rules of the transport judge this traffic too; this rule adds that the flaw concerns tasks.
  rule('tasks.transport-rules-hold', function* (conversation) {
    if (conversation.subject !== 'server') return;
    for (const { exchange, request, method } of asked(conversation)) {
      if (!method.startsWith('tasks/')) continue;
      const fits = isJson(exchange) || exchange.isStream;
      yield fits
        ? pass([request, exchange])
        : fail(
            'application/json or text/event-stream',
            [request, exchange],
            exchange.contentType ?? 'no content type',
          );
    }
  }),

  // The words "Where possible" excuse a server that always responds with a stream.
  rule('tasks.get-not-sse', function* (conversation) {
    const all = asked(conversation);
    const otherwise = all.find(e => e.method !== 'tasks/get' && isJson(e.exchange));
    for (const { exchange, request, method } of all) {
      if (method !== 'tasks/get') continue;
      if (isJson(exchange)) yield pass([request, exchange]);
      else if (exchange.isStream && otherwise)
        yield fail(
          'application/json, as for other requests',
          [otherwise.exchange, request, exchange],
          exchange.contentType ?? 'no content type',
        );
    }
  }),
];
