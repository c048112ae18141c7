/** server/utilities/completion. */

import { isObject, type JsonObject, without } from '../../../spec/json-rpc.js';
import { fault, onResult, result } from '../../fault.js';
import { onRefused } from './shared.js';

const refusedFor = (words: string, reply: JsonObject): boolean =>
  isObject(reply.error) && String(reply.error.message).includes(words);

const completing = (change: (completion: JsonObject) => JsonObject) =>
  onResult('completion/complete', body => ({ ...body, completion: change(body.completion as JsonObject) }));

export const completionFaults = [
  fault(
    'completion-of-150-values',
    { what: 'completion/complete returns 150 values.', breaks: ['completion.max-100-values'] },
    completing(() => ({ values: Array.from({ length: 150 }, (_, at) => String(at)), total: 150 })),
  ),

  fault(
    'completion-contradicts-itself',
    {
      what: 'completion/complete returns a total that is smaller than the number of values.',
      breaks: ['completion.total-and-has-more-consistent'],
    },
    completing(completion => ({ ...completion, total: (completion.values as string[]).length - 1 })),
  ),

  fault(
    'completion-of-unknown-prompt',
    {
      what: 'completion/complete for an unknown prompt returns an empty result.',
      breaks: ['completion.unknown-prompt-error'],
    },
    onRefused('completion/complete', (reply, ask) =>
      refusedFor('Unknown prompt', reply) ? result(ask, { completion: { values: [] } }) : reply,
    ),
  ),

  fault(
    'completion-undeclared',
    {
      what: 'completion/complete returns results although completions are not declared.',
      breaks: ['completion.capability-declared'],
      where: revision => !revision.undeclarable.includes('completions'),
    },
    onResult('initialize', (body, _ask, context) => ({
      ...body,
      capabilities: without(context.session.capabilities, 'completions'),
    })),
  ),
];
