/** Tasks in a record: their creation, and each message about their state. */

import { append, grouped } from '../../../harness/grouped.js';
import { type Conversation, declares, derived } from '../../../harness/record/conversation.js';
import { type Exchange, idKey, type Message } from '../../../harness/record/message.js';
import { isObject, type Json, type JsonObject, otherRole, type Role } from '../../../spec/json-rpc.js';
import { bodyOf, isSound } from './conversation.js';
import { objects } from './results.js';

/** The key in `_meta` that names the task of a message. */
const relatedTask = 'io.modelcontextprotocol/related-task';

/** The value of that key; undefined when the key is missing. */
export const relatedIn = (of: Json | undefined): Json | undefined =>
  isObject(of) && isObject(of._meta) ? of._meta[relatedTask] : undefined;

/** Whether that value names a task. */
export const names = (related: Json | undefined, taskId: Json | undefined): boolean =>
  isObject(related) && related.taskId === taskId;

/** Requests that may become tasks, with the capability that their receiver declares for it. */
const asTask: Readonly<Record<string, string>> = {
  'tools/call': 'tasks.requests.tools.call',
  'sampling/createMessage': 'tasks.requests.sampling.createMessage',
  'elicitation/create': 'tasks.requests.elicitation.create',
};

/** The capability that a request needs to become a task; undefined for requests that cannot become one. */
export const capabilityFor = ({ method }: Message): string | undefined =>
  method !== undefined && Object.hasOwn(asTask, method) ? asTask[method] : undefined;

/** Whether one side has declared a capability. */
export const has = (conversation: Conversation, role: Role, path: string): boolean =>
  declares(conversation.capabilities(role), path);

export const wantsTask = (request: Message): boolean => isObject(request.params?.task);

export const resultIn = (reply: Message | undefined): JsonObject | undefined => {
  const { result } = reply?.kind === 'result' ? bodyOf(reply) : {};
  return isObject(result) ? result : undefined;
};

export const errorIn = (reply: Message | undefined): JsonObject | undefined => {
  const { error } = reply?.kind === 'error' ? bodyOf(reply) : {};
  return isObject(error) ? error : undefined;
};

/** The requests of one side for a method, without those that got an invalid response. */
export const asked = (conversation: Conversation, by: 'subject' | 'peer', method: string): Exchange[] =>
  conversation.exchanges({ by, method }).filter(({ reply }) => !reply || isSound(reply));

const terminal: ReadonlySet<unknown> = new Set(['completed', 'failed', 'cancelled']);
export const isTerminal = (status: Json | undefined): boolean => terminal.has(status);
export const isStatus = (status: Json | undefined): boolean =>
  status === 'working' || status === 'input_required' || isTerminal(status);

/** A state of a task in a message of the receiver. */
export interface Sighting {
  readonly m: Message;
  /** The request of the message; undefined for a notification. */
  readonly request: Message | undefined;
  readonly how: 'created' | 'get' | 'cancel' | 'list' | 'notified';
  readonly task: JsonObject;
}

/** Requests whose results contain task states. */
const answersOf: ReadonlyMap<string | undefined, Sighting['how']> = new Map([
  ['tasks/get', 'get'],
  ['tasks/cancel', 'cancel'],
  ['tasks/list', 'list'],
]);

function* findSightings(conversation: Conversation): Generator<Sighting> {
  for (const m of conversation.sent('subject')) {
    if (m.method === 'notifications/tasks/status' && m.kind === 'notification' && isSound(m) && m.params)
      yield { m, request: undefined, how: 'notified', task: m.params };
    const request = m.kind === 'result' ? conversation.requestOf(m) : undefined;
    const how = request && answersOf.get(request.method);
    const made = request && !how && capabilityFor(request) && wantsTask(request);
    const result = how || made ? resultIn(m) : undefined;
    if (!result || !isSound(m)) continue;
    if (how === 'list') for (const task of objects(result.tasks)) yield { m, request, how, task };
    else if (how) yield { m, request, how, task: result };
    else if (isObject(result.task)) yield { m, request, how: 'created', task: result.task };
  }
}

/** All states of tasks that the subject sent, in order. */
export const sightings = derived((conversation: Conversation): readonly Sighting[] => [
  ...findSightings(conversation),
]);

const byId = derived(
  (conversation: Conversation): ReadonlyMap<string, Sighting[]> =>
    grouped(sightings(conversation), s => idKey(s.task.taskId)),
);

export const sightingsOf = (conversation: Conversation, taskId: Json | undefined): readonly Sighting[] =>
  byId(conversation).get(idKey(taskId)) ?? [];

/** Tasks of the subject, in the order of their creation. */
export const creations = derived((conversation: Conversation): readonly Sighting[] =>
  sightings(conversation).filter(s => s.how === 'created'),
);

/** The creation of the task with an id: the last one before a moment. */
export const creationOf = (conversation: Conversation, taskId: Json | undefined, before: number) =>
  sightingsOf(conversation, taskId).findLast(s => s.how === 'created' && s.m.seq < before);

/** The first message before a moment that shows the end of a task. A reused id means a new task. */
export function endBefore(conversation: Conversation, taskId: Json | undefined, before: number) {
  const made = creationOf(conversation, taskId, before)?.m.seq ?? 0;
  return sightingsOf(conversation, taskId).find(
    s => s.m.seq >= made && s.m.seq < before && isTerminal(s.task.status),
  );
}

/** The response to the first `tasks/get` that was sent after a moment. */
export const firstGetAfter = (conversation: Conversation, taskId: Json | undefined, after: number) =>
  sightingsOf(conversation, taskId).find(s => s.how === 'get' && s.request!.seq > after);

/** Results of requests of one kind that became tasks, in responses to `tasks/result`. */
export const payloadsOf = (conversation: Conversation, method: string) =>
  asked(conversation, 'peer', 'tasks/result').flatMap(exchange => {
    const request = creationOf(conversation, exchange.request.params?.taskId, exchange.request.seq)?.request;
    const { reply } = exchange;
    const result = resultIn(reply);
    // where the metadata name another task, it is not clear which result this is
    const isClear = request?.method === method && relatedIn(exchange.request.params) === undefined;
    return reply && result && isClear ? [{ request, reply, result }] : [];
  });

/** Requests of the peer by their progress token. */
const requestsByToken = derived((conversation: Conversation) => {
  const map = new Map<string, Message[]>();
  for (const m of conversation.requests({ by: 'peer' })) {
    const meta = m.params?._meta;
    if (!isObject(meta) || meta.progressToken === undefined) continue;
    append(map, idKey(meta.progressToken), m);
  }
  return map;
});

/** The request with a progress token, and the task that it created; for a reused token, the last request. */
export function taskOfToken(conversation: Conversation, token: Json | undefined, before: number) {
  const request = requestsByToken(conversation)
    .get(idKey(token))
    ?.findLast(m => m.seq < before);
  const made = request && creations(conversation).find(s => s.request === request);
  return { request, made };
}

/** How much the number increased that is the only difference between two ids; undefined where they differ otherwise. */
export function stepBetween(before: string, id: string): number | undefined {
  // the numbers have odd places
  const [a, b] = [before, id].map(text => text.split(/(\d+)/)) as [string[], string[]];
  const [at, ...more] = a.flatMap((part, n) => (part === b[n] ? [] : [n]));
  if (a.length !== b.length || at === undefined || more.length > 0 || at % 2 === 0) return undefined;
  return Number(b[at]) - Number(a[at]);
}

export const peerOf = ({ subject }: Conversation): Role => otherRole(subject);

/**
 * Whether a value is a date with a time in the format of ISO 8601 or RFC 3339; in ISO 8601 the offset may be
 * missing.
 */
export const isTimestamp = (value: Json | undefined): boolean =>
  typeof value === 'string' &&
  /^\d{4}-?\d{2}-?\d{2}[Tt ]\d{2}(:?\d{2}(:?\d{2}([.,]\d+)?)?)?([Zz]|[+-]\d{2}(:?\d{2})?)?$/.test(value) &&
  !/^\d{4}-?(00|1[3-9]|[2-9]\d)/.test(value);

/** The moment of a timestamp with an offset, in milliseconds; undefined for any other value. */
function momentOf(value: Json | undefined): number | undefined {
  if (typeof value !== 'string' || !isTimestamp(value) || !/([Zz]|[+-]\d{2}:\d{2})$/.test(value))
    return undefined;
  const moment = Date.parse(value.replace(' ', 'T'));
  return Number.isNaN(moment) ? undefined : moment;
}

/**
 * Whether a value is the moment of an update. When the task is created, this is not before its creation; a createdAt
 * that moves later has a row of its own.
 */
export const isUpdate = (value: Json | undefined, { how, task: { createdAt } }: Sighting): boolean =>
  isTimestamp(value) &&
  !(how === 'created' && areApart(createdAt, value) && momentOf(value)! < momentOf(createdAt)!);

/** Whether two timestamps name two moments; rounding may move one of them by less than a second. */
export function areApart(one: Json | undefined, other: Json | undefined): boolean {
  const [a, b] = [momentOf(one), momentOf(other)];
  return a !== undefined && b !== undefined && Math.abs(a - b) >= 1_000;
}
