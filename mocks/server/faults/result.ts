/** basic/index: the members of every result. */

import { isObject, without } from '../../../spec/json-rpc.js';
import { fault, onMessage, onResult } from '../../fault.js';

export const resultFaults = [
  fault(
    'result-type-missing',
    { what: 'The result of tools/list has no resultType.', breaks: ['result.type-present'] },
    onResult('tools/list', body => without(body, 'resultType')),
  ),

  fault(
    'result-type-unknown',
    { what: 'The result of prompts/list has an unknown resultType.', breaks: ['result.type-known'] },
    onResult('prompts/list', body => ({ ...body, resultType: 'done' })),
  ),

  fault(
    'result-server-info-missing',
    { what: 'Results contain no serverInfo in _meta.', breaks: ['meta.server-info-included'] },
    onMessage(message =>
      isObject(message.result) && isObject(message.result._meta)
        ? {
            ...message,
            result: {
              ...message.result,
              _meta: without(message.result._meta, 'io.modelcontextprotocol/serverInfo'),
            },
          }
        : message,
    ),
  ),
];
