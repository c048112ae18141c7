/** client/roots, the server's part. */

import { isObject } from '../../../spec/json-rpc.js';
import { fault, onIncoming, onReply, onRequest } from '../../fault.js';
import { paramsOf } from './shared.js';

const changed = 'notifications/roots/list_changed';

export const rootsFaults = [
  fault(
    'roots-changes-kill',
    {
      what: 'The process dies when the roots change too often.',
      breaks: ['roots.changes-handled', 'jsonrpc.request-answered-once'],
    },
    onIncoming((message, context) => {
      if (isObject(message) && message.method === changed && context.count() === 6) context.exit(1);
      return message;
    }),
  ),

  fault(
    'roots-asked-once',
    {
      what: 'The roots are asked for once and for all.',
      breaks: ['roots.server-refetches-after-change'],
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
      what: 'When the client has no roots to give, the call is never answered.',
      breaks: ['roots.unavailable-roots-handled', 'jsonrpc.request-answered-once'],
    },
    onReply('tools/call', reply => (JSON.stringify(reply).includes('not available') ? undefined : reply)),
  ),
];
