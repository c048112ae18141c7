/** Members that may stand in many places of a message: `_meta`, icons, annotations. */

import type { Conversation, Message } from '../../harness/history.js';
import { isObject, type Json, type JsonObject } from '../../spec/json-rpc.js';

/** Below these the words are somebody else's. */
const foreign: ReadonlySet<string> = new Set([
  'structuredContent',
  'arguments',
  'inputSchema',
  'outputSchema',
  'requestedSchema',
  'experimental',
  'data',
  'input',
  '_meta',
]);

function* find(name: string, value: Json): Generator<Json> {
  if (Array.isArray(value)) for (const item of value) yield* find(name, item);
  else if (isObject(value))
    for (const [key, member] of Object.entries(value)) {
      if (key === name) yield member;
      if (!foreign.has(key) && typeof member === 'object' && member !== null) yield* find(name, member);
    }
}

export interface Found<T> {
  readonly m: Message;
  readonly values: readonly T[];
}

/** The messages of the subject that hold such a member, with all of them. */
const holding = (conversation: Conversation, name: string): readonly Found<Json>[] =>
  conversation.memo(`holding ${name}`, () =>
    conversation.sent('subject').flatMap(m => {
      // most messages hold none, and their text says so at once
      if (!m.frame.text.includes(`"${name}"`)) return [];
      const values = [...find(name, m.json)];
      return values.length > 0 ? [{ m, values }] : [];
    }),
  );

export const metasOf = (conversation: Conversation): readonly Found<JsonObject>[] =>
  holding(conversation, '_meta').map(({ m, values }) => ({ m, values: values.filter(isObject) }));

export const iconsOf = (conversation: Conversation): readonly Found<Json>[] => holding(conversation, 'icons');

export const annotationsOf = (conversation: Conversation): readonly Found<JsonObject>[] =>
  holding(conversation, 'annotations').map(({ m, values }) => ({ m, values: values.filter(isObject) }));
