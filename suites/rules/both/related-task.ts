/** Tasks: the metadata that relates a message to a task. */

import { fail, pass } from '../../../harness/judge/finding.js';
import { rule } from '../../../harness/judge/rule.js';
import type { Conversation } from '../../../harness/record/conversation.js';
import type { Message } from '../../../harness/record/message.js';
import { isObject, type Json } from '../../../spec/json-rpc.js';
import type { RequirementId } from '../../../spec/requirement.js';
import { isSound } from '../derived/conversation.js';
import { shown } from '../derived/results.js';
import { asked, errorIn, names, relatedIn, resultIn, taskOfToken } from '../derived/task-record.js';
import { isKnownAfter, retrievals } from './tasks.js';

/** Messages that do not need related-task metadata, because they contain the id of the task. */
const unrelated = (
  row: RequirementId,
  messages: (conversation: Conversation) => [Message, Json | undefined][],
) =>
  rule(row, function* (conversation) {
    for (const [m, holder] of messages(conversation)) {
      const related = relatedIn(holder);
      yield related === undefined ? pass([m]) : fail('no related-task metadata', [m], shown(related));
    }
  });

/** The parameters of these requests name the task, whatever their metadata say. */
const isAboutTask = ({ method = '' }: Message): boolean => method.startsWith('tasks/');

export const rules = [
  rule('tasks.result-related', function* (conversation) {
    for (const { request, reply, taskId } of retrievals(conversation)) {
      const result = resultIn(reply);
      if (!result) continue;
      const related = relatedIn(result);
      yield names(related, taskId)
        ? pass([request, reply])
        : fail('related-task metadata with the id of the task', [request, reply], shown(related));
    }
  }),

  unrelated('tasks.response-without-related', conversation =>
    ['tasks/get', 'tasks/list', 'tasks/cancel'].flatMap(method =>
      asked(conversation, 'peer', method).flatMap(({ reply }) => {
        const result = resultIn(reply);
        return reply && result ? [[reply, result] as [Message, Json]] : [];
      }),
    ),
  ),

  unrelated('tasks.status-notification-unrelated', conversation =>
    conversation
      .notifications({ by: 'subject', method: 'notifications/tasks/status' })
      .filter(isSound)
      .map(m => [m, m.params]),
  ),

  // Requests and results of tasks have rows of their own; notifications of a task are recognized by their progress
  // token. A response without the metadata is not reported: an error cannot have them, and SDKs leave them out.
  rule('tasks.messages-related', function* (conversation) {
    for (const { request, reply } of conversation.exchanges({ by: 'peer' })) {
      const wanted = relatedIn(request.params);
      if (!reply || !isObject(wanted) || isAboutTask(request) || request.frame.deliberate) continue;
      const result = isSound(reply) ? resultIn(reply) : undefined;
      const related = relatedIn(result);
      // the metadata of a new task may name the new task
      if (related === undefined || isObject(result?.task)) continue;
      yield names(related, wanted.taskId)
        ? pass([request, reply])
        : fail('related-task metadata with the id of the task', [request, reply], shown(related));
    }
    for (const m of conversation.notifications({ by: 'subject', method: 'notifications/progress' })) {
      const { made } = taskOfToken(conversation, m.params?.progressToken, m.seq);
      if (!made || made.m.seq > m.seq || !isSound(m)) continue;
      const related = relatedIn(m.params);
      yield names(related, made.task.taskId)
        ? pass([made.m, m])
        : fail('related-task metadata with the id of the task', [made.m, m], shown(related));
    }
  }),

  // A request that is refused also without the metadata proves nothing.
  rule('tasks.request-related-ignored', function* (conversation) {
    for (const { request, reply } of asked(conversation, 'peer', 'tasks/get')) {
      const { taskId } = request.params ?? {};
      if (!reply || relatedIn(request.params) === undefined || typeof taskId !== 'string') continue;
      const result = resultIn(reply);
      const refused = !result && isKnownAfter(conversation, taskId, reply.seq);
      if (refused || (result && result.taskId !== taskId))
        yield fail('the metadata is ignored', [request, reply], shown(result ?? errorIn(reply)));
      else if (result) yield pass([request, reply]);
    }
    const results = retrievals(conversation);
    for (const { request, reply, taskId } of results.filter(r => relatedIn(r.request.params) !== undefined)) {
      const plain = results.find(
        r => r.taskId === taskId && r.request.seq > reply.seq && relatedIn(r.request.params) === undefined,
      );
      if (resultIn(reply)) yield pass([request, reply]);
      else if (plain && resultIn(plain.reply))
        yield fail('the metadata is ignored', [request, reply, plain.reply], shown(errorIn(reply)));
    }
  }),
];
