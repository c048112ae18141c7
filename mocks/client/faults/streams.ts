/** basic/transports#streamable-http: faults of clients that read event streams. */

import type { SseRead } from '../../../harness/framing/sse.js';
import { isObject } from '../../../spec/json-rpc.js';
import { hasHandshake, paramsOf } from '../../server/faults/shared.js';
import {
  type ClientMiddleware,
  clientFault,
  onBlock,
  onHttp,
  onIncoming,
  onNotification,
  onStreamBytes,
} from '../fault.js';
import { tookTooLong } from '../session.js';

const over = ['streamable-http'] as const;
const breaks = ['streamable-http.client-accepts-both'] as const;

export const lastEventId = 'last-event-id';

/** A stream is resumed with the id of its first event. */
export const resumesFromFirst = onHttp(ask => {
  const id = ask.headers[lastEventId];
  if (id === undefined) return ask;
  return { ...ask, headers: { ...ask.headers, [lastEventId]: id.replace(/\d+$/, '0') } };
});

/** The id of the last event of all streams. */
const latest = (): { id?: string } => ({});

/** Changes the bytes of streams before the client reads them. */
const readsAs = (change: (text: string) => string): ClientMiddleware =>
  onStreamBytes(bytes => Buffer.from(change(bytes.toString('latin1')), 'latin1'));

/** The event carries a message. */
const isWord = ({ data }: SseRead): boolean => data !== undefined && data !== '';

const dataless = ({ data: _, ...rest }: SseRead): SseRead => rest;

export const streamFaults = [
  clientFault(
    'client-knows-no-lone-cr',
    {
      what: 'The client does not recognise a lone carriage return as the end of a line in an event stream.',
      breaks: ['streamable-http.client-reads-lone-cr'],
      shows: ['streamable-http.client-reads-lone-cr#not-read'],
      over,
    },
    readsAs(text => text.replace(/\r(?!\n)/g, ' ')),
  ),

  clientFault(
    'client-knows-no-crlf',
    {
      what: 'The client does not recognise CR LF as the end of an event in an event stream.',
      breaks: [...breaks, 'http-sse.client-reads-streams'],
      shows: ['http-sse.client-reads-streams#crlf', 'streamable-http.client-accepts-both#line-ends'],
      over: ['streamable-http', 'http-sse'],
    },
    readsAs(text => text.replaceAll('\r\n', ' \n')),
  ),

  clientFault(
    'client-knows-no-comments',
    {
      what: 'The client reads comments in an event stream as data.',
      breaks,
      shows: ['streamable-http.client-accepts-both#comments'],
      over,
    },
    readsAs(text => text.replace(/^:/gm, 'data:')),
  ),

  clientFault(
    'client-needs-space-after-colon',
    {
      what: 'The client ignores fields of an event stream without a space after the colon.',
      breaks,
      shows: ['streamable-http.client-accepts-both#fields'],
      over,
    },
    readsAs(text => text.replace(/^(data|event|id):(?! )/gm, 'x:')),
  ),

  clientFault(
    'client-reads-byte-order-mark',
    {
      what: 'The client reads a byte order mark as part of the first field of an event stream.',
      breaks,
      shows: ['streamable-http.client-accepts-both#fields'],
      over,
    },
    readsAs(text => text.replace(/^\xef\xbb\xbf(.*\n)+/, '')),
  ),

  clientFault(
    'client-decodes-each-chunk',
    {
      what: 'The client decodes each chunk of an event stream separately.',
      breaks: [...breaks, 'pagination.cursor-opaque'],
      shows: ['pagination.cursor-opaque#characters-replaced', 'streamable-http.client-accepts-both#chunks'],
      over,
    },
    onStreamBytes(bytes => Buffer.from(bytes.toString('utf8'))),
  ),

  clientFault(
    'client-needs-event-names',
    {
      what: 'The client ignores events without an event field.',
      breaks,
      shows: ['streamable-http.client-accepts-both#fields'],
      over,
    },
    onBlock(block => (isWord(block) && block.event === undefined ? dataless(block) : block)),
  ),

  clientFault(
    'client-needs-event-ids',
    {
      what: 'The client ignores events without an id after it has read an event with one.',
      breaks: [...breaks, 'streamable-http.client-reads-lone-cr'],
      shows: ['streamable-http.client-accepts-both#fields', 'streamable-http.client-reads-lone-cr#not-read'],
      over,
    },
    onBlock((block, context) => {
      const names = context.keep(() => ({ seen: false }));
      names.seen ||= block.id !== undefined;
      return names.seen && isWord(block) && block.id === undefined ? dataless(block) : block;
    }),
  ),

  clientFault(
    'client-dies-of-unknown-events',
    {
      what: 'The client exits when it reads an event of an unknown type.',
      breaks: ['streamable-http.client-ignores-unknown-events'],
      shows: ['streamable-http.client-ignores-unknown-events#not-ignored'],
      over,
    },
    onBlock((block, context) => {
      if (block.event === 'x-unknown') context.exit(1);
      return block;
    }),
  ),

  clientFault(
    'client-dies-of-empty-events',
    {
      what: 'The client exits when it reads an event without data.',
      breaks,
      shows: ['streamable-http.client-accepts-both#other-events'],
      over,
    },
    onBlock((block, context) => {
      if (block.retry === '10' && !isWord(block)) context.exit(1);
      return block;
    }),
  ),

  clientFault(
    'client-reads-one-line',
    {
      what: 'The client reads only the first data line of each event.',
      breaks,
      shows: ['streamable-http.client-accepts-both#data-lines'],
      over,
    },
    onBlock(block => ({ ...block, ...(isWord(block) && { data: block.data!.split('\n')[0]! }) })),
  ),

  clientFault(
    'client-does-not-poll',
    {
      what: 'The client does not reconnect after the server closes the stream of a request that has no response yet.',
      breaks: ['streamable-http.client-polls'],
      shows: ['streamable-http.client-polls#no-reconnect'],
      over,
    },
    onHttp(ask => (ask.headers[lastEventId]?.startsWith('p') ? undefined : ask)),
  ),

  clientFault(
    'client-without-event-id',
    {
      what: 'The client sends no Last-Event-ID header when it resumes a stream.',
      breaks: ['streamable-http.client-polls'],
      shows: ['streamable-http.client-polls#without-id'],
      over,
    },
    onHttp(({ headers: { [lastEventId]: _, ...headers }, ...ask }) => ({ ...ask, headers })),
  ),

  clientFault(
    'client-forgets-event-id',
    {
      what: 'The client sends no Last-Event-ID header when it resumes a stream a second time.',
      breaks: ['streamable-http.client-polls'],
      shows: ['streamable-http.client-polls#second-time'],
      over,
    },
    onHttp((ask, context) => {
      const { [lastEventId]: id, ...headers } = ask.headers;
      const used = context.keep(() => new Set<string>());
      if (id === undefined || used.size < used.add(id).size) return ask;
      return { ...ask, headers };
    }),
  ),

  clientFault(
    'client-comes-back-at-once',
    {
      what: 'The client ignores the retry value of an event stream when it reconnects.',
      breaks: ['streamable-http.client-respects-retry'],
      shows: ['streamable-http.client-respects-retry#at-once'],
      over,
    },
    onBlock(({ retry: _, ...block }) => block),
  ),

  clientFault(
    'client-delay-of-its-own',
    {
      what: 'The client waits one second before it reconnects, whatever the retry value of the stream.',
      breaks: ['streamable-http.client-respects-retry'],
      shows: ['streamable-http.client-respects-retry#own-delay'],
      over,
    },
    onBlock(block => (block.retry === undefined ? block : { ...block, retry: '1000' })),
  ),

  clientFault(
    'client-keeps-first-retry',
    {
      what: 'The client uses the first retry value of all event streams when it reconnects.',
      breaks: ['streamable-http.client-respects-retry'],
      shows: ['streamable-http.client-respects-retry#first-value'],
      over,
    },
    onBlock(({ retry, ...block }, context) => {
      const first = context.keep(() => ({ retry }));
      first.retry ??= retry;
      return { ...block, ...(first.retry !== undefined && { retry: first.retry }) };
    }),
  ),

  clientFault(
    'client-resumes-from-beginning',
    {
      what: 'The client sends the id of the first event as Last-Event-ID when it resumes a stream.',
      breaks: ['streamable-http.client-resumes-by-get'],
      shows: ['streamable-http.client-resumes-by-get#earlier-id'],
      over,
    },
    resumesFromFirst,
    // messages received before are ignored
    onIncoming((message, context) => {
      const heard = context.keep(() => new Set<string>());
      if (!isObject(message) || message.method === undefined) return message;
      const text = JSON.stringify(message);
      return heard.size < heard.add(text).size ? message : undefined;
    }),
  ),

  clientFault(
    'client-mixes-event-ids',
    {
      what: 'The client sends the last event id of all streams as Last-Event-ID when it resumes one of them.',
      breaks: ['streamable-http.client-resumes-by-get'],
      shows: ['streamable-http.client-resumes-by-get#other-stream'],
      over,
      where: hasHandshake,
    },
    onBlock((block, context) => {
      if (block.id) context.keep(latest).id = block.id;
      return block;
    }),
    onHttp((ask, context) => {
      const { id } = context.keep(latest);
      if (ask.headers[lastEventId] === undefined || id === undefined) return ask;
      return { ...ask, headers: { ...ask.headers, [lastEventId]: id } };
    }),
  ),

  clientFault(
    'client-hangs-up',
    {
      what: 'The client closes the connection of a request after a timeout and sends no notifications/cancelled.',
      breaks: ['streamable-http.cancel-explicit', 'timeouts.cancel-on-expiry'],
      shows: ['streamable-http.cancel-explicit#hangs-up', 'timeouts.cancel-on-expiry#hangs-up'],
      over,
      where: hasHandshake,
    },
    onNotification('notifications/cancelled', (note, context) => {
      const { requestId, reason } = paramsOf(note);
      if (reason !== tookTooLong) return note;
      context.session.carrier.hangUp?.(requestId);
      return undefined;
    }),
  ),
];
