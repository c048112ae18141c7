/** Progress of a task continues with the token of the request that created the task, until the task ends. */

import { fail, pass } from '../../../harness/judge/finding.js';
import { rule } from '../../../harness/judge/rule.js';
import { type Conversation, derived } from '../../../harness/record/conversation.js';
import { describeId } from '../../../harness/record/message.js';
import { isObject } from '../../../spec/json-rpc.js';
import type { RequirementId } from '../../../spec/requirement.js';
import { isId, isSound } from '../derived/conversation.js';
import { surelyAfter } from '../derived/order.js';
import { creationOf, endBefore, relatedIn, taskOfToken } from '../derived/task-record.js';

/** Progress notifications of the subject, each with its task. */
const reports = derived((conversation: Conversation) => [...findReports(conversation)]);

function* findReports(conversation: Conversation) {
  for (const m of conversation.notifications({ by: 'subject', method: 'notifications/progress' })) {
    const token = m.params?.progressToken;
    if (!isSound(m) || !isId(token)) continue;
    const { request, made } = taskOfToken(conversation, token, m.seq);
    const related = relatedIn(m.params);
    const named = isObject(related) ? related.taskId : token;
    // a notification with an unknown token belongs to the task that it names
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

  // Over HTTP the messages may arrive on different streams, and cross.
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
