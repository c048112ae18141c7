/** Legal refusals of clients: responses that they do not use. */

import { isObject } from '../../../spec/json-rpc.js';
import { type ClientDeviation, clientQuirk, onIncoming } from '../fault.js';

export const refusalQuirks: readonly ClientDeviation[] = [
  clientQuirk(
    'client-refuses-retyped-answers',
    {
      what: 'The client gives up a request whose id it receives as text in a response.',
      shows: ['jsonrpc.retyped-answer-not-taken#gives-up'],
    },
    onIncoming(message =>
      isObject(message) && 'result' in message && typeof message.id === 'string' && /^\d+$/.test(message.id)
        ? { jsonrpc: '2.0', id: Number(message.id), error: { code: -32603, message: 'Another id' } }
        : message,
    ),
  ),
];
