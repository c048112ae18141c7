/** basic/utilities/ping. */

import type { JsonObject } from '../../../spec/json-rpc.js';
import { asking, fault, onHttpRequest, onReply, onRequest, onResult, refusal } from '../../fault.js';
import { jsonReply, refuse } from '../http/reply.js';
import { codes } from '../refusal.js';
import { afterInitialized, askedIn, hasHandshake, paramsOf } from './shared.js';

/** Other pings stay unchanged, because they show that the server still runs. */
const hasEmptyParams = (ask: JsonObject): boolean =>
  ask.params !== undefined && Object.keys(paramsOf(ask)).length === 0;

export const pingFaults = [
  fault(
    'ping-refused',
    {
      what: 'ping with empty params is rejected.',
      breaks: ['ping.answered-empty'],
      shows: ['ping.answered-empty#refused'],
    },
    onReply('ping', (reply, ask) =>
      hasEmptyParams(ask) ? refusal(ask, codes.methodNotFound, 'Method not found') : reply,
    ),
  ),

  fault(
    'ping-refused-in-handshake',
    {
      what: 'ping before notifications/initialized is rejected.',
      breaks: ['ping.answered-empty'],
      shows: ['ping.answered-empty#refused-in-handshake'],
    },
    onRequest('ping', (ask, context) =>
      context.initialized
        ? ask
        : (context.send(refusal(ask, codes.invalidRequest, 'Not initialized')) as undefined),
    ),
  ),

  fault(
    'ping-unknown-over-http',
    {
      what: 'ping with empty params gets status 404 and error -32601.',
      breaks: ['ping.answered-empty'],
      shows: ['ping.answered-empty#unknown-over-http'],
      where: hasHandshake,
      over: ['streamable-http'],
    },
    onHttpRequest(ask => {
      const ping = askedIn(ask, 'ping');
      return ping && hasEmptyParams(ping)
        ? jsonReply(404, refusal(ping, codes.methodNotFound, 'Method not found'))
        : ask;
    }),
  ),

  fault(
    'ping-status-500',
    {
      what: 'ping with empty params gets status 500.',
      breaks: ['ping.answered-empty'],
      shows: ['ping.answered-empty#status-500'],
      where: hasHandshake,
      over: ['streamable-http'],
    },
    onHttpRequest(ask =>
      hasEmptyParams(askedIn(ask, 'ping') ?? {}) ? refuse(500, 'Internal Server Error') : ask,
    ),
  ),

  fault(
    'ping-result-with-members',
    {
      what: 'ping with empty params returns a result with a member.',
      breaks: ['ping.result-without-members'],
      shows: ['ping.result-without-members#further-member'],
    },
    onResult('ping', (body, ask) => (hasEmptyParams(ask) ? { ...body, pong: true } : body)),
  ),

  fault(
    'result-null',
    {
      what: 'ping with empty params returns the result null.',
      breaks: ['jsonrpc.result-object'],
      shows: ['jsonrpc.result-object#is-null'],
      where: hasHandshake,
    },
    onResult('ping', (body, ask) => (hasEmptyParams(ask) ? null : body)),
  ),

  fault(
    'pings-without-end',
    {
      what: 'The server sends 60 pings after notifications/initialized.',
      breaks: ['ping.not-excessive'],
      shows: ['ping.not-excessive#flood'],
    },
    afterInitialized(context => {
      for (let n = 0; n < 60; n++) context.send(asking(context.nextId(), 'ping'));
    }),
  ),
];
