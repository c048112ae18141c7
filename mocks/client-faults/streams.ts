/** basic/transports#streamable-http: what clients do wrong with streams of events. */

import type { SseRead } from '../../harness/framing/sse.js';
import { type ClientMiddleware, clientFault, onBlock, onStreamBytes } from '../client/fault.js';

const over = ['streamable-http'] as const;
const breaks = ['streamable-http.client-accepts-both'] as const;

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
    { what: 'The client divides events at two line feeds.', breaks, over },
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
    { what: 'Where events have ids, the client passes over those without.', breaks, over },
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
];
