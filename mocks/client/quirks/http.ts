/** Legal but unusual behaviours of clients over HTTP. */

import { latestRevision } from '../../../spec/revisions.js';
import { hasHandshake } from '../../server/faults/shared.js';
import {
  type ClientDeviation,
  clientQuirk,
  onBehaviour,
  onHttp,
  onHttpHead,
  onNotification,
} from '../fault.js';

const streamable = ['streamable-http'] as const;

export const httpQuirks: readonly ClientDeviation[] = [
  clientQuirk(
    'accepts-more',
    {
      what: 'The client sends media types with weights, capital letters and a wildcard in the Accept header.',
      over: streamable,
      shows: ['streamable-http.post-accept#weights'],
    },
    onHttp(ask => ({
      ...ask,
      headers: {
        ...ask.headers,
        ...(ask.method === 'POST' && { accept: 'Text/Event-Stream;q=0.9,application/json , */*;q=0.1' }),
        ...(ask.method === 'GET' && { accept: 'application/json;q=0, text/event-stream; q=1.0' }),
      },
    })),
  ),

  clientQuirk(
    'names-character-set',
    {
      what: 'The client names the character set in the Content-Type of its POST requests.',
      over: streamable,
    },
    onHttp(ask =>
      ask.body === undefined
        ? ask
        : { ...ask, headers: { ...ask.headers, 'content-type': 'application/json; charset=utf-8' } },
    ),
  ),

  clientQuirk(
    'headers-in-capitals',
    {
      what: 'The client writes header names in capital letters.',
      over: streamable,
      shows: [
        'http-headers.names-case-insensitive#capitals',
        'streamable-http.client-sends-session#names-in-capitals',
      ],
    },
    onHttp(ask => ({
      ...ask,
      headers: Object.fromEntries(Object.entries(ask.headers).map(([n, v]) => [n.toUpperCase(), v])),
    })),
  ),

  clientQuirk(
    'opens-no-stream',
    {
      what: 'The client opens no GET stream.',
      over: streamable,
      shows: ['streamable-http.client-tolerates-405#no-get'],
    },
    onHttp(ask => (ask.method === 'GET' && ask.headers['last-event-id'] === undefined ? undefined : ask)),
  ),

  clientQuirk(
    'opens-stream-early',
    { what: 'The client opens the GET stream before it sends notifications/initialized.', over: streamable },
    onNotification('notifications/initialized', (note, context) => {
      context.session.carrier.ready();
      return note;
    }),
  ),

  clientQuirk(
    'posts-progress-slowly',
    {
      what: 'POST requests of the client with notifications/progress take 30 ms longer than others to reach the server.',
      over: ['streamable-http', 'http-sse'],
      shows: ['progress.increases#overtaken'],
    },
    onHttp((ask, context) =>
      ask.body?.includes('"notifications/progress"')
        ? new Promise(resolve => context.after(30, () => resolve(ask)))
        : ask,
    ),
  ),

  clientQuirk(
    'resumes-nothing',
    {
      what: 'The client does not resume broken streams.',
      over: streamable,
      where: r => !r.polling,
      shows: ['streamable-http.client-resumes-by-get#no-resumption'],
    },
    onHttp(ask => (ask.headers['last-event-id'] === undefined ? ask : undefined)),
  ),

  clientQuirk(
    'client-without-authorization',
    {
      what: 'The client does not start authorization after a 401 response.',
      shows: ['auth.client-reacts-to-401#no-authorization'],
    },
    onBehaviour(({ authorization }) => {
      authorization.reacts = false;
    }),
  ),

  clientQuirk(
    'refusal-is-taken-for-age',
    {
      what: 'The client does not support authorization; after a 401 response it looks for the HTTP+SSE transport at /sse.',
      shows: [
        'streamable-http.client-falls-back-to-sse#after-401',
        'auth.client-reacts-to-401#no-authorization',
      ],
    },
    onBehaviour(({ authorization }) => {
      authorization.reacts = false;
    }),
    onHttpHead((head, ask) => {
      if (head.status === 401) void fetch(new URL('/sse', ask.url)).catch(() => {});
      return head;
    }),
  ),

  clientQuirk(
    'opens-stream-after-refusal',
    {
      what: 'The client knows no HTTP+SSE transport, and opens a stream after its POST was refused.',
      over: streamable,
      where: hasHandshake,
      shows: ['streamable-http.client-falls-back-to-sse#own-stream'],
    },
    onHttp(ask => {
      if (ask.method === 'POST' && ask.url.includes('/messages?')) return undefined;
      return ask.method === 'GET'
        ? { ...ask, headers: { 'mcp-protocol-version': latestRevision.id, ...ask.headers } }
        : ask;
    }),
  ),
];
