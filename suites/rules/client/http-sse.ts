/** HTTP with SSE, clients: the address to which messages are sent. */

import { fail, pass } from '../../../harness/judge/finding.js';
import { rule } from '../../../harness/judge/rule.js';
import type { HttpExchange } from '../../../harness/record/http-exchange.js';
import { method } from '../derived/http.js';

/** The address for messages in the endpoint event of the stream; undefined without a valid event. */
function endpointOf(stream: HttpExchange): { href: string; seq: number } | undefined {
  const event = stream.events.find(e => e.event === 'endpoint');
  // a record that was cut may lack the request
  const base = stream.request?.url;
  if (!event || !URL.canParse(event.data ?? '', base)) return undefined;
  return { href: new URL(event.data!, base).href, seq: event.seq };
}

export const rules = [
  rule('http-sse.client-posts-to-endpoint', function* (conversation) {
    const stream = conversation.http().find(e => e.stream === 'sse');
    const endpoint = stream && endpointOf(stream);
    if (!endpoint) return;
    for (const e of conversation.http()) {
      // an attempt to use Streamable HTTP comes before the stream
      if (e.number < stream.number) continue;
      const says = e.sent.length > 0 || e.requestBody !== undefined || method(e) === 'POST';
      if (!e.request || e === stream || !says) continue;
      const { url, seq } = e.request;
      if (method(e) !== 'POST') yield fail('a POST', [e], method(e));
      else if (seq < endpoint.seq)
        yield fail('the endpoint event before the first message', [e, endpoint], 'the message first');
      else if (url === endpoint.href) yield pass([e]);
      else yield fail(endpoint.href, [endpoint, e], url);
    }
  }),
];
