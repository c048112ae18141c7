/** basic/transports#http-with-sse: faults of clients that use the message endpoint. */

import { clientFault, onHttp } from '../fault.js';

/** Sends messages to another URL. */
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
    {
      what: 'The client sorts the query of the endpoint URL in its POST requests.',
      breaks,
      shows: ['http-sse.client-posts-to-endpoint#query-written-anew'],
      over,
    },
    elsewhere(url => url.searchParams.sort()),
  ),

  clientFault(
    'client-query-spelled-anew',
    {
      what: 'The client encodes the query of the endpoint URL differently in its POST requests.',
      breaks,
      shows: ['http-sse.client-posts-to-endpoint#query-written-anew'],
      over,
    },
    elsewhere(url => {
      url.search = url.searchParams.toString().replaceAll('+', '%20');
    }),
  ),
];
