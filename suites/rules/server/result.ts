/** basic/index: the kind of a result, and the server that it comes from. */

import { fail, pass } from '../../../harness/judge/finding.js';
import { rule } from '../../../harness/judge/rule.js';
import { type Conversation, derived, extensionsIn } from '../../../harness/record/conversation.js';
import { envelopeKeys } from '../../../harness/record/envelope.js';
import type { Message } from '../../../harness/record/message.js';
import { isObject, type Json } from '../../../spec/json-rpc.js';
import { vocabularyWith } from '../../../spec/vocabulary.js';
import { bodyOf, mayHave } from '../derived/conversation.js';
import { isBase64, isMedia, shown } from '../derived/results.js';
import { results } from '../derived/stateless.js';

/** The kinds of the core protocol. */
const kinds: readonly unknown[] = ['complete', 'input_required'];

/** The kinds of the extensions that a request and the server declare. */
function addedKinds(conversation: Conversation, request: Message): readonly string[] {
  const server = conversation.capabilities('server');
  const both = extensionsIn(conversation.capabilitiesAt(request)).filter(
    identifier => !server || extensionsIn(server).includes(identifier),
  );
  return Object.keys(vocabularyWith(conversation.revision, both).resultTypes);
}

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

/** A member of tracestate: a key, perhaps of a tenant of a system, and printable ASCII. */
const stateMember =
  /^([a-z0-9][\w\-*/]{0,255}(?:@[a-z0-9][\w\-*/]{0,13})?)=([ -+\--<>-~]{0,255}[!-+\--<>-~])?$/;
const token = "[\\w!#$%&'*+.^`|~-]+";
const octets = '[!#-+\\--:<-\\[\\]-~]*';
/** A member of baggage: a key, a value in percent-encoding, and properties. */
const baggageMember = new RegExp(
  `^${token}[ \\t]*=[ \\t]*${octets}(?:[ \\t]*;[ \\t]*${token}(?:[ \\t]*=[ \\t]*${octets})?)*$`,
);

/** https://www.w3.org/TR/trace-context and https://www.w3.org/TR/baggage; unknown versions may have more parts. */
function isTrace(name: string, value: Json): boolean {
  if (typeof value !== 'string') return false;
  const members = value.split(',').map(part => part.trim());
  if (name === 'baggage') return members.every(member => member === '' || baggageMember.test(member));
  if (name === 'tracestate') {
    const keys = members.filter(member => member !== '').map(member => stateMember.exec(member)?.[1]);
    return keys.every(key => key !== undefined && !/[A-Z]/.test(key)) && new Set(keys).size === keys.length;
  }
  return /^(?!ff)[0-9a-f]{2}-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}(-.*)?$/.test(value);
}

/** The values of image and audio blocks and of blobs, at any depth where content may be. */
function binaryTexts(value: Json | undefined, depth = 8): string[] {
  if (depth === 0) return [];
  if (Array.isArray(value)) return value.flatMap(item => binaryTexts(item, depth - 1));
  if (!isObject(value)) return [];
  const data = isMedia(value) ? value.data : value.blob;
  if (typeof data === 'string') return [data];
  const { content, contents, messages, resource } = value;
  return [content, contents, messages, resource].flatMap(inner => binaryTexts(inner, depth - 1));
}

export const rules = [
  rule('base.base64-without-line-breaks', function* (conversation) {
    for (const m of conversation.sent('subject')) {
      if (!mayHave(m, /"(?:blob|data)"/)) continue;
      const texts = binaryTexts(m.kind === 'result' ? bodyOf(m).result : m.params).filter(isBase64);
      const broken = texts.find(text => /[\r\n]/.test(text));
      if (broken !== undefined)
        yield fail('base64 without line breaks', [m], JSON.stringify(broken.slice(0, 80)));
      else if (texts.length > 0) yield pass([m]);
    }
  }),

  rule.each('result.type-present', results, ({ request, reply, result }) =>
    typeof result.resultType === 'string'
      ? pass([request, reply])
      : fail('a resultType', [request, reply], shown(result.resultType)),
  ),

  rule.each('result.type-known', results, ({ request, reply, result }, conversation) => {
    if (typeof result.resultType !== 'string') return undefined;
    const isKnown =
      kinds.includes(result.resultType) || addedKinds(conversation, request).includes(result.resultType);
    return isKnown
      ? pass([request, reply])
      : fail('complete or input_required', [request, reply], shown(result.resultType));
  }),

  // Without an extension in the request a call gets a result of the core, or an error.
  rule.each(
    'versioning.extension-fallback',
    conversation => results(conversation).filter(({ request }) => request.method === 'tools/call'),
    ({ request, reply, result: { resultType } }, conversation) => {
      if (typeof resultType !== 'string' || addedKinds(conversation, request).length > 0) return undefined;
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
