/** Legal but unusual behaviours of clients with completions. */

import { isObject } from '../../../spec/json-rpc.js';
import { hasHandshake } from '../../server/faults/shared.js';
import { type ClientDeviation, clientQuirk, onIncoming } from '../fault.js';

export const utilityQuirks: readonly ClientDeviation[] = [
  clientQuirk(
    'client-drops-odd-completions',
    {
      what: 'The client ignores a result of completion/complete without valid values, and waits for another one.',
      where: hasHandshake,
      shows: ['completion.inputs-validated#waits'],
    },
    onIncoming(message => {
      const result = isObject(message) && isObject(message.result) ? message.result : {};
      if (!('completion' in result)) return message;
      return isObject(result.completion) && Array.isArray(result.completion.values) ? message : undefined;
    }),
  ),
];
