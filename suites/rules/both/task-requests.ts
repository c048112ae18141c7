/** Tasks: requests to the side that runs them. */

import { fail, pass } from '../../../harness/judge/finding.js';
import { rule } from '../../../harness/judge/rule.js';
import type { Conversation } from '../../../harness/record/conversation.js';
import { describeMessage, idKey, type Message } from '../../../harness/record/message.js';
import { isObject, type Json } from '../../../spec/json-rpc.js';
import { isSound } from '../derived/conversation.js';
import { objects } from '../derived/results.js';
import { asked, capabilityFor, has, peerOf, relatedIn, resultIn, wantsTask } from '../derived/task-record.js';

const isAboutTasks = (m: Message): boolean => m.method?.startsWith('tasks/') === true;

/**
 * Requests of the subject that may become tasks, or are about tasks, after the other side has declared its
 * capabilities.
 */
function requests(conversation: Conversation): Message[] {
  if (!conversation.capabilities(peerOf(conversation))) return [];
  return conversation
    .requests({ by: 'subject' })
    .filter(m => isSound(m) && (capabilityFor(m) !== undefined || isAboutTasks(m)));
}

/** Whether the server declares support for tool calls as tasks. */
const runsCalls = (conversation: Conversation): boolean =>
  has(conversation, 'server', 'tasks.requests.tools.call');

/**
 * Calls of the client for a listed tool, with the task support in the list. After a change notification the
 * list proves nothing.
 */
function* supported(conversation: Conversation) {
  if (!runsCalls(conversation)) return;
  const support = new Map<Json | undefined, { m: Message; says: string }>();
  for (const m of conversation.messages) {
    if (m.method === 'notifications/tools/list_changed') support.clear();
    const request = m.kind === 'result' ? conversation.requestOf(m) : undefined;
    if (request?.method === 'tools/list')
      for (const { name, execution } of objects(resultIn(m)?.tools)) {
        const says = isObject(execution) ? execution.taskSupport : undefined;
        support.set(name, { m, says: typeof says === 'string' ? says : 'forbidden' });
      }
    const known = m.method === 'tools/call' && m.by === 'client' && support.get(m.params?.name);
    if (known && isSound(m)) yield { list: known.m, call: m, says: known.says };
  }
}

/** Half of the requested interval is clearly too fast. */
const hasty = 0.5;

/** A shorter interval (ms) cannot be distinguished from the time of transmission. */
const shortest = 5;

export const rules = [
  // Tool calls have a stricter row.
  rule('tasks.augment-only-declared', function* (conversation) {
    for (const m of requests(conversation)) {
      const path = capabilityFor(m);
      if (path === undefined || m.method === 'tools/call') continue;
      const declared = has(conversation, peerOf(conversation), path);
      if (wantsTask(m) && !declared)
        yield fail('no task', [conversation.handshake?.reply, m], `${path} is not declared`);
      else if (wantsTask(m) !== declared) continue;
      else yield pass([m]);
    }
  }),

  rule('tasks.tool-augment-needs-capability', function* (conversation) {
    if (!conversation.capabilities('server') || runsCalls(conversation)) return;
    for (const m of requests(conversation).filter(({ method }) => method === 'tools/call')) {
      const { reply } = conversation.handshake ?? {};
      yield wantsTask(m) ? fail('no task', [reply, m], JSON.stringify(m.params?.task)) : pass([reply, m]);
    }
  }),

  rule('tasks.tool-forbidden-not-augmented', function* (conversation) {
    for (const { list, call, says } of supported(conversation)) {
      if (says !== 'forbidden') continue;
      const wants = wantsTask(call);
      yield wants ? fail('no task', [list, call], JSON.stringify(call.params?.task)) : pass([list, call]);
    }
  }),

  rule('tasks.tool-required-augmented', function* (conversation) {
    for (const { list, call, says } of supported(conversation)) {
      if (says !== 'required') continue;
      yield wantsTask(call) ? pass([list, call]) : fail('a task', [list, call], 'none');
    }
  }),

  rule('tasks.none-without-capability', function* (conversation) {
    if (has(conversation, peerOf(conversation), 'tasks')) return;
    for (const m of requests(conversation)) {
      const wants = wantsTask(m) || isAboutTasks(m);
      yield wants ? fail('no task requests', [m], describeMessage(m)) : pass([m]);
    }
  }),

  rule('tasks.request-without-related', function* (conversation) {
    for (const m of requests(conversation).filter(isAboutTasks)) {
      const related = relatedIn(m.params);
      yield related === undefined
        ? pass([m])
        : fail('no related-task metadata', [m], JSON.stringify(related));
    }
  }),

  rule('tasks.poll-interval-respected', function* (conversation) {
    const wait = new Map<string, { m: Message; interval: number }>();
    for (const m of conversation.messages) {
      if (m.by !== conversation.subject) {
        const request = m.kind === 'result' ? conversation.requestOf(m) : undefined;
        const result = request && resultIn(m);
        const task = request?.method === 'tasks/get' ? result : result?.task;
        if (isObject(task) && typeof task.pollInterval === 'number')
          wait.set(idKey(task.taskId), { m, interval: task.pollInterval });
      } else if (m.method === 'tasks/get') {
        const said = wait.get(idKey(m.params?.taskId));
        if (!said || said.interval < shortest) continue;
        const waited = m.frame.at - said.m.frame.at;
        yield waited < said.interval * hasty
          ? fail(`${said.interval} ms between two requests`, [said.m, m], `${Math.round(waited)} ms`)
          : pass([said.m, m]);
      }
    }
  }),

  rule('tasks.cursor-opaque', function* (conversation) {
    const given = new Set<unknown>();
    const lists = asked(conversation, 'subject', 'tasks/list');
    for (const { request } of lists) {
      for (const { reply } of lists)
        if (reply && reply.seq < request.seq) given.add(resultIn(reply)?.nextCursor);
      const cursor = request.params?.cursor;
      if (cursor === undefined) continue;
      const known = given.has(cursor);
      yield known ? pass([request]) : fail('an unchanged cursor', [request], JSON.stringify(cursor));
    }
  }),
];
