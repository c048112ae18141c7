/** basic/index#_meta. */

import { isObject } from '../../../spec/json-rpc.js';
import { fault, onMessage, onResult } from '../../fault.js';

export const metaFaults = [
  fault(
    'meta-key-malformed',
    {
      what: 'The tools/list result has a _meta key with an empty label in its prefix.',
      breaks: ['meta.key-prefix-syntax'],
    },
    onResult('tools/list', body => ({ ...body, _meta: { 'com..example/x': 1 } })),
  ),

  fault(
    'meta-key-underscore',
    {
      what: 'The tools/list result has a _meta key that begins with an underscore.',
      breaks: ['meta.key-name-syntax'],
    },
    onMessage(message =>
      'result' in message && isObject(message.result) && 'tools' in message.result
        ? { ...message, result: { ...message.result, _meta: { _internal: 1 } } }
        : message,
    ),
  ),
];
