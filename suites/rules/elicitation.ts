/** Elicitation: forms and URLs a server may ask with. */

import { fail, pass } from '../../harness/finding.js';
import { type Conversation, declares, errorOf, type Message } from '../../harness/history.js';
import { rule } from '../../harness/rule.js';
import { isUri } from '../../spec/formats.js';
import { isObject, type Json, type JsonObject } from '../../spec/json-rpc.js';
import { vocabularyOf } from '../../spec/vocabulary.js';
import { objects } from './results.js';

const asked = (conversation: Conversation): Message[] =>
  conversation.requests({ by: 'subject', method: 'elicitation/create' });
const isUrlMode = (m: Message): boolean => m.params?.mode === 'url';
const forms = (conversation: Conversation): Message[] =>
  asked(conversation).filter(m => m.params && (m.params.mode === undefined || m.params.mode === 'form'));
const urls = (conversation: Conversation): Message[] => asked(conversation).filter(isUrlMode);

const schemaOf = (m: Message): JsonObject =>
  isObject(m.params?.requestedSchema) ? m.params.requestedSchema : {};
const propertiesOf = (m: Message): [string, Json][] =>
  Object.entries(isObject(schemaOf(m).properties) ? (schemaOf(m).properties as JsonObject) : {});

const shown = (value: Json | undefined): string => (JSON.stringify(value) ?? 'nothing').slice(0, 200);

const choices = (value: Json | undefined): boolean =>
  Array.isArray(value) && value.every(v => isObject(v) && v.const !== undefined);

/** Strings, numbers, booleans, and choices among strings; lists of choices where the revision has them. */
function isPrimitive(property: Json, lists: boolean): boolean {
  if (!isObject(property) || '$ref' in property || 'allOf' in property) return false;
  const { type, items } = property;
  const enumerated = (at: JsonObject) => Array.isArray(at.enum) || choices(at.oneOf ?? at.anyOf);
  if (type === 'array') return lists && isObject(items) && enumerated(items);
  if (('oneOf' in property && !choices(property.oneOf)) || ('anyOf' in property && !choices(property.anyOf)))
    return false;
  if (type === undefined) return enumerated(property);
  return ['string', 'number', 'integer', 'boolean'].includes(type as string);
}

/** Names that can mean nothing else, in a field for text. */
const secret =
  /^(password|passwd|passphrase|api_?key|access_?token|client_?secret|private_?key|(credit_?)?card_?number|cvv|cvc)$/;
const asksForSecret = ([name, property]: [string, Json]): boolean =>
  isObject(property) &&
  property.type === 'string' &&
  secret.test(
    name
      .replace(/-/g, '_')
      .replace(/([a-z])([A-Z])/g, '$1_$2')
      .toLowerCase(),
  );

/** What a form shows to be read; examples and defaults are not. */
function* textsOf(m: Message): Generator<Json | undefined> {
  yield m.params?.message;
  yield schemaOf(m).title;
  yield schemaOf(m).description;
  for (const [, property] of propertiesOf(m)) {
    if (!isObject(property)) continue;
    yield* [property.title, property.description];
    for (const option of [...objects(property.oneOf), ...objects(property.anyOf)]) yield option.title;
  }
}

const isLocal = (host: string): boolean =>
  /^(localhost|.*\.localhost|127\..*|\[::1\]|10\..*|192\.168\..*|172\.(1[6-9]|2\d|3[01])\..*)$/.test(host);

/** Errors that name URLs to be opened first. */
const required = (conversation: Conversation) =>
  conversation.exchanges({ by: 'peer' }).flatMap(exchange => {
    const error = errorOf(exchange);
    const list = isObject(error?.data) ? error.data.elicitations : undefined;
    return error?.code === -32042 ? [{ evidence: [exchange.request, exchange.reply], list }] : [];
  });

export const rules = [
  rule('elicitation.common-parameters', function* (conversation) {
    for (const m of asked(conversation)) {
      const { message, mode } = m.params ?? {};
      if (typeof message !== 'string') yield fail('a message', [m], shown(message));
      else if (mode === undefined || mode === 'form' || mode === 'url') yield pass([m]);
      else yield fail('the mode form or url', [m], shown(mode));
    }
  }),

  rule('elicitation.form-parameters', function* (conversation) {
    for (const m of forms(conversation)) {
      const { type, properties } = schemaOf(m);
      const fits = type === 'object' && isObject(properties);
      yield fits
        ? pass([m])
        : fail('an object schema with properties', [m], shown(m.params?.requestedSchema));
    }
  }),

  rule('elicitation.schema-flat-primitive', function* (conversation) {
    const lists = vocabularyOf(conversation.revision).definitions.has('MultiSelectEnumSchema');
    for (const m of forms(conversation)) {
      const wrong = propertiesOf(m).find(([, property]) => !isPrimitive(property, lists));
      if (wrong) yield fail('properties of primitive types', [m], shown(wrong));
      else if (isObject(schemaOf(m).properties)) yield pass([m]);
    }
  }),

  rule('elicitation.no-sensitive-information', function* (conversation) {
    for (const m of forms(conversation)) {
      const found = propertiesOf(m).find(asksForSecret);
      yield found ? fail('no secrets asked for by form', [m], found[0]) : pass([m]);
    }
  }),

  rule('elicitation.no-clickable-urls-in-forms', function* (conversation) {
    for (const m of forms(conversation)) {
      const found = [...textsOf(m)].find(text => typeof text === 'string' && /https?:\/\//i.test(text));
      yield found ? fail('no URL to click on', [m], shown(found)) : pass([m]);
    }
  }),

  rule('elicitation.undeclared-mode-not-sent', function* (conversation) {
    const capabilities = conversation.capabilities('client');
    if (!declares(capabilities, 'elicitation')) return; // lifecycle.respect-capabilities
    const form = !declares(capabilities, 'elicitation.url') || declares(capabilities, 'elicitation.form');
    for (const m of asked(conversation)) {
      const has = isUrlMode(m) ? declares(capabilities, 'elicitation.url') : form;
      yield has ? pass([m]) : fail('a mode the client declared', [m], isUrlMode(m) ? 'url' : 'form');
    }
  }),

  rule('elicitation.empty-capability-is-form', function* (conversation) {
    const declared = conversation.capabilities('client')?.elicitation;
    if (conversation.subject !== 'server' || !isObject(declared) || Object.keys(declared).length > 0) return;
    for (const m of asked(conversation)) yield isUrlMode(m) ? fail('form', [m], 'url') : pass([m]);
  }),

  rule('elicitation.url-parameters', function* (conversation) {
    for (const m of urls(conversation)) {
      const fits = typeof m.params?.url === 'string' && typeof m.params.elicitationId === 'string';
      yield fits ? pass([m]) : fail('a url and an elicitationId', [m], shown(m.params));
    }
  }),

  rule('elicitation.url-valid', function* (conversation) {
    for (const m of urls(conversation)) {
      const url = m.params?.url;
      if (typeof url !== 'string') continue;
      yield isUri(url) || URL.canParse(url) ? pass([m]) : fail('a URL', [m], shown(url));
    }
  }),

  rule('elicitation.url-https', function* (conversation) {
    for (const m of urls(conversation)) {
      const url = m.params?.url;
      if (typeof url !== 'string' || !URL.canParse(url)) continue;
      const { protocol, hostname } = new URL(url);
      if (protocol === 'http:' && !isLocal(hostname)) yield fail('https', [m], url);
      else yield pass([m]);
    }
  }),

  rule('elicitation.id-unique', function* (conversation) {
    const first = new Map<Json, Message>();
    for (const m of urls(conversation)) {
      const { elicitationId: id, url, message } = m.params ?? {};
      if (typeof id !== 'string') continue;
      const earlier = first.get(id);
      const same = earlier?.params?.url === url && earlier?.params?.message === message;
      yield earlier && !same ? fail('an id of its own', [earlier, m], id) : pass([m]);
      first.set(id, earlier ?? m);
    }
  }),

  rule('elicitation.complete-has-id', function* (conversation) {
    const listed = required(conversation).flatMap(({ evidence, list }) =>
      objects(list).map(e => ({ id: e.elicitationId, seq: evidence[1]!.seq })),
    );
    const sent = [...urls(conversation).map(m => ({ id: m.params!.elicitationId, seq: m.seq })), ...listed];
    for (const m of conversation.notifications({
      by: 'subject',
      method: 'notifications/elicitation/complete',
    })) {
      const id = m.params?.elicitationId;
      const known = typeof id === 'string' && sent.some(e => e.id === id && e.seq < m.seq);
      yield known ? pass([m]) : fail('the id of an elicitation sent before', [m], shown(id));
    }
  }),

  rule('elicitation.url-required-error-list', function* (conversation) {
    for (const { evidence, list } of required(conversation)) {
      const fits = Array.isArray(list) && list.length > 0;
      yield fits ? pass(evidence) : fail('a list of elicitations', evidence, shown(list));
    }
  }),

  rule('elicitation.url-required-error-only-then', function* (conversation) {
    for (const { evidence, list } of required(conversation)) {
      if (!Array.isArray(list) || list.length === 0) continue;
      const some = objects(list).some(e => e.mode === 'url');
      yield some ? pass(evidence) : fail('an elicitation in URL mode', evidence, shown(list));
    }
  }),

  rule('elicitation.url-required-error-elements', function* (conversation) {
    for (const { evidence, list } of required(conversation)) {
      if (!objects(list).some(e => e.mode === 'url')) continue;
      const wrong = (list as Json[]).find(
        e =>
          !isObject(e) ||
          e.mode !== 'url' ||
          [e.elicitationId, e.url, e.message].some(v => typeof v !== 'string'),
      );
      yield wrong === undefined
        ? pass(evidence)
        : fail('mode, elicitationId, url, message', evidence, shown(wrong));
    }
  }),
];
