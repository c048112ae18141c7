/** Resources: URIs, contents, subscriptions. */

import { append } from '../../../harness/grouped.js';
import { fail, pass } from '../../../harness/judge/finding.js';
import { rule } from '../../../harness/judge/rule.js';
import { type Conversation, declares, derived } from '../../../harness/record/conversation.js';
import { errorOf, type Message } from '../../../harness/record/message.js';
import { formats, isUri } from '../../../spec/formats.js';
import { asText, isObject, type Json, type JsonObject } from '../../../spec/json-rpc.js';
import { clauseIn, requirement } from '../../../spec/requirement.js';
import { saidBetween, surelyAfter } from '../derived/order.js';
import { listAnswered, lists, pagesOf } from '../derived/pages.js';
import { answered, blocksOf, isBase64, objects, shown } from '../derived/results.js';
import { covers, subscriptionOf, untaggedFor } from '../derived/subscriptions.js';

interface Item {
  readonly item: JsonObject;
  readonly reply: Message;
}

/**
 * The contents of read resources, and resources embedded in the results of tools; those in prompts have rows
 * of their own.
 */
function* contents(conversation: Conversation): Generator<Item> {
  for (const { reply, result } of answered(conversation, 'resources/read'))
    for (const item of objects(result.contents)) yield { item, reply };
  for (const { reply, result } of answered(conversation, 'tools/call'))
    for (const block of blocksOf(result.content))
      if (block.type === 'resource' && isObject(block.resource)) yield { item: block.resource, reply };
}

/** All objects of the subject that have the URI of a resource. */
const located = derived((conversation: Conversation): readonly Item[] => [...findLocated(conversation)]);

function* findLocated(conversation: Conversation): Generator<Item> {
  for (const { items, reply } of pagesOf(conversation, lists.resources))
    for (const item of items) yield { item, reply };
  yield* contents(conversation);
  for (const { reply, result } of answered(conversation, 'tools/call'))
    for (const item of blocksOf(result.content)) if (item.type === 'resource_link') yield { item, reply };
  for (const { reply, result } of answered(conversation, 'prompts/get'))
    for (const message of objects(result.messages))
      for (const item of blocksOf(message.content)) if (item.type === 'resource_link') yield { item, reply };
  for (const m of conversation.notifications({ by: 'subject', method: 'notifications/resources/updated' }))
    if (m.params) yield { item: m.params, reply: m };
}

/** The text before the first colon, unless the colon belongs to a path, query or fragment. */
const schemeOf = (uri: Json | undefined): string | undefined =>
  typeof uri === 'string' ? /^([^:/?#]*):/.exec(uri)?.[1] : undefined;

const isScheme = (scheme: string): boolean => /^[a-z][a-z0-9+.-]*$/i.test(scheme);

/** Characters beyond ASCII make the value an IRI, which is accepted. */
const isUriOrIri = (uri: Json | undefined): boolean =>
  typeof uri === 'string' && isUri(uri.replace(/[^\0-\x7f]/gu, 'x'));

export const rules = [
  rule('resources.unsubscribe-after-subscribe', function* (conversation) {
    const subscribed = new Map<Json | undefined, Message>();
    for (const m of conversation.requests({ by: 'subject' })) {
      const uri = m.params?.uri;
      if (m.method === 'resources/subscribe') subscribed.set(uri, m);
      if (m.method !== 'resources/unsubscribe') continue;
      const earlier = subscribed.get(uri);
      yield earlier
        ? pass([earlier, m])
        : fail('a resource that the client subscribed to', [m], JSON.stringify(uri) ?? 'none');
    }
  }),

  listAnswered('resources.list-answered', 'resources'),

  rule.each('resources.uri-valid', located, ({ item, reply }, conversation) => {
    const schemeApart = clauseIn(requirement('resources.custom-scheme-rfc3986'), conversation.revision.id);
    const scheme = schemeOf(item.uri);
    if (schemeApart && scheme !== undefined && !isScheme(scheme)) return undefined;
    return isUriOrIri(item.uri) ? pass([reply]) : fail('a URI (RFC 3986)', [reply], shown(item.uri));
  }),

  rule.each('resources.custom-scheme-rfc3986', located, ({ item, reply }) => {
    const scheme = schemeOf(item.uri);
    if (scheme === undefined) return undefined;
    return isScheme(scheme) ? pass([reply]) : fail('a scheme according to RFC 3986', [reply], shown(scheme));
  }),

  rule('resources.uri-template-rfc6570', function* (conversation) {
    for (const { items, reply } of pagesOf(conversation, lists.templates))
      for (const { uriTemplate } of items) {
        // the format check of the schema accepts operators that the RFC only reserves
        const fits =
          typeof uriTemplate === 'string' &&
          formats['uri-template'](uriTemplate.replace(/[^\0-\x7f]/gu, 'x')) &&
          !/\{[=,!@|]/.test(uriTemplate);
        yield fits ? pass([reply]) : fail('a URI template (RFC 6570)', [reply], shown(uriTemplate));
      }
  }),

  rule('resources.binary-encoded', function* (conversation) {
    for (const { item, reply } of contents(conversation)) {
      // beside text, blob is a member that the type does not define
      if (item.blob === undefined || (item.blob === null && typeof item.text === 'string')) continue;
      yield isBase64(item.blob) ? pass([reply]) : fail('base64', [reply], shown(item.blob));
    }
  }),

  // Other encodings of text, and resources that change, also explain a difference; the rule therefore reports
  // only the length of the base64 text.
  rule('resources.size-is-raw-bytes', function* (conversation) {
    const sizes = new Map<Json | undefined, { size: number; reply: Message }[]>();
    for (const { items, reply } of pagesOf(conversation, lists.resources))
      for (const { uri, size } of items) if (typeof size === 'number') append(sizes, uri, { size, reply });
    const changes = conversation
      .notifications({ by: 'subject' })
      .filter(m => m.method?.startsWith('notifications/resources/'));
    for (const { request, reply, result } of answered(conversation, 'resources/read')) {
      const [only, ...more] = objects(result.contents);
      const all = sizes.get(only?.uri) ?? [];
      const listed = all.findLast(entry => entry.reply.seq < reply.seq) ?? all[0];
      if (!only || !listed || more.length > 0 || only.uri !== request.params?.uri) continue;
      const actual = bytesOf(only);
      if (actual === undefined || saidBetween(conversation, changes, listed.reply, reply)) continue;
      if (actual === listed.size) yield pass([listed.reply, reply]);
      else if (only.text === undefined && listed.size === (only.blob as string).length)
        yield fail(`${actual} bytes`, [listed.reply, reply], `${listed.size}`);
    }
  }),

  rule('resources.subscribe-methods-answered', function* (conversation) {
    if (!declares(conversation.capabilities('server'), 'resources.subscribe')) return;
    for (const method of ['resources/subscribe', 'resources/unsubscribe'])
      for (const exchange of conversation.exchanges({ by: 'peer', method })) {
        const { request, reply } = exchange;
        if (reply?.kind === 'result') yield pass([request, reply]);
        else if (errorOf(exchange)?.code === -32601) yield fail('a result', [request, reply], 'error -32601');
      }
  }),

  rule('resources.updated-only-after-subscribe', function* (conversation) {
    const capabilities = conversation.capabilities('server');
    const [first] = conversation.requests({ by: 'peer', method: 'resources/subscribe' });
    for (const m of conversation.notifications({
      by: 'subject',
      method: 'notifications/resources/updated',
    })) {
      if (!declares(capabilities, 'resources')) continue; // resources.capability-declared
      const own = subscriptionOf(conversation, m);
      if (own && !covers(own.filter, m))
        yield fail('a subscription to the resource', [own.request, m], 'another one');
      else if (own) yield pass([own.request, m]);
      else if (!conversation.isStateless && first && first.seq < m.seq) yield pass([first, m]);
      else if (!untaggedFor(conversation, m)) yield fail('a subscription before', [m], 'none');
    }
  }),

  rule('resources.unsubscribe-ends-updates', function* (conversation) {
    const live = new Set<Json | undefined>();
    const ended = new Map<Json | undefined, Message>();
    for (const m of conversation.messages) {
      const asked = m.kind === 'result' ? conversation.requestOf(m) : undefined;
      const uri = m.params?.uri ?? asked?.params?.uri;
      if (m.method === 'resources/subscribe') live.add(uri);
      else if (asked?.method === 'resources/unsubscribe' && live.delete(uri)) ended.set(uri, m);
      if (m.by !== conversation.subject || m.method !== 'notifications/resources/updated') continue;
      // updates of sub-resources are legal, and only the server defines which resources contain others
      const covered = [...live].some(l => asText(uri).startsWith(asText(l)));
      const end = live.size === 0 ? [...ended.values()].at(-1) : covered ? undefined : ended.get(uri);
      if (end && surelyAfter(conversation, m, end)) yield fail('no more updates', [end, m], shown(uri));
      else if (live.size > 0) yield pass([m]);
    }
  }),
];

function bytesOf({ text, blob }: JsonObject): number | undefined {
  if (typeof text === 'string') return Buffer.byteLength(text);
  return isBase64(blob) ? Buffer.from(blob as string, 'base64').length : undefined;
}
