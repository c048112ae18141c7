/** No side sends a method of the other side, or of another revision. */

import { fail, pass } from '../../../harness/judge/finding.js';
import { rule } from '../../../harness/judge/rule.js';
import type { Conversation } from '../../../harness/record/conversation.js';
import { derived } from '../../../harness/record/conversation.js';
import type { Message } from '../../../harness/record/message.js';
import { otherRole, type Role } from '../../../spec/json-rpc.js';
import { revisions } from '../../../spec/revisions.js';
import { type Vocabulary, vocabularyOf } from '../../../spec/vocabulary.js';
import { isSound } from '../derived/conversation.js';

const knows = ({ requests, notifications }: Vocabulary, by: Role, method: string): boolean =>
  requests[by].has(method) || notifications[by].has(method);

/** Methods that any revision defines, for either side. */
const known = (method: string): boolean =>
  revisions.map(vocabularyOf).some(v => knows(v, 'client', method) || knows(v, 'server', method));

/** Valid requests and notifications of the subject. */
const named = derived((conversation: Conversation) =>
  conversation
    .sent('subject')
    .filter((m): m is Message & { method: string } => m.method !== undefined && isSound(m)),
);

export const rules = [
  rule.each('base.method-of-own-side', named, (m, conversation) => {
    const { subject } = conversation;
    const vocabulary = conversation.vocabularyFor(m);
    if (knows(vocabulary, subject, m.method)) return pass([m]);
    return knows(vocabulary, otherRole(subject), m.method)
      ? fail(`a method of the ${subject}`, [m], m.method)
      : undefined;
  }),

  // Methods that no revision defines are extensions, and messages may contain members of later revisions. A
  // content type that the revision lacks is invalid for its definitions: base.schema-valid.
  rule.each('lifecycle.respect-version', named, (m, conversation) => {
    const { subject, revision } = conversation;
    const vocabulary = conversation.vocabularyFor(m);
    if (knows(vocabulary, subject, m.method)) return pass([m]);
    const other = !knows(vocabulary, otherRole(subject), m.method) && known(m.method);
    return other ? fail(`a method of ${revision.id}`, [m], m.method) : undefined;
  }),
];
