/** basic/utilities/ping. */

import { fault, onReply, onRequest, onResult, refusal } from '../fault.js';
import { codes } from '../refusal.js';

export const pingFaults = [
  fault(
    'ping-refused',
    { what: 'ping is an unknown method.', breaks: ['ping.answered-empty'] },
    onReply('ping', (_reply, ask) => refusal(ask, codes.methodNotFound, 'Method not found')),
  ),

  fault(
    'ping-refused-in-handshake',
    {
      what: 'A ping is refused until the client has said that it is initialized.',
      breaks: ['ping.answered-empty'],
    },
    onRequest('ping', (ask, context) =>
      context.initialized
        ? ask
        : (context.send(refusal(ask, codes.invalidRequest, 'Not initialized')) as undefined),
    ),
  ),

  fault(
    'result-null',
    {
      what: 'A ping is answered with null.',
      breaks: ['jsonrpc.result-object', 'ping.answered-empty'],
    },
    onResult('ping', () => null),
  ),
];
