/** basic/transports#http-with-sse: what clients do with the address for messages. */

import { clientFault, onHttp } from '../fault.js';

/** Sends messages somewhere else. */
const elsewhere = (change: (url: URL) => void) =>
  onHttp(ask => {
    if (ask.method !== 'POST') return ask;
    const url = new URL(ask.url);
    change(url);
    return { ...ask, url: url.href };
  });

const over = ['http-sse'] as const;
const breaks = ['http-sse.client-posts-to-endpoint'] as const;

export const httpSseFaults = [
  clientFault(
    'client-query-reordered',
    { what: 'The client puts the query of the address for messages in order.', breaks, over },
    elsewhere(url => url.searchParams.sort()),
  ),

  clientFault(
    'client-query-spelled-anew',
    { what: 'The client writes the query of the address for messages in its own way.', breaks, over },
    elsewhere(url => {
      url.search = url.searchParams.toString().replaceAll('+', '%20');
    }),
  ),
];
