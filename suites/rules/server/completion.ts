/** Completion: the number of values, and the members `total` and `hasMore`. */

import { fail, pass } from '../../../harness/judge/finding.js';
import { rule } from '../../../harness/judge/rule.js';
import type { Conversation } from '../../../harness/record/conversation.js';
import { isObject } from '../../../spec/json-rpc.js';
import { answered } from '../derived/results.js';

const completions = (conversation: Conversation) =>
  answered(conversation, 'completion/complete').flatMap(({ request, reply, result }) => {
    const { completion } = result;
    if (!isObject(completion) || !Array.isArray(completion.values)) return [];
    const { values, total, hasMore } = completion;
    return [{ evidence: [request, reply], count: values.length, total, hasMore }];
  });

export const rules = [
  rule('completion.max-100-values', function* (conversation) {
    for (const { evidence, count } of completions(conversation))
      yield count <= 100 ? pass(evidence) : fail('at most 100 values', evidence, `${count}`);
  }),

  rule('completion.total-and-has-more-consistent', function* (conversation) {
    for (const { evidence, count, total, hasMore } of completions(conversation)) {
      if (typeof total !== 'number') continue;
      const contradiction = total < count || (typeof hasMore === 'boolean' && hasMore !== total > count);
      if (contradiction)
        yield fail('a total that is consistent', evidence, `${count} of ${total}, more: ${hasMore}`);
      else yield pass(evidence);
    }
  }),
];
