/** basic/transports#http-with-sse: the endpoint to which a client sends its messages. */

import type { Peer } from '../../harness/peer/peer.js';
import { endsHandshake } from '../../harness/record/handshake.js';
import { scenario } from '../../harness/scenario/scenario.js';
import type { HttpBehaviour } from '../../harness/transports/http/server/behaviour.js';

/** Forms of the endpoint URL, each with a query that has to be kept. */
const endpoints: readonly HttpBehaviour['endpoint'][] = [
  session => `in/messages?id=${session}&x=%2F%20a+b`,
  session => `/m/./../messages?x=%2F&id=${session}`,
  (session, origin) => `${origin}/messages/${session}?x=a%26b`,
];

/** Equivalent forms of the same events. */
const dialects: readonly (readonly [what: string, dialect: HttpBehaviour['dialect']])[] = [
  ['with lines that end in CRLF', { lineEnd: '\r\n' }],
  ['with comments', { comments: 'everywhere', emptyLines: 2 }],
  ['with unknown fields, one of them without a colon', { unknownFields: true, order: 'data-first' }],
  ['without a space after the colon', { space: false }],
];

const once = [['connect'], ['list', 'tools'], ['call', 'test_simple_text'], ['close']] as const;

/** The client has initialized and continued. */
const initialized = ({ conversation }: Peer): boolean => conversation.sent('subject').some(endsHandshake);

export const scenarios = [
  scenario.client.httpSse('client/http-sse/endpoints', {
    title: 'a client POSTs to exactly the endpoint URL that it received on the stream',
    verifies: ['http-sse.client-posts-to-endpoint'],
    http: { endpoint: endpoints[0]! },
    does: endpoints.flatMap(() => once),
    begins: 'connected',
    async run({ another, http }) {
      for (const endpoint of endpoints.slice(1)) {
        http.behave({ endpoint });
        await another();
      }
    },
  }),

  scenario.client.httpSse('client/http-sse/dialects', {
    title: 'a client reads its stream in every valid form of events',
    verifies: ['http-sse.client-reads-streams'],
    does: [...once, ...dialects.flatMap(() => once)],
    begins: 'connected',
    async run({ peer, another, expect, http, scripted }) {
      const row = 'http-sse.client-reads-streams';
      await peer.caseOver();
      if (!initialized(peer))
        return expect.notObserved(row, 'the client does not continue with a plain stream either');
      for (const [what, dialect] of dialects) {
        http.behave({ dialect });
        const next = await another().catch(() => undefined);
        const ours = next?.link.httpServer;
        // a client that cannot read the endpoint would wait without end
        if (await ours?.request(e => e.request?.method === 'POST')) await next!.caseOver();
        else if (ours?.listening) ours.endStream(ours.listening, 'break');
        const evidence = [next?.conversation.http()[0] ?? peer.conversation.http()[0]];
        if (next && initialized(next)) expect.noViolation(row, evidence);
        else if (scripted)
          return expect.that(row, {
            ok: false,
            expected: `initialize after a stream ${what}`,
            evidence,
            actual: 'none',
          });
        else return expect.notObserved(row, 'the client opens no further connection');
      }
    },
  }),
];
