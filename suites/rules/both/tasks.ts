/** Tasks: the messages of their receiver about them, and their processing. */

import { fail, inconclusive, pass } from '../../../harness/judge/finding.js';
import { rule } from '../../../harness/judge/rule.js';
import { type Conversation, derived } from '../../../harness/record/conversation.js';
import { type Exchange, idKey, type Message } from '../../../harness/record/message.js';
import { describe } from '../../../harness/scenario/expect.js';
import { isObject, type Json, type JsonObject } from '../../../spec/json-rpc.js';
import type { RequirementId } from '../../../spec/requirement.js';
import { vocabularyOf } from '../../../spec/vocabulary.js';
import { sameJson, shown } from '../derived/results.js';
import { member } from '../derived/task-members.js';
import {
  areApart,
  asked,
  capabilityFor,
  creationOf,
  creations,
  endBefore,
  errorIn,
  firstGetAfter,
  has,
  isStatus,
  isTerminal,
  isTimestamp,
  isUpdate,
  relatedIn,
  resultIn,
  type Sighting,
  sightings,
  sightingsOf,
  stepBetween,
  wantsTask,
} from '../derived/task-record.js';
import { definitionFor } from '../server/tools.js';

/** The task support in the definition of a tool; undefined when the definition is unknown. */
function supportOf(conversation: Conversation, { request, reply }: Exchange): string | undefined {
  if (request.method !== 'tools/call') return 'optional';
  const definition = reply && definitionFor(conversation, request, reply);
  if (!definition) return undefined;
  const support = isObject(definition.execution) ? definition.execution.taskSupport : undefined;
  return typeof support === 'string' ? support : 'forbidden';
}

/** Requests that may become tasks, to a side that declares support for tasks. */
const augmentable = derived((conversation: Conversation) => [...findAugmentable(conversation)]);

function* findAugmentable(conversation: Conversation) {
  for (const method of ['tools/call', 'sampling/createMessage', 'elicitation/create'])
    for (const exchange of asked(conversation, 'peer', method)) {
      const support = supportOf(conversation, exchange);
      if (!exchange.reply || !support) continue;
      if (has(conversation, conversation.subject, capabilityFor(exchange.request)!))
        yield { exchange, support };
    }
}

/** Whether the task still exists later. */
export const isKnownAfter = (conversation: Conversation, taskId: Json | undefined, seq: number): boolean =>
  firstGetAfter(conversation, taskId, seq) !== undefined;

/** States of a task that were requested after the end of the task was known. */
function* afterTheEnd(conversation: Conversation): Generator<{ end: Sighting; later: Sighting }> {
  for (const later of sightings(conversation)) {
    if (!later.request || later.how === 'created' || !isStatus(later.task.status)) continue;
    // a cancellation after the end is judged by another row
    if (later.how === 'cancel') continue;
    const end = endBefore(conversation, later.task.taskId, later.request.seq);
    if (end) yield { end, later };
  }
}

const finality = (row: RequirementId, concerns: (status: Json | undefined) => boolean) =>
  rule(row, function* (conversation) {
    for (const { end, later } of afterTheEnd(conversation)) {
      const [then, now] = [end.task.status, later.task.status];
      if (!concerns(then)) continue;
      const evidence = [end.m, later.request, later.m];
      yield then === now ? pass(evidence) : fail(shown(then), evidence, shown(now));
    }
  });

/**
 * Responses to `tasks/result`, without responses to cancelled requests; `end` is the end known at the time of
 * the request.
 */
export const retrievals = derived((conversation: Conversation) => {
  const cancelled = conversation.notifications({ by: 'peer', method: 'notifications/cancelled' });
  const unwanted = (request: Message, reply: Message) =>
    cancelled.some(
      m => m.seq > request.seq && m.seq < reply.seq && idKey(m.params?.requestId) === request.idKey,
    );
  return asked(conversation, 'peer', 'tasks/result').flatMap(({ request, reply }) => {
    const { taskId } = request.params ?? {};
    if (!reply || typeof taskId !== 'string' || unwanted(request, reply)) return [];
    return [{ request, reply, taskId, end: endBefore(conversation, taskId, request.seq) }];
  });
});

const withoutMeta = ({ _meta, ...rest }: JsonObject = {}): JsonObject => rest;

/** Whether an id is that of the task before, with one number that increased by a small amount: counters, and clocks. */
function isCount(before: string, id: string): boolean {
  const step = stepBetween(before, id) ?? 0;
  return step > 0 && step <= 1_000_000;
}

/** Whether an id is too short to be hard to guess: less than 32 bits, whatever its characters are. */
const isShort = (id: string): boolean => id.length * Math.log2(/^\d*$/.test(id) ? 10 : 62) < 32;

export const rules = [
  // tasks.undeclared-type-processed-normally judges whether the request is processed without a task.
  rule('tasks.capability-declared', function* (conversation) {
    if (!conversation.capabilities(conversation.subject)) return;
    for (const { m, request } of creations(conversation)) {
      const path = capabilityFor(request!)!;
      const declared = has(conversation, conversation.subject, path);
      yield declared
        ? pass([request, m])
        : fail(`${path} declared`, [request, m], 'a task without the declaration');
    }
  }),

  rule('tasks.tool-forbidden-rejected', function* (conversation) {
    for (const { exchange, support } of augmentable(conversation)) {
      const { request, reply } = exchange;
      if (support !== 'forbidden' || !wantsTask(request)) continue;
      const right = errorIn(reply)?.code === -32601;
      yield right ? pass([request, reply]) : fail('error -32601', [request, reply], describe(exchange));
    }
  }),

  // Metadata that names no task; whether it names the right one is known to the scenario that made the task.
  rule('tasks.input-request-related', function* (conversation) {
    if (conversation.subject === 'client') return;
    for (const m of conversation.requests({ by: 'subject' })) {
      const related = relatedIn(m.params);
      if (related === undefined || (isObject(related) && typeof related.taskId === 'string')) continue;
      yield fail('the id of a task', [m], shown(related));
    }
  }),

  // Another passage of the specification permits -32600 where the receiver requires a task.
  rule('tasks.tool-required-rejected', function* (conversation) {
    for (const { exchange, support } of augmentable(conversation)) {
      const { request, reply } = exchange;
      if (support !== 'required' || request.params?.task !== undefined) continue;
      const right = [-32601, -32600].includes(errorIn(reply)?.code as number);
      yield right ? pass([request, reply]) : fail('error -32601', [request, reply], describe(exchange));
    }
  }),

  // Arguments may be refused before the task exists, with an error or with a tool error.
  rule('tasks.create-result-returned', function* (conversation) {
    for (const { exchange, support } of augmentable(conversation)) {
      const { request, reply } = exchange;
      const result = resultIn(reply);
      if (support === 'forbidden' || !wantsTask(request) || !result || result.isError === true) continue;
      if (isObject(result.task)) yield pass([request, reply]);
      else if ('task' in result || 'content' in result)
        yield fail('a task', [request, reply], describe(exchange));
    }
  }),

  member('tasks.id-string', 'taskId', value => typeof value === 'string', 'a string'),

  rule('tasks.created-at', function* (conversation) {
    const first = new Map<string, Sighting>();
    for (const sighting of sightings(conversation)) {
      const { m, request, how, task } = sighting;
      // tasks.id-string: an id that is no string may be that of several tasks
      const isNew = how === 'created' || typeof task.taskId !== 'string';
      const earlier = isNew ? undefined : first.get(idKey(task.taskId));
      if (!earlier) first.set(idKey(task.taskId), sighting);
      const actual = `createdAt ${shown(task.createdAt)}`;
      if (!isTimestamp(task.createdAt)) yield fail('an ISO 8601 timestamp', [request, m], actual);
      else if (earlier && areApart(earlier.task.createdAt, task.createdAt))
        yield fail(`createdAt ${shown(earlier.task.createdAt)}, as before`, [earlier.m, request, m], actual);
      else yield pass([m]);
    }
  }),

  member('tasks.last-updated-at', 'lastUpdatedAt', isUpdate, 'an ISO 8601 timestamp from createdAt on'),

  rule('tasks.id-by-receiver', function* (conversation) {
    for (const { m, request, task } of creations(conversation)) {
      const given = (request!.params!.task as JsonObject).taskId;
      const adopted = given !== undefined && given === task.taskId;
      yield adopted ? fail('an id chosen by the receiver', [request, m], shown(given)) : pass([request, m]);
    }
  }),

  rule('tasks.id-unique', function* (conversation) {
    const last = new Map<string, Message>();
    for (const { m, task } of creations(conversation)) {
      const key = idKey(task.taskId);
      const earlier = last.get(key);
      yield earlier ? fail('an id not used before', [earlier, m], shown(task.taskId)) : pass([m]);
      last.set(key, m);
    }
  }),

  // Randomness cannot be proven; ids that are easy to guess can.
  rule('tasks.id-unguessable', function* (conversation) {
    let before: { m: Message; id: string } | undefined;
    for (const { m, task } of creations(conversation)) {
      const { taskId: id } = task;
      if (typeof id !== 'string') continue;
      const guessable = isShort(id) || (before && isCount(before.id, id));
      const actual = before ? `${shown(before.id)}, then ${shown(id)}` : shown(id);
      yield guessable ? fail('an id that is hard to guess', [before?.m, m], actual) : pass([m]);
      before = { m, id };
    }
  }),

  // A task that has already changed its status in the response to its creation is not clearly excluded.
  rule('tasks.starts-working', function* (conversation) {
    for (const { m, request, task } of creations(conversation)) {
      if (task.status === 'working') yield pass([request, m]);
      else if (!isStatus(task.status)) yield fail('working', [request, m], shown(task.status));
    }
  }),

  // tasks.terminal-final judges a status after the end; every other change between two statuses is allowed.
  rule('tasks.valid-transitions', function* (conversation) {
    for (const { m, request, how, task } of sightings(conversation)) {
      if (how === 'created') continue;
      const statuses = ['working', 'input_required', 'completed', 'failed', 'cancelled'];
      yield isStatus(task.status) ? pass([m]) : fail(statuses, [request, m], shown(task.status));
    }
  }),

  finality('tasks.terminal-final', isTerminal),
  finality('tasks.cancel-sticks', status => status === 'cancelled'),

  rule.each('tasks.ttl-reported', sightings, ({ m, request, how, task: { ttl } }) => {
    if (how !== 'get') return undefined;
    const fits = ttl === null || (Number.isInteger(ttl) && Number(ttl) >= 0);
    return fits ? pass([request, m]) : fail('milliseconds or null', [request, m], `ttl ${shown(ttl)}`);
  }),

  rule('tasks.result-of-terminal', function* (conversation) {
    const vocabulary = vocabularyOf(conversation.revision);
    const earlier = new Map<number, { request: Message; reply: Message }>();
    for (const { request, reply, taskId, end } of retrievals(conversation)) {
      // misled: tasks.request-related-ignored
      if (relatedIn(request.params) !== undefined) continue;
      const made = creationOf(conversation, taskId, request.seq);
      // a request that waited for the end counts when its response arrived with the end and not before
      const known = end ?? firstGetAfter(conversation, taskId, reply.seq);
      if (!made || end?.task.status === 'cancelled') continue;
      // the text does not say what the result of a cancelled task is
      const isOver =
        known === undefined || (isTerminal(known.task.status) && known.task.status !== 'cancelled');
      const isCancelled = () =>
        asked(conversation, 'peer', 'tasks/cancel').some(
          cancel => cancel.request.params?.taskId === taskId && cancel.request.seq < reply.seq,
        );
      const key = made.m.seq;
      const first = earlier.get(key);
      const [result, error] = [resultIn(reply), errorIn(reply)];
      const definition = vocabulary.resultDefinition(made.request!.by, made.request!.method!);
      const [problem] = result && definition ? vocabulary.validate(definition, result) : [];
      const evidence = [made.m, known?.m, request, reply];
      const expected = problem && `${problem.path || 'the result'} ${problem.message}`;
      if (!known && (!expected || isCancelled())) continue;
      if (!isOver) {
        // a finding stays whatever follows: without this later status it is a failure
        if (expected && !isCancelled())
          yield inconclusive('the task has not ended, or is cancelled', evidence);
        continue;
      }
      if (expected) yield fail(expected, evidence, shown(result));
      else if (first) {
        const same =
          sameJson(withoutMeta(resultIn(first.reply)), withoutMeta(result)) &&
          errorIn(first.reply)?.code === error?.code;
        const again = [first.reply, request, reply];
        if (same) yield pass(again);
        else if (result || isKnownAfter(conversation, taskId, reply.seq))
          yield fail('the same response as before', again, shown(result ?? error));
      } else if (result) yield pass(evidence);
      if (!first) earlier.set(key, { request, reply });
    }
  }),

  // The last status may be lost: the status requested after the response counts, if no end was reported
  // before.
  rule('tasks.result-blocks', function* (conversation) {
    for (const { request, reply, taskId, end } of retrievals(conversation)) {
      if (end || !creationOf(conversation, taskId, request.seq)) continue;
      const next = firstGetAfter(conversation, taskId, reply.seq);
      if (!next || !isStatus(next.task.status)) continue;
      const evidence = [request, reply, next.m];
      if (isTerminal(next.task.status)) yield pass(evidence);
      else if (!endBefore(conversation, taskId, next.request!.seq))
        yield fail('no response before the end of the task', evidence, `still ${shown(next.task.status)}`);
    }
  }),

  // A failure inside a tool is judged by a scenario.
  rule('tasks.result-same-result', function* (conversation) {
    for (const { request, reply, taskId } of retrievals(conversation)) {
      const end = endBefore(conversation, taskId, reply.seq);
      if (end?.task.status !== 'completed') continue;
      // a second response is compared with the first by tasks.result-of-terminal
      const repeated = retrievals(conversation).some(r => r.taskId === taskId && r.reply.seq < reply.seq);
      if (resultIn(reply)) yield pass([end.m, request, reply]);
      else if (!repeated && isKnownAfter(conversation, taskId, reply.seq))
        yield fail('the result', [end.m, request, reply], shown(errorIn(reply)));
    }
  }),

  rule('tasks.param-is-truth', function* (conversation) {
    for (const { m, request, how, task } of sightings(conversation)) {
      if (how !== 'get' && how !== 'cancel') continue;
      const wanted = request!.params?.taskId;
      if (typeof task.taskId !== 'string') continue;
      yield task.taskId === wanted
        ? pass([request, m])
        : fail(`the task ${shown(wanted)}`, [request, m], shown(task.taskId));
    }
  }),

  rule('tasks.cancel-terminal-rejected', function* (conversation) {
    if (!has(conversation, conversation.subject, 'tasks.cancel')) return;
    for (const exchange of asked(conversation, 'peer', 'tasks/cancel')) {
      const { request, reply } = exchange;
      const end = endBefore(conversation, request.params?.taskId, request.seq);
      if (!end || !reply) continue;
      const evidence = [end.m, request, reply];
      const right = errorIn(reply)?.code === -32602;
      yield right ? pass(evidence) : fail('error -32602', evidence, describe(exchange));
    }
  }),

  rule('tasks.cancel-before-response', function* (conversation) {
    for (const { m, request, how, task } of sightings(conversation)) {
      if (how !== 'cancel' || endBefore(conversation, request!.params?.taskId, request!.seq)) continue;
      const cancelled = task.status === 'cancelled';
      yield cancelled ? pass([request, m]) : fail('"cancelled"', [request, m], shown(task.status));
    }
    for (const exchange of asked(conversation, 'peer', 'tasks/cancel')) {
      const { request, reply } = exchange;
      const after = reply && firstGetAfter(conversation, request.params?.taskId, reply.seq);
      // -32602 says that the task has ended; any other error may have its own cause
      if (!after || request.frame.deliberate || errorIn(reply)?.code !== -32602) continue;
      if (isTerminal(after.task.status)) continue;
      const evidence = [request, reply, after.request, after.m];
      yield fail('"cancelled"', evidence, `${describe(exchange)}, then ${shown(after.task.status)}`);
    }
  }),

  rule('tasks.error-informative', function* (conversation) {
    for (const method of ['tasks/get', 'tasks/result', 'tasks/list', 'tasks/cancel'])
      for (const { request, reply } of asked(conversation, 'peer', method)) {
        const message = errorIn(reply)?.message;
        if (typeof message !== 'string') continue;
        const says = message.trim() !== '';
        yield says ? pass([request, reply]) : fail('a message about the cause', [request, reply], '""');
      }
  }),

  rule('tasks.failed-status-message', function* (conversation) {
    for (const { m, request, how, task } of sightings(conversation)) {
      if (how !== 'get' || task.status !== 'failed') continue;
      const says = typeof task.statusMessage === 'string' && task.statusMessage.trim() !== '';
      yield says
        ? pass([request, m])
        : fail('a statusMessage about the failure', [request, m], shown(task.statusMessage));
    }
  }),

  rule('tasks.tool-error-is-failed', function* (conversation) {
    for (const { request, reply, taskId } of retrievals(conversation)) {
      const made = creationOf(conversation, taskId, request.seq);
      if (made?.request?.method !== 'tools/call' || resultIn(reply)?.isError !== true) continue;
      const end = sightingsOf(conversation, taskId).find(
        s => s.m.seq >= made.m.seq && isTerminal(s.task.status),
      );
      if (!end || end.task.status === 'cancelled') continue;
      const evidence = [reply, end.m];
      yield end.task.status === 'failed'
        ? pass(evidence)
        : fail('"failed"', evidence, shown(end.task.status));
    }
  }),
];
