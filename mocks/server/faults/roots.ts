/** client/roots: faults of servers. */

import { isObject } from '../../../spec/json-rpc.js';
import { fault, onIncoming, onReply, onRequest } from '../../fault.js';
import { hasHandshake, paramsOf } from './shared.js';

const changed = 'notifications/roots/list_changed';

export const rootsFaults = [
  fault(
    'roots-changes-kill',
    {
      what: 'The process exits when it receives the sixth notifications/roots/list_changed.',
      breaks: ['roots.changes-handled', 'jsonrpc.request-answered-once'],
      shows: ['jsonrpc.request-answered-once#crash', 'roots.changes-handled#exits'],
      where: hasHandshake,
    },
    onIncoming((message, context) => {
      if (isObject(message) && message.method === changed && context.count() === 6) context.exit(1);
      return message;
    }),
  ),

  fault(
    'roots-asked-once',
    {
      what: 'roots/list is sent only once, also after notifications/roots/list_changed.',
      breaks: ['roots.server-refetches-after-change'],
      shows: ['roots.server-refetches-after-change#never-again'],
    },
    onIncoming(message => (isObject(message) && message.method === changed ? undefined : message)),
    onRequest('tools/call', (ask, context) =>
      paramsOf(ask).name === 'test_roots' && context.count() > 1
        ? { ...ask, params: { name: 'test_simple_text' } }
        : ask,
    ),
  ),

  fault(
    'roots-refusal-hangs',
    {
      what: 'tools/call gets no response when the client returns an error to roots/list.',
      breaks: ['roots.unavailable-roots-handled', 'jsonrpc.request-answered-once'],
      shows: ['jsonrpc.request-answered-once#no-response', 'roots.unavailable-roots-handled#no-response'],
      where: hasHandshake,
    },
    onReply('tools/call', reply => (JSON.stringify(reply).includes('not available') ? undefined : reply)),
  ),
];
