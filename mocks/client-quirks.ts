/** Legal oddities of clients: whoever flags one of these is wrong. */

import { isObject } from '../spec/json-rpc.js';
import { type ClientDeviation, clientQuirk, onHabits } from './client/fault.js';

export const clientQuirks: readonly ClientDeviation[] = [
  clientQuirk(
    'asks-newer-first',
    { what: 'Before it initializes the client asks whether the server is of a newer era.' },
    {
      message: m =>
        m.method === 'initialize'
          ? [{ jsonrpc: '2.0', id: 'newer?', method: 'server/discover', params: { _meta: {} } }, m]
          : m,
      incoming: m => (isObject(m) && m.id === 'newer?' ? undefined : m),
    },
  ),

  clientQuirk(
    'client-without-authorization',
    { what: 'The client does nothing about it when it is refused for want of a token.' },
    onHabits(({ authorization }) => {
      authorization.reacts = false;
    }),
  ),
];
