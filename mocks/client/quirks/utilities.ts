/** Legal but unusual behaviours of clients with completions. */

import { isObject } from '../../../spec/json-rpc.js';
import { result } from '../../fault.js';
import { hasHandshake } from '../../server/faults/shared.js';
import { type ClientDeviation, clientQuirk, onIncoming } from '../fault.js';

export const utilityQuirks: readonly ClientDeviation[] = [
  clientQuirk(
    'client-drops-odd-completions',
    {
      what: 'The client ignores a result of completion/complete without valid values; its user ends it after a ping.',
      where: hasHandshake,
      shows: ['completion.inputs-validated#waits'],
    },
    onIncoming((message, context) => {
      const dropped = context.keep(() => ({ any: false }));
      if (dropped.any && isObject(message) && message.method === 'ping') {
        void Promise.resolve(context.send(result(message, {}))).then(() => context.exit(0));
        return undefined;
      }
      const { completion } = isObject(message) && isObject(message.result) ? message.result : {};
      if (completion === undefined || (isObject(completion) && Array.isArray(completion.values)))
        return message;
      dropped.any = true;
      return undefined;
    }),
  ),
];
