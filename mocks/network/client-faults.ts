/** Clients that lose or double something only where the network fails. */

import { type ClientDeviation, clientFault, onBehaviour, onHttp, onStreamBytes } from '../client/fault.js';
import { lastEventId, resumesFromFirst } from '../client/faults/streams.js';

const over = ['streamable-http'] as const;
const newline = Buffer.from('\n');

export const networkClientFaults: readonly ClientDeviation[] = [
  clientFault(
    'nw-takes-unfinished-events',
    {
      what: 'The client takes a data line for a whole event, before the empty line that ends the event.',
      breaks: ['streamable-http.client-resumes-by-get', 'pagination.cursor-opaque'],
      over,
    },
    onStreamBytes(bytes =>
      bytes.at(-1) === 0x0a && bytes.at(-2) !== 0x0a ? Buffer.concat([bytes, newline]) : bytes,
    ),
  ),

  clientFault(
    'nw-resumes-from-first',
    {
      what: 'The client resumes a stream with the id of its first event.',
      breaks: ['streamable-http.client-resumes-by-get'],
      over,
    },
    resumesFromFirst,
  ),

  clientFault(
    'nw-resumes-with-unknown-id',
    {
      what: 'The client resumes a stream with an id that no event had.',
      breaks: ['streamable-http.client-resumes-by-get'],
      over,
    },
    onHttp(ask => {
      const id = ask.headers[lastEventId];
      return id === undefined ? ask : { ...ask, headers: { ...ask.headers, [lastEventId]: `unknown-${id}` } };
    }),
  ),

  clientFault(
    'nw-answers-again',
    {
      what: 'The client responds again to a request that a resumed stream delivers again under its event id.',
      breaks: ['streamable-http.redelivered-answered-once'],
      shows: ['streamable-http.redelivered-answered-once#twice'],
      over,
    },
    onBehaviour(habits => {
      habits.handlesAgain = true;
    }),
  ),

  clientFault(
    'nw-sends-again',
    {
      what: 'The client sends resources/read again under its id when the connection breaks.',
      breaks: ['jsonrpc.request-id-unique-in-session'],
      over,
    },
    onBehaviour(habits => {
      habits.repeatsLost = true;
    }),
  ),

  clientFault(
    'nw-sends-again-stateless',
    {
      what: 'Without a handshake the client sends resources/read again under its id when the connection breaks.',
      breaks: ['streamable-http.reissue-new-id'],
      over,
    },
    onBehaviour(habits => {
      habits.repeatsLost = true;
    }),
  ),
];
