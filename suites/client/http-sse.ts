/** basic/transports#http-with-sse: where a client sends its messages. */

import type { HttpBehaviour } from '../../harness/http-server.js';
import { scenario } from '../../harness/scenario.js';

/** Ways to name the place for messages, each with a query that is not to be lost. */
const endpoints: readonly HttpBehaviour['endpoint'][] = [
  session => `in/messages?id=${session}&x=%2F%20a+b`,
  session => `/m/./../messages?x=%2F&id=${session}`,
  (session, origin) => `${origin}/messages/${session}?x=a%26b`,
];

const once = [['connect'], ['list', 'tools'], ['call', 'test_simple_text'], ['close']] as const;

export const scenarios = [
  scenario.client.httpSse('client/http-sse/endpoints', {
    title: 'a client POSTs to exactly the address it was told on the stream',
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
];
