/** Nobody sends a method of the other side, or of another revision. */

import { fail, pass } from '../../harness/finding.js';
import { rule } from '../../harness/rule.js';
import { otherRole, type Role } from '../../spec/json-rpc.js';
import { revisions } from '../../spec/revisions.js';
import { type Vocabulary, vocabularyOf } from '../../spec/vocabulary.js';
import { isSound } from './observed.js';

const knows = ({ requests, notifications }: Vocabulary, by: Role, method: string): boolean =>
  requests[by].has(method) || notifications[by].has(method);

/** Methods that some revision defines, for either side. */
const known = (method: string): boolean =>
  revisions.map(vocabularyOf).some(v => knows(v, 'client', method) || knows(v, 'server', method));

export const rules = [
  rule('base.method-of-own-side', function* (conversation) {
    const { subject, revision } = conversation;
    const vocabulary = vocabularyOf(revision);
    for (const m of conversation.sent('subject')) {
      if (m.method === undefined || !isSound(m)) continue;
      if (knows(vocabulary, subject, m.method)) yield pass([m]);
      else if (knows(vocabulary, otherRole(subject), m.method))
        yield fail(`a method of the ${subject}`, [m], m.method);
    }
  }),

  // Methods no revision knows are extensions, and members of later ones may be added to what this one has.
  // Kinds of content it lacks are no variant of the definitions: base.schema-valid.
  rule('lifecycle.respect-version', function* (conversation) {
    const { subject, revision } = conversation;
    const vocabulary = vocabularyOf(revision);
    for (const m of conversation.sent('subject')) {
      if (m.method === undefined || !isSound(m)) continue;
      if (knows(vocabulary, subject, m.method)) yield pass([m]);
      else if (!knows(vocabulary, otherRole(subject), m.method) && known(m.method))
        yield fail(`a method of ${revision.id}`, [m], m.method);
    }
  }),
];
