/** basic/utilities/ping. */

import type { JsonObject } from '../../../spec/json-rpc.js';
import { fault, onReply, onRequest, onResult, refusal } from '../../fault.js';
import { codes } from '../refusal.js';
import { paramsOf } from './shared.js';

/** Other pings are left alone, because they show that the server lives. */
const hasEmptyParams = (ask: JsonObject): boolean =>
  ask.params !== undefined && Object.keys(paramsOf(ask)).length === 0;

export const pingFaults = [
  fault(
    'ping-refused',
    { what: 'A ping with empty params is refused.', breaks: ['ping.answered-empty'] },
    onReply('ping', (reply, ask) =>
      hasEmptyParams(ask) ? refusal(ask, codes.methodNotFound, 'Method not found') : reply,
    ),
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
      what: 'A ping with empty params is answered with null.',
      breaks: ['jsonrpc.result-object'],
    },
    onResult('ping', (body, ask) => (hasEmptyParams(ask) ? null : body)),
  ),
];
