/** HTTP with SSE: the endpoint event, and messages as events. */

import { fail, pass } from '../../../harness/judge/finding.js';
import { rule } from '../../../harness/judge/rule.js';
import type { Conversation } from '../../../harness/record/conversation.js';
import type { HttpExchange } from '../../../harness/record/http-exchange.js';
import { asText, isObject, kindOf, parseJson } from '../../../spec/json-rpc.js';
import { isPolite, method, shown } from '../derived/http.js';

const streams = (conversation: Conversation): HttpExchange[] =>
  conversation.http().filter(e => method(e) === 'GET' && isPolite(e));

/** Whether a text is a URI or a relative reference, and not JSON or prose. */
const isReference = (text: string | undefined): boolean =>
  text !== undefined && /^[^\s"{}<>|\\^`]+$/.test(text) && URL.canParse(text, 'http://localhost/sse');

const isMessage = (text: string | undefined): boolean => {
  const json = parseJson(text);
  return isObject(json) && json.jsonrpc === '2.0' && kindOf(json) !== undefined;
};

export const rules = [
  rule('http-sse.two-endpoints', function* (conversation) {
    for (const e of streams(conversation)) {
      if (e.status === undefined || [401, 403].includes(e.status)) continue;
      const right = e.status === 200 && e.isStream;
      yield right ? pass([e]) : fail('an event stream', [e], shown(e));
    }
    for (const e of conversation.http()) {
      if (method(e) !== 'POST' || !isPolite(e) || e.sent.some(m => m.frame.deliberate)) continue;
      const lives = streams(conversation).some(s => s.isStream && !(s.end && s.end.seq < e.seq));
      // a JSON-RPC message in response, in the body or on the stream, shows that the endpoint exists: the revision
      // defines no status of a POST
      const spoken = isMessage(e.body) || e.sent.some(m => conversation.repliesTo(m).length > 0);
      const missing = [404, 405, 501].includes(e.status ?? 0) && lives && !spoken;
      if (missing) yield fail('an endpoint that accepts POST', [e], shown(e));
      else if (e.status! < 300) yield pass([e]);
    }
  }),

  rule('http-sse.endpoint-event', function* (conversation) {
    for (const e of streams(conversation).filter(s => s.status === 200 && s.isStream)) {
      const at = e.events.findIndex(event => event.event === 'endpoint');
      const endpoint = e.events[at];
      const early = e.events.slice(0, Math.max(at, 0)).some(event => event.messages.length > 0);
      const late = conversation.eventsOf('deadline').find(d => d.exchange === e.number);
      if (!endpoint) yield fail('an endpoint event', [e, late], 'none');
      else if (early) yield fail('the endpoint event before any message', [e, endpoint], 'a message first');
      else if (isReference(endpoint.data)) yield pass([endpoint]);
      else yield fail('a URI', [endpoint], JSON.stringify(endpoint.data));
    }
  }),

  rule('http-sse.message-events', function* (conversation) {
    for (const e of conversation.http()) {
      if (method(e) === 'POST' && e.status! < 300 && isMessage(e.body))
        yield fail('messages on the stream', [e], 'in the response to a POST');
      for (const event of e.events) {
        if (event.messages.length > 0) yield pass([event]);
        else if (event.event !== 'endpoint' && isMessage(event.data))
          yield fail('an event of type message', [event], asText(event.event));
      }
    }
  }),
];
