/** server/tools: what clients do wrong with tools and results. */

import { isObject } from '../../spec/json-rpc.js';
import { clientFault, onIncoming } from '../client/fault.js';

export const toolFaults = [
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
