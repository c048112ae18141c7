/** The keys of `_meta`, with their parts. */

import { keptByText } from '../../../harness/grouped.js';
import { type Conversation, derived } from '../../../harness/record/conversation.js';
import type { Message } from '../../../harness/record/message.js';
import { metasOf } from './parts.js';

export interface Key {
  readonly key: string;
  /** Undefined without a slash. */
  readonly labels: readonly string[] | undefined;
  readonly name: string;
  /** Whether the labels are those of a prefix, separated by dots; false without a slash. */
  readonly hasPrefix: boolean;
  readonly hasProperLabels: boolean;
  readonly hasProperName: boolean;
}

const isLabel = (label: string): boolean => /^\p{L}([\p{L}\p{N}-]*[\p{L}\p{N}])?$/u.test(label);
const isName = (name: string): boolean => name === '' || /^[A-Za-z0-9]([\w.-]*[A-Za-z0-9])?$/.test(name);

/** The parts of a key; the messages of a party have few keys. */
const toKey = keptByText((key: string): Key => {
  const slash = key.lastIndexOf('/');
  const labels = slash < 0 ? undefined : key.slice(0, slash).split('.');
  const name = key.slice(slash + 1);
  return {
    key,
    labels,
    name,
    hasPrefix: labels?.every(label => label !== '' && !label.includes('/')) ?? false,
    hasProperLabels: labels?.every(isLabel) ?? false,
    hasProperName: isName(name),
  };
});

/** The keys of each message, from every `_meta` in it. */
export const keysOf = derived((conversation: Conversation): readonly { m: Message; keys: readonly Key[] }[] =>
  metasOf(conversation).map(({ m, values }) => ({
    m,
    keys: values.flatMap(value => Object.keys(value).map(toKey)),
  })),
);
