/** basic/transports#streamable-http: what clients do wrong with streams of events. */

import type { SseRead } from '../../../harness/framing/sse.js';
import { isObject } from '../../../spec/json-rpc.js';
import { paramsOf } from '../../server/faults/shared.js';
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

const lastEventId = 'last-event-id';

/** Reads streams as if something else stood there. */
const readsAs = (change: (text: string) => string): ClientMiddleware =>
  onStreamBytes(bytes => Buffer.from(change(bytes.toString('latin1')), 'latin1'));

/** It brings a message. */
const isWord = ({ data }: SseRead): boolean => data !== undefined && data !== '';

const dataless = ({ data: _, ...rest }: SseRead): SseRead => rest;

export const streamFaults = [
  clientFault(
    'client-knows-no-lone-cr',
    {
      what: 'The client takes no lone carriage return for the end of a line.',
      breaks: ['streamable-http.client-reads-lone-cr'],
      over,
    },
    readsAs(text => text.replace(/\r(?!\n)/g, ' ')),
  ),

  clientFault(
    'client-knows-no-crlf',
    {
      what: 'The client divides events at two line feeds.',
      breaks: [...breaks, 'http-sse.client-reads-streams'],
      over: ['streamable-http', 'http-sse'],
    },
    readsAs(text => text.replaceAll('\r\n', ' \n')),
  ),

  clientFault(
    'client-knows-no-comments',
    { what: 'The client takes comments for data.', breaks, over },
    readsAs(text => text.replace(/^:/gm, 'data:')),
  ),

  clientFault(
    'client-needs-space-after-colon',
    { what: 'The client finds no field without a space after its colon.', breaks, over },
    readsAs(text => text.replace(/^(data|event|id):(?! )/gm, 'x:')),
  ),

  clientFault(
    'client-reads-byte-order-mark',
    { what: 'The client takes a byte order mark for part of the first field.', breaks, over },
    readsAs(text => text.replace(/^\xef\xbb\xbf(.*\n)+/, '')),
  ),

  clientFault(
    'client-decodes-each-chunk',
    {
      what: 'The client decodes each piece of a stream by itself.',
      breaks: [...breaks, 'pagination.cursor-opaque'],
      over,
    },
    onStreamBytes(bytes => Buffer.from(bytes.toString('utf8'))),
  ),

  clientFault(
    'client-needs-event-names',
    { what: 'The client passes over events that do not say that they are messages.', breaks, over },
    onBlock(block => (isWord(block) && block.event === undefined ? dataless(block) : block)),
  ),

  clientFault(
    'client-needs-event-ids',
    {
      what: 'Where events have ids, the client passes over those without.',
      breaks: [...breaks, 'streamable-http.client-reads-lone-cr'],
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
    { what: 'The client dies of an event of a type it does not know.', breaks, over },
    onBlock((block, context) => {
      if (block.event === 'x-unknown') context.exit(1);
      return block;
    }),
  ),

  clientFault(
    'client-dies-of-empty-events',
    { what: 'The client dies of an event without data.', breaks, over },
    onBlock((block, context) => {
      if (block.retry === '10' && !isWord(block)) context.exit(1);
      return block;
    }),
  ),

  clientFault(
    'client-reads-one-line',
    { what: 'The client reads one line of data of each event.', breaks, over },
    onBlock(block => ({ ...block, ...(isWord(block) && { data: block.data!.split('\n')[0]! }) })),
  ),

  clientFault(
    'client-does-not-poll',
    {
      what: 'The client takes the end of a stream for the end of its request.',
      breaks: ['streamable-http.client-polls'],
      over,
    },
    onHttp(ask => (ask.headers[lastEventId]?.startsWith('p') ? undefined : ask)),
  ),

  clientFault(
    'client-forgets-event-id',
    {
      what: 'The client that comes back to a stream once more no longer knows where it was.',
      breaks: ['streamable-http.client-polls'],
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
      what: 'The client does not wait before it connects again.',
      breaks: ['streamable-http.client-respects-retry'],
      over,
    },
    onBlock(({ retry: _, ...block }) => block),
  ),

  clientFault(
    'client-keeps-first-retry',
    {
      what: 'The client waits as long as it was told first.',
      breaks: ['streamable-http.client-respects-retry'],
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
      what: 'The client goes on from the first event it has seen.',
      breaks: ['streamable-http.client-resumes-by-get'],
      over,
    },
    onHttp(ask => {
      const id = ask.headers[lastEventId];
      if (id === undefined) return ask;
      return { ...ask, headers: { ...ask.headers, [lastEventId]: id.replace(/\d+$/, '0') } };
    }),
    // what it has heard before it does not hear again
    onIncoming((message, context) => {
      const heard = context.keep(() => new Set<string>());
      if (!isObject(message) || message.method === undefined) return message;
      const text = JSON.stringify(message);
      return heard.size < heard.add(text).size ? message : undefined;
    }),
  ),

  clientFault(
    'client-hangs-up',
    {
      what: 'The client closes the connection of what takes too long, and says nothing.',
      breaks: ['streamable-http.cancel-explicit', 'timeouts.cancel-on-expiry'],
      over,
    },
    onNotification('notifications/cancelled', (note, context) => {
      const { requestId, reason } = paramsOf(note);
      if (reason !== tookTooLong) return note;
      context.session.carrier.hangUp?.(requestId);
      return undefined;
    }),
  ),
];
