/** Elicitation: the forms that a server may send. */

import { fail, pass } from '../../../harness/judge/finding.js';
import { rule } from '../../../harness/judge/rule.js';
import { type Conversation, declares } from '../../../harness/record/conversation.js';
import type { Message } from '../../../harness/record/message.js';
import { capabilitiesFor, questionsOf } from '../../../harness/record/questions.js';
import { isObject, type Json, type JsonObject } from '../../../spec/json-rpc.js';
import { vocabularyOf } from '../../../spec/vocabulary.js';
import { objects, shown } from '../derived/results.js';

const asked = (conversation: Conversation): readonly Message[] =>
  questionsOf(conversation, 'elicitation/create').map(q => q.request);
const isUrlMode = (m: Message): boolean => m.params?.mode === 'url';
const forms = (conversation: Conversation): Message[] =>
  asked(conversation).filter(m => m.params && (m.params.mode === undefined || m.params.mode === 'form'));

const schemaOf = (m: Message): JsonObject =>
  isObject(m.params?.requestedSchema) ? m.params.requestedSchema : {};
const propertiesOf = (m: Message): [string, Json][] =>
  Object.entries(isObject(schemaOf(m).properties) ? (schemaOf(m).properties as JsonObject) : {});

const choices = (value: Json | undefined): boolean =>
  Array.isArray(value) && value.every(v => isObject(v) && v.const !== undefined);

/**
 * Whether a property is a string, a number, a boolean or a choice among strings; or a list of choices where
 * the revision has them.
 */
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

/**
 * Names of text fields that have no other meaning than a secret. Titles and messages are not compared: "Reason of the
 * password reset" asks for no password.
 */
const secret = new RegExp(
  `^(?:${[
    '(?:(?:new|old|current|user|admin|db|database)[_-]?)?password',
    'passwd|passphrase|cvv|cvc',
    'api[_-]?key|(?:client|api)[_-]?secret|private[_-]?key|secret[_-]?(?:access[_-]?)?key',
    '(?:(?:personal[_-]?)?access|refresh|bearer|auth|api|bot|github|gitlab|slack)[_-]?token',
    '(?:credit[_-]?)?card[_-]?number',
  ].join('|')})$`,
  'i',
);
const isChoice = (property: JsonObject): boolean => ['enum', 'oneOf', 'anyOf'].some(name => name in property);
const asksForSecret = ([name, property]: [string, Json]): boolean =>
  isObject(property) && property.type === 'string' && !isChoice(property) && secret.test(name);

/** The texts that a form shows, without examples and defaults. */
function* textsOf(m: Message): Generator<Json | undefined> {
  yield m.params?.message;
  yield schemaOf(m).title;
  yield schemaOf(m).description;
  for (const [, property] of propertiesOf(m)) {
    if (!isObject(property)) continue;
    yield* [property.title, property.description];
    for (const at of [property, property.items].filter(isObject))
      for (const option of [...objects(at.oneOf), ...objects(at.anyOf)]) yield option.title;
    if (Array.isArray(property.enumNames)) yield* property.enumNames;
  }
}

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
      yield found ? fail('no form field for a secret', [m], found[0]) : pass([m]);
    }
  }),

  rule('elicitation.no-clickable-urls-in-forms', function* (conversation) {
    for (const m of forms(conversation)) {
      const found = [...textsOf(m)].find(text => typeof text === 'string' && /https?:\/\//i.test(text));
      yield found ? fail('no clickable URL', [m], shown(found)) : pass([m]);
    }
  }),

  rule('elicitation.undeclared-mode-not-sent', function* (conversation) {
    for (const m of asked(conversation)) {
      const capabilities = capabilitiesFor(conversation, m);
      if (!declares(capabilities, 'elicitation')) continue; // lifecycle.respect-capabilities
      const form = !declares(capabilities, 'elicitation.url') || declares(capabilities, 'elicitation.form');
      const has = isUrlMode(m) ? declares(capabilities, 'elicitation.url') : form;
      const declaration = conversation.requestOf(m) ?? conversation.opening?.request;
      yield has
        ? pass([m])
        : fail('a mode that the client declared', [declaration, m], isUrlMode(m) ? 'url' : 'form');
    }
  }),

  rule('elicitation.empty-capability-is-form', function* (conversation) {
    if (conversation.subject !== 'server') return;
    for (const m of asked(conversation)) {
      const declared = capabilitiesFor(conversation, m)?.elicitation;
      if (isObject(declared) && Object.keys(declared).length === 0)
        yield isUrlMode(m) ? fail('form', [m], 'url') : pass([m]);
    }
  }),
];
