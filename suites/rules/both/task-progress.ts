/** Progress of tasks goes on under the token of the request that made them, until they end. */

import { fail, pass } from '../../../harness/judge/finding.js';
import { rule } from '../../../harness/judge/rule.js';
import { type Conversation, derived } from '../../../harness/record/conversation.js';
import { describeId } from '../../../harness/record/message.js';
import { isObject } from '../../../spec/json-rpc.js';
import type { RequirementId } from '../../../spec/requirement.js';
import { isId, isSound } from '../derived/conversation.js';
import { surelyAfter } from '../derived/order.js';
import { creationOf, endBefore, relatedIn, taskOfToken } from '../derived/task-record.js';

/** Progress of the subject, each with the task it is about. */
const reports = derived((conversation: Conversation) => [...findReports(conversation)]);

function* findReports(conversation: Conversation) {
  for (const m of conversation.notifications({ by: 'subject', method: 'notifications/progress' })) {
    const token = m.params?.progressToken;
    if (!isSound(m) || !isId(token)) continue;
    const { request, made } = taskOfToken(conversation, token, m.seq);
    const related = relatedIn(m.params);
    const named = isObject(related) ? related.taskId : token;
    // under a token nobody gave, it is about the task that it names
    const about = request ? made : creationOf(conversation, named, m.seq);
    if (about && about.m.seq < m.seq) yield { m, about, own: request !== undefined, token };
  }
}

const underItsToken = (row: RequirementId) =>
  rule(row, function* (conversation) {
    for (const { m, about, own, token } of reports(conversation))
      yield own
        ? pass([about.request, m])
        : fail('the token of the request', [about.request, about.m, m], `token ${describeId(token)}`);
  });

export const rules = [
  underItsToken('progress.task-token-continues'),
  underItsToken('progress.task-same-token'),

  // Over HTTP they may come by different streams, and cross.
  rule('progress.task-stops-at-terminal', function* (conversation) {
    for (const { m, about, own } of reports(conversation)) {
      const end = endBefore(conversation, about.task.taskId, m.seq);
      if (!own || (end && !surelyAfter(conversation, m, end.m))) continue;
      yield end
        ? fail('no progress after the end', [about.request, end.m, m], `"${end.task.status}" before it`)
        : pass([about.request, m]);
    }
  }),
];
