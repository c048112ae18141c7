/** basic/index: the kind of a result, and the server that it comes from. */

import { fail, pass } from '../../../harness/judge/finding.js';
import { rule } from '../../../harness/judge/rule.js';
import { type Conversation, derived } from '../../../harness/record/conversation.js';
import { envelopeKeys } from '../../../harness/record/envelope.js';
import { isObject, type Json } from '../../../spec/json-rpc.js';
import { results } from '../derived/stateless.js';

const shown = (value: Json | undefined): string => (JSON.stringify(value) ?? 'none').slice(0, 200);

/** The kinds of the core protocol. */
const kinds: readonly unknown[] = ['complete', 'input_required'];

/** Keys of trace context in the metadata. */
const traceKeys = ['traceparent', 'tracestate', 'baggage'];

/** The metadata of trace context in the messages of the subject. */
const traced = derived((conversation: Conversation) =>
  conversation.sent('subject').flatMap(m => {
    const body = isObject(m.json) ? m.json : {};
    const holder = isObject(body.result) ? body.result : m.params;
    const meta = holder?._meta;
    return traceKeys.flatMap(name =>
      isObject(meta) && meta[name] !== undefined ? [{ m, name, value: meta[name] }] : [],
    );
  }),
);

/** https://www.w3.org/TR/trace-context and https://www.w3.org/TR/baggage; unknown versions may have more parts. */
function isTrace(name: string, value: Json): boolean {
  if (typeof value !== 'string') return false;
  if (name !== 'traceparent') return value.split(',').every(part => part.trim() === '' || part.includes('='));
  const [, version, trace, parent] =
    /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-[0-9a-f]{2}(-.*)?$/.exec(value) ?? [];
  const isZero = (text = '') => /^0*$/.test(text);
  return version !== undefined && version !== 'ff' && !isZero(trace) && !isZero(parent);
}

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

  // The harness declares no extension: a call gets a result of the core, or an error.
  rule.each(
    'versioning.extension-fallback',
    conversation => results(conversation).filter(({ request }) => request.method === 'tools/call'),
    ({ request, reply, result: { resultType } }) => {
      if (typeof resultType !== 'string') return undefined;
      return kinds.includes(resultType)
        ? pass([request, reply])
        : fail('a result without extensions', [request, reply], shown(resultType));
    },
  ),

  rule.each('meta.trace-context-format', traced, ({ m, name, value }) =>
    isTrace(name, value) ? pass([m]) : fail(`${name} in the format of W3C`, [m], shown(value)),
  ),

  rule.each('meta.server-info-included', results, ({ request, reply, result }) => {
    const info = isObject(result._meta) ? result._meta[envelopeKeys.serverInfo] : undefined;
    return isObject(info)
      ? pass([request, reply])
      : fail(`${envelopeKeys.serverInfo} in _meta`, [request, reply], shown(info));
  }),
];
