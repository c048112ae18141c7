/** server/tools, server/prompts, server/resources: what clients do wrong with what a server has. */

import { isObject, without } from '../../../spec/json-rpc.js';
import { paramsOf } from '../../server/faults/shared.js';
import { clientFault, onAsk, onIncoming, onResult } from '../fault.js';

export const toolFaults = [
  clientFault(
    'client-dies-of-unknown-dialect',
    {
      what: 'The client dies of a schema whose dialect it does not know.',
      breaks: ['json-schema.unsupported-dialect-error'],
    },
    onResult('tools/list', (body, _ask, context) => {
      if (JSON.stringify(body).includes('"https://example.invalid/dialect"')) context.exit(1);
      return body;
    }),
  ),

  clientFault(
    'client-prompt-without-arguments',
    {
      what: 'The client leaves out the arguments that a prompt requires.',
      breaks: ['prompts.required-arguments-sent'],
    },
    onAsk('prompts/get', ask => ({ ...ask, params: without(paramsOf(ask), 'arguments') })),
  ),

  clientFault(
    'client-unsubscribes-at-random',
    {
      what: 'The client ends a subscription that it does not have.',
      breaks: ['resources.unsubscribe-after-subscribe'],
    },
    onAsk('resources/unsubscribe', ask => ({ ...ask, params: { uri: 'test://static-text' } })),
  ),

  clientFault(
    'client-wants-is-error',
    {
      what: 'The client dies of a tool result that does not say whether it is an error.',
      breaks: ['base.lawful-results-taken'],
    },
    onResult('tools/call', (body, _ask, context) => {
      if ('content' in body && !('isError' in body)) context.exit(1);
      return body;
    }),
  ),

  clientFault(
    'client-dies-of-bad-result',
    {
      what: 'The client dies when a block of a tool result is no object.',
      breaks: ['tools.client-validates-results'],
    },
    onIncoming((message, context) => {
      const result = isObject(message) && isObject(message.result) ? message.result : {};
      if (Array.isArray(result.content) && !result.content.every(isObject)) context.exit(1);
      return message;
    }),
  ),
];
