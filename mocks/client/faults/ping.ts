/** basic/utilities/ping. */

import { asking, refusal } from '../../fault.js';
import { hasHandshake } from '../../server/faults/shared.js';
import { clientFault, onOpened, onReply } from '../fault.js';

export const pingFaults = [
  clientFault(
    'client-ping-refused',
    {
      what: 'The client responds to ping with the error -32601.',
      breaks: ['ping.answered-empty'],
      shows: ['ping.answered-empty#refused'],
    },
    onReply('ping', (_, ask) => refusal(ask, -32601, 'Method not found')),
  ),

  clientFault(
    'client-ping-unanswered',
    {
      what: 'The client sends no response to ping.',
      breaks: ['jsonrpc.request-answered-once', 'batch.receive'],
      shows: ['batch.receive#no-response', 'jsonrpc.request-answered-once#no-response'],
      where: hasHandshake,
    },
    onReply('ping', () => undefined),
  ),

  clientFault(
    'client-ping-null',
    {
      what: 'The client responds to ping with the result null.',
      breaks: ['jsonrpc.result-object'],
      shows: ['jsonrpc.result-object#is-null'],
      where: hasHandshake,
    },
    onReply('ping', reply => ({ ...reply, result: null })),
  ),

  clientFault(
    'client-ping-result-with-members',
    {
      what: 'The client responds to ping with a result that has a member.',
      breaks: ['ping.result-without-members'],
      shows: ['ping.result-without-members#further-member'],
      where: hasHandshake,
    },
    onReply('ping', reply => ({ ...reply, result: { pong: true } })),
  ),

  clientFault(
    'client-ping-flood',
    {
      what: 'The client sends 60 pings after it has opened the session.',
      breaks: ['ping.not-excessive'],
      shows: ['ping.not-excessive#flood'],
    },
    onOpened(async context => {
      for (let n = 0; n < 60; n++) await context.send(asking(`ping-${n}`, 'ping'));
    }),
  ),
];
