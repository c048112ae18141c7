/** server/utilities: faults of clients with completions and log messages. */

import { isObject, without } from '../../../spec/json-rpc.js';
import { paramsOf } from '../../server/faults/shared.js';
import { clientFault, onAsk, onIncoming, onResult } from '../fault.js';

export const utilityFaults = [
  clientFault(
    'client-dies-of-odd-completions',
    {
      what: 'The client exits when completion/complete returns values that are not an array.',
      breaks: ['completion.inputs-validated'],
      shows: ['completion.inputs-validated#client-exits'],
    },
    onIncoming((message, context) => {
      const { completion } = isObject(message) && isObject(message.result) ? message.result : {};
      if (isObject(completion) && !Array.isArray(completion.values)) context.exit(1);
      return message;
    }),
  ),

  clientFault(
    'client-wants-completions',
    {
      what: 'The client exits when completion/complete returns no values.',
      breaks: ['completion.client-handles-partial-results'],
      shows: ['completion.client-handles-partial-results#exits'],
    },
    onResult('completion/complete', (body, _ask, context) => {
      const { values } = isObject(body.completion) ? body.completion : {};
      if (Array.isArray(values) && values.length === 0) context.exit(1);
      return body;
    }),
  ),

  clientFault(
    'client-forgets-settled-arguments',
    {
      what: 'The client sends completion/complete without the context of the other arguments.',
      breaks: ['completion.context-arguments-sent'],
      shows: ['completion.context-arguments-sent#no-context'],
    },
    onAsk('completion/complete', ask => ({ ...ask, params: without(paramsOf(ask), 'context') })),
  ),

  clientFault(
    'client-dies-of-unknown-levels',
    {
      what: 'The client exits when it receives notifications/message with an unknown level.',
      breaks: ['logging.implementations-validate-data'],
      shows: ['logging.implementations-validate-data#exits'],
    },
    onIncoming((message, context) => {
      const logs = isObject(message) && message.method === 'notifications/message';
      if (logs && paramsOf(message).level === 'catastrophic') context.exit(1);
      return message;
    }),
  ),
];
