/** basic/index: the kind of a result, and the server that it comes from. */

import { fail, pass } from '../../../harness/judge/finding.js';
import { rule } from '../../../harness/judge/rule.js';
import { envelopeKeys } from '../../../harness/record/envelope.js';
import { isObject, type Json } from '../../../spec/json-rpc.js';
import { results } from '../derived/stateless.js';

const shown = (value: Json | undefined): string => (JSON.stringify(value) ?? 'none').slice(0, 200);

/** The kinds of the core protocol. */
const kinds: readonly unknown[] = ['complete', 'input_required'];

export const rules = [
  rule.each('result.type-present', results, ({ request, reply, result }) =>
    typeof result.resultType === 'string'
      ? pass([request, reply])
      : fail('a resultType', [request, reply], shown(result.resultType)),
  ),

  // The harness declares no extension, so that no extension adds a kind.
  rule.each('result.type-known', results, ({ request, reply, result }) => {
    if (typeof result.resultType !== 'string') return undefined;
    const isKnown = kinds.includes(result.resultType);
    return isKnown
      ? pass([request, reply])
      : fail('complete or input_required', [request, reply], shown(result.resultType));
  }),

  rule.each('meta.server-info-included', results, ({ request, reply, result }) => {
    const info = isObject(result._meta) ? result._meta[envelopeKeys.serverInfo] : undefined;
    return isObject(info)
      ? pass([request, reply])
      : fail(`${envelopeKeys.serverInfo} in _meta`, [request, reply], shown(info));
  }),
];
