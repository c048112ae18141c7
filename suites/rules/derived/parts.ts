/** Members that occur in many places of a message: `_meta`, icons, annotations. */

import { append } from '../../../harness/grouped.js';
import type { Conversation } from '../../../harness/record/conversation.js';
import { derived } from '../../../harness/record/conversation.js';
import { envelopeKeys } from '../../../harness/record/envelope.js';
import type { Message } from '../../../harness/record/message.js';
import { isObject, type Json, type JsonObject } from '../../../spec/json-rpc.js';
import { mayHave } from './conversation.js';

/** Members whose content MCP does not define. */
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

/** Members of metadata that describe an implementation, with its icons. */
const described = [envelopeKeys.clientInfo, envelopeKeys.serverInfo];

type Name = '_meta' | 'icons' | 'annotations';
const isWanted = (key: string): key is Name => key === '_meta' || key === 'icons' || key === 'annotations';
/** Most messages contain none of these members; a search in the text shows that quickly. */
const mayHold = /"(?:_meta|icons|annotations)"/;

/** Calls `found` for each such member of a value; members with the same name keep their order. */
function find(value: Json, found: (name: Name, member: Json) => void): void {
  if (Array.isArray(value)) for (const item of value) find(item, found);
  else if (isObject(value))
    for (const key of Object.keys(value)) {
      const member = value[key]!;
      if (isWanted(key)) found(key, member);
      if (key === '_meta' && isObject(member))
        for (const name of described) find(member[name] ?? null, found);
      if (typeof member === 'object' && member !== null && !foreign.has(key)) find(member, found);
    }
}

interface Found<T> {
  readonly m: Message;
  readonly values: readonly T[];
}

const holders = derived((conversation: Conversation): ReadonlyMap<Name, readonly Found<Json>[]> => {
  const found = new Map<Name, Found<Json>[]>();
  for (const m of conversation.sent('subject')) {
    if (!mayHave(m, mayHold)) continue;
    const members = new Map<Name, Json[]>();
    find(m.json, (n, member) => append(members, n, member));
    for (const [n, values] of members) append(found, n, { m, values });
  }
  return found;
});

/** The messages of the subject that contain such a member, with all their members of that name. */
const holding = (conversation: Conversation, name: Name): readonly Found<Json>[] =>
  holders(conversation).get(name) ?? [];

export const metasOf = (conversation: Conversation): readonly Found<JsonObject>[] =>
  holding(conversation, '_meta').map(({ m, values }) => ({ m, values: values.filter(isObject) }));

export const iconsOf = (conversation: Conversation): readonly Found<Json>[] => holding(conversation, 'icons');

export const annotationsOf = (conversation: Conversation): readonly Found<JsonObject>[] =>
  holding(conversation, 'annotations').map(({ m, values }) => ({ m, values: values.filter(isObject) }));
