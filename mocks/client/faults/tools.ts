/** server/tools, server/prompts, server/resources: faults of clients with the features of a server. */

import { isObject, type Json, without } from '../../../spec/json-rpc.js';
import { paramsOf } from '../../server/faults/shared.js';
import { clientFault, onAsk, onIncoming, onResult } from '../fault.js';

/** The ids of the calls of a client. */
const callIds = () => new Set<Json>();

export const toolFaults = [
  clientFault(
    'client-dies-of-unknown-dialect',
    {
      what: 'The client exits when tools/list returns a schema with an unknown dialect.',
      breaks: ['json-schema.unsupported-dialect-error'],
      shows: ['json-schema.unsupported-dialect-error#exits'],
    },
    onResult('tools/list', (body, _ask, context) => {
      if (JSON.stringify(body).includes('"https://example.invalid/dialect"')) context.exit(1);
      return body;
    }),
  ),

  clientFault(
    'client-prompt-without-arguments',
    {
      what: 'The client sends prompts/get without the required arguments.',
      breaks: ['prompts.required-arguments-sent'],
      shows: ['prompts.required-arguments-sent#none-sent'],
    },
    onAsk('prompts/get', ask => ({ ...ask, params: without(paramsOf(ask), 'arguments') })),
  ),

  clientFault(
    'client-unsubscribes-at-random',
    {
      what: 'The client sends resources/unsubscribe for a resource that it is not subscribed to.',
      breaks: ['resources.unsubscribe-after-subscribe'],
      shows: ['resources.unsubscribe-after-subscribe#never-subscribed'],
    },
    onAsk('resources/unsubscribe', ask => ({ ...ask, params: { uri: 'test://static-text' } })),
  ),

  clientFault(
    'client-wants-is-error',
    {
      what: 'The client exits when tools/call returns a result without isError.',
      breaks: ['base.lawful-results-taken'],
      shows: ['base.lawful-results-taken#no-is-error'],
    },
    onResult('tools/call', (body, _ask, context) => {
      if ('content' in body && !('isError' in body)) context.exit(1);
      return body;
    }),
  ),

  clientFault(
    'client-dies-of-bad-result',
    {
      what: 'The client exits when tools/call returns a content block that is not an object.',
      breaks: ['tools.client-validates-results'],
      shows: ['tools.client-validates-results#exits'],
    },
    onIncoming((message, context) => {
      const result = isObject(message) && isObject(message.result) ? message.result : {};
      if (Array.isArray(result.content) && !result.content.every(isObject)) context.exit(1);
      return message;
    }),
  ),

  clientFault(
    'client-dies-of-no-content',
    {
      what: 'The client exits when tools/call returns a result without content.',
      breaks: ['tools.client-validates-results'],
      shows: ['tools.client-validates-results#exits'],
    },
    onAsk('tools/call', (ask, context) => {
      if (ask.id !== undefined) context.keep(callIds).add(ask.id);
      return ask;
    }),
    onIncoming((message, context) => {
      const { id, result } = isObject(message) ? message : {};
      if (id !== undefined && isObject(result) && context.keep(callIds).has(id))
        if (Object.keys(result).every(name => ['_meta', 'resultType'].includes(name))) context.exit(1);
      return message;
    }),
  ),

  clientFault(
    'client-dies-of-unknown-content',
    {
      what: 'The client exits when tools/call returns content of an unknown type.',
      breaks: ['tools.client-validates-results'],
      shows: ['tools.client-validates-results#exits'],
    },
    // a client of a revision with a handshake reads no further into such a result
    onIncoming((message, context) => {
      const { result } = isObject(message) ? message : {};
      const content = isObject(result) && Array.isArray(result.content) ? result.content : [];
      if (content.filter(isObject).some(({ type }) => type === 'x-unknown')) context.exit(1);
      return message;
    }),
  ),
];
