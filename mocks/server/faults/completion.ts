/** server/utilities/completion. */

import { isObject, type JsonObject, without } from '../../../spec/json-rpc.js';
import { fault, onResult, refusal, result } from '../../fault.js';
import { codes } from '../refusal.js';
import { onRefused, paramsOf, undeclared } from './shared.js';

const refusedFor = (words: string, reply: JsonObject): boolean =>
  isObject(reply.error) && String(reply.error.message).includes(words);

const completing = (change: (completion: JsonObject) => JsonObject) =>
  onResult('completion/complete', body => ({ ...body, completion: change(body.completion as JsonObject) }));

const nothing = { completion: { values: [], total: 0, hasMore: false } };

const incomplete = ({ ref, argument }: JsonObject): boolean => ref === undefined || argument === undefined;

export const completionFaults = [
  fault(
    'completion-of-150-values',
    {
      what: 'completion/complete returns 150 values.',
      breaks: ['completion.max-100-values'],
      shows: ['completion.max-100-values#more'],
    },
    completing(() => ({ values: Array.from({ length: 150 }, (_, at) => String(at)), total: 150 })),
  ),

  fault(
    'completion-contradicts-itself',
    {
      what: 'completion/complete returns a total that is smaller than the number of values.',
      breaks: ['completion.total-and-has-more-consistent'],
      shows: ['completion.total-and-has-more-consistent#total-too-small'],
    },
    completing(completion => ({ ...completion, total: (completion.values as string[]).length - 1 })),
  ),

  fault(
    'completion-of-unknown-prompt',
    {
      what: 'completion/complete for an unknown prompt returns an empty result.',
      breaks: ['completion.unknown-prompt-error'],
      shows: ['completion.unknown-prompt-error#empty'],
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
      shows: ['completion.capability-declared#values'],
      where: revision => !revision.undeclarable.includes('completions'),
    },
    onResult(['initialize', 'server/discover'], body => ({
      ...body,
      capabilities: without(body.capabilities as JsonObject, 'completions'),
    })),
  ),

  fault(
    'completion-of-nothing',
    {
      what: 'completion/complete without ref or argument returns a result.',
      breaks: ['completion.missing-argument-error', 'completion.inputs-validated'],
      shows: ['completion.inputs-validated#served', 'completion.missing-argument-error#served'],
    },
    onRefused('completion/complete', (reply, ask) =>
      incomplete(paramsOf(ask)) ? result(ask, nothing) : reply,
    ),
  ),

  fault(
    'completion-incomplete-internal-error',
    {
      what: 'completion/complete without ref or argument returns an internal error.',
      breaks: ['completion.missing-argument-error'],
      shows: ['completion.missing-argument-error#other-code'],
    },
    onRefused('completion/complete', (reply, ask) =>
      incomplete(paramsOf(ask)) ? refusal(ask, codes.internalError, 'Something went wrong') : reply,
    ),
  ),

  fault(
    'completion-of-anything',
    {
      what: 'completion/complete with a number as value or an unknown type of reference returns a result.',
      breaks: ['completion.server-validates-inputs'],
      shows: ['completion.server-validates-inputs#served'],
    },
    onRefused('completion/complete', (reply, ask) => {
      const { ref, argument } = paramsOf(ask);
      const odd =
        isObject(ref) && (ref.type === 'ref/nothing' || (isObject(argument) && argument.value === 7));
      return odd ? result(ask, nothing) : reply;
    }),
  ),

  fault(
    'completion-refused-oddly',
    {
      what: 'completion/complete returns an internal error when completions are not declared.',
      breaks: ['completion.unsupported-error'],
      shows: ['completion.unsupported-error#other-code'],
      where: revision => !revision.undeclarable.includes('completions'),
    },
    undeclared('completions'),
    onRefused('completion/complete', (_reply, ask) => refusal(ask, codes.internalError, 'No')),
  ),
];
