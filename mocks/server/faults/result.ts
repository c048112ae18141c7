/** basic/index: the members of every result. */

import { isObject, type JsonObject, without } from '../../../spec/json-rpc.js';
import { fault, onMessage, onResult } from '../../fault.js';
import { declaresTasks, isStateless, paramsOf } from './shared.js';

const withMeta = (body: JsonObject, more: JsonObject): JsonObject => ({
  ...body,
  _meta: { ...(isObject(body._meta) && body._meta), ...more },
});

export const resultFaults = [
  fault(
    'result-type-missing',
    {
      what: 'The result of tools/list has no resultType.',
      breaks: ['result.type-present'],
      shows: ['result.type-present#missing'],
    },
    onResult('tools/list', body => without(body, 'resultType')),
  ),

  fault(
    'result-type-unknown',
    {
      what: 'The result of prompts/list has an unknown resultType.',
      breaks: ['result.type-known'],
      shows: ['result.type-known#unknown'],
    },
    onResult('prompts/list', body => ({ ...body, resultType: 'done' })),
  ),

  fault(
    'task-without-extension',
    {
      what: 'A tools/call gets a result of an extension that the client has not declared.',
      breaks: [
        'versioning.extension-fallback',
        'result.type-known',
        'ext-tasks.only-if-declared',
        'base.schema-valid',
      ],
      shows: [
        'base.schema-valid#other-result',
        'ext-tasks.only-if-declared#type-alone',
        'versioning.extension-fallback#extension-result',
        'result.type-known#extension-undeclared',
      ],
      where: isStateless,
    },
    onResult('tools/call', (body, ask) =>
      paramsOf(ask).name === 'test_simple_text' && !declaresTasks(ask)
        ? { ...body, resultType: 'task' }
        : body,
    ),
  ),

  fault(
    'trace-malformed',
    {
      what: 'The result of tools/list has a traceparent in capital letters.',
      breaks: ['meta.trace-context-format'],
      shows: ['meta.trace-context-format#upper-case'],
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
    {
      what: 'Results contain no serverInfo in _meta.',
      breaks: ['meta.server-info-included'],
      shows: ['meta.server-info-included#none'],
    },
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

  fault(
    'result-type-missing-in-calls',
    {
      what: 'The result of tools/call has no resultType.',
      breaks: ['result.type-present'],
      shows: ['result.type-present#missing'],
    },
    onResult('tools/call', body => (body.resultType === 'complete' ? without(body, 'resultType') : body)),
  ),

  fault(
    'result-type-null',
    {
      what: 'The result of prompts/get has the resultType null.',
      breaks: ['result.type-present'],
      shows: ['result.type-present#is-null'],
    },
    onResult('prompts/get', body => (body.resultType === 'complete' ? { ...body, resultType: null } : body)),
  ),

  fault(
    'result-type-in-capitals',
    {
      what: 'The result of resources/read has the resultType "Complete".',
      breaks: ['result.type-known'],
      shows: ['result.type-known#other-case'],
    },
    onResult('resources/read', body => ({ ...body, resultType: 'Complete' })),
  ),

  fault(
    'result-type-empty',
    {
      what: 'The result of completion/complete has an empty resultType.',
      breaks: ['result.type-known'],
      shows: ['result.type-known#empty'],
    },
    onResult('completion/complete', body => ({ ...body, resultType: '' })),
  ),

  fault(
    'baggage-malformed',
    {
      what: 'The result of prompts/list has a baggage without a value.',
      breaks: ['meta.trace-context-format'],
      shows: ['meta.trace-context-format#list-malformed'],
    },
    onResult('prompts/list', body => withMeta(body, { baggage: 'user ada' })),
  ),

  fault(
    'tracestate-malformed',
    {
      what: 'The result of resources/list has an object as tracestate.',
      breaks: ['meta.trace-context-format'],
      shows: ['meta.trace-context-format#no-text'],
    },
    onResult('resources/list', body => withMeta(body, { tracestate: { vendor: 'odd' } })),
  ),

  fault(
    'trace-of-zeros',
    {
      what: 'The result of tools/list has a traceparent whose trace id is zero.',
      breaks: ['meta.trace-context-format'],
      shows: ['meta.trace-context-format#zeros'],
    },
    onResult('tools/list', body =>
      withMeta(body, { traceparent: `00-${'0'.repeat(32)}-b7ad6b7169203331-01` }),
    ),
  ),

  fault(
    'server-info-as-text',
    {
      what: 'serverInfo in the metadata of results is a text.',
      breaks: ['meta.server-info-included', 'base.schema-valid'],
      shows: ['base.schema-valid#member-retyped', 'meta.server-info-included#no-object'],
      where: isStateless,
    },
    onResult('*', body => withMeta(body, { 'io.modelcontextprotocol/serverInfo': 'mock 1.0' })),
  ),

  fault(
    'server-info-without-name',
    {
      what: 'serverInfo in the metadata of results has no name.',
      breaks: ['base.schema-valid'],
      shows: ['base.schema-valid#member-missing'],
      where: isStateless,
    },
    onResult('*', body => withMeta(body, { 'io.modelcontextprotocol/serverInfo': { version: '1' } })),
  ),
];
