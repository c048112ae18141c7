/** basic/utilities/ping. */

import type { JsonObject } from '../../../spec/json-rpc.js';
import { asking, fault, onReply, onRequest, onResult, refusal } from '../../fault.js';
import { codes } from '../refusal.js';
import { afterInitialized, hasHandshake, paramsOf } from './shared.js';

/** Other pings stay unchanged, because they show that the server still runs. */
const hasEmptyParams = (ask: JsonObject): boolean =>
  ask.params !== undefined && Object.keys(paramsOf(ask)).length === 0;

export const pingFaults = [
  fault(
    'ping-refused',
    { what: 'ping with empty params is rejected.', breaks: ['ping.answered-empty'] },
    onReply('ping', (reply, ask) =>
      hasEmptyParams(ask) ? refusal(ask, codes.methodNotFound, 'Method not found') : reply,
    ),
  ),

  fault(
    'ping-refused-in-handshake',
    {
      what: 'ping before notifications/initialized is rejected.',
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
      what: 'ping with empty params returns the result null.',
      breaks: ['jsonrpc.result-object'],
      where: hasHandshake,
    },
    onResult('ping', (body, ask) => (hasEmptyParams(ask) ? null : body)),
  ),

  fault(
    'pings-without-end',
    { what: 'The server sends 60 pings after notifications/initialized.', breaks: ['ping.not-excessive'] },
    afterInitialized(context => {
      for (let n = 0; n < 60; n++) context.send(asking(context.nextId(), 'ping'));
    }),
  ),
];
