/** basic/index: the members of every result. */

import { isObject, without } from '../../../spec/json-rpc.js';
import { fault, onMessage, onResult } from '../../fault.js';
import { paramsOf } from './shared.js';

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
    'task-without-extension',
    {
      what: 'A tools/call gets a result of an extension that the client has not declared.',
      breaks: ['versioning.extension-fallback', 'result.type-known'],
    },
    onResult('tools/call', (body, ask) =>
      paramsOf(ask).name === 'test_simple_text' ? { ...body, resultType: 'task' } : body,
    ),
  ),

  fault(
    'trace-malformed',
    {
      what: 'The result of tools/list has a traceparent in capital letters.',
      breaks: ['meta.trace-context-format'],
    },
    onResult('tools/list', body => ({
      ...body,
      _meta: {
        ...(isObject(body._meta) && body._meta),
        traceparent: '00-0AF7651916CD43DD8448EB211C80319C-B7AD6B7169203331-01',
      },
    })),
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
