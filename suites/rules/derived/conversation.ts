/** Facts about a conversation that several rules need, derived once. */

import { append } from '../../../harness/grouped.js';
import { type Conversation, derived } from '../../../harness/record/conversation.js';
import type { Frame } from '../../../harness/record/event.js';
import { idKey, isReply, isWellFormedRequest, type Message } from '../../../harness/record/message.js';
import { isObject, type JsonObject } from '../../../spec/json-rpc.js';

/** A message as an object; an empty object when the message is not an object. */
export const bodyOf = (message: Message): JsonObject => (isObject(message.json) ? message.json : {});

/** False if the text shows that a message has no such part. The text of a batch is not searched for each of its messages. */
export const mayHave = (m: Message, pattern: RegExp): boolean => m.batched || pattern.test(m.frame.text);

/**
 * Whether a message has the method of a notification, but also an id: a row of its own reports it, so other
 * rows do not treat it as an invalid request.
 */
export const isNotificationWithId = (m: Message): boolean =>
  m.kind === 'request' && m.method?.startsWith('notifications/') === true;

/** The messages by which the harness cancelled requests, by the key of the id. */
const cancellations = derived((conversation: Conversation): ReadonlyMap<string, readonly Message[]> => {
  const found = new Map<string, Message[]>();
  for (const m of conversation.notifications({ by: 'peer', method: 'notifications/cancelled' }))
    append(found, idKey(m.params?.requestId), m);
  return found;
});

/** The messages by which the harness cancelled a request. */
export const cancellationsOf = (conversation: Conversation, { idKey }: Message): readonly Message[] =>
  cancellations(conversation).get(idKey) ?? [];

/**
 * Whether the harness cancelled a request before its response; a response that still arrives may be an error.
 */
export function isCancelled(conversation: Conversation, request: Message): boolean {
  const found = cancellationsOf(conversation, request);
  if (found.length === 0) return false;
  const [reply] = conversation.repliesTo(request);
  return !reply || found.some(m => m.seq < reply.seq);
}

export const isId = (id: unknown): boolean => typeof id === 'string' || Number.isInteger(id);

/** Whether a message is an object with an id, but without a method, a result and an error. */
export const isEmptyReply = (m: Message): boolean =>
  m.kind === undefined && isObject(m.json) && 'id' in m.json;

/** Whether the envelope has no flaw, so that rules about methods can inspect the message. */
export function isSound(m: Message): boolean {
  const body = bodyOf(m);
  if (m.kind === undefined || body.jsonrpc !== '2.0') return false;
  if (m.kind === 'result') return isObject(body.result) && isId(m.id) && !('error' in body);
  if (m.kind === 'error') return isObject(body.error) && !('result' in body);
  if (typeof m.method !== 'string' || (m.params === undefined && 'params' in body)) return false;
  return m.kind === 'notification' || (isId(m.id) && !isNotificationWithId(m));
}

/**
 * Whether a request is as the revision has it, so that an error is not the only right response. A client in a
 * recorded conversation may send anything; requests of the harness that are wrong on purpose are marked.
 */
export function isFair(conversation: Conversation, request: Message): boolean {
  const { isStateless, handshake } = conversation;
  if (request.frame.deliberate || !isSound(request)) return false;
  if (!isStateless && (handshake?.reply?.seq ?? Number.POSITIVE_INFINITY) > request.seq) return false;
  const vocabulary = conversation.vocabularyFor(request);
  const definition = vocabulary.messageDefinition(request.by, request.method!);
  return definition === undefined || vocabulary.validate(definition, request.json).length === 0;
}

/**
 * Whether a response answers a POST of a response, which a client without a handshake must not send: the text states
 * nothing of the answer. With a handshake the answer is an error in the body of a refusal: the text says only that this
 * body may be an error without id, and streamable-http.post-notification-rejected judges its status.
 */
export const answersReply = (conversation: Conversation, m: Message): boolean =>
  (m.kind === 'error' || conversation.isStateless) &&
  m.frame.exchange !== undefined &&
  conversation.messages.some(
    other =>
      other.by !== conversation.subject &&
      isReply(other) &&
      other.frame.exchange === m.frame.exchange &&
      other.idKey === m.idKey,
  );

const isSoundNotification = (m: Message): boolean => m.kind === 'notification' && isSound(m);

/** A reply that names no request, with its most likely cause. */
interface UnmatchedReply {
  readonly reply: Message;
  readonly about: 'unreadable' | 'notification' | 'request' | 'batch' | 'nothing' | 'undecided';
  /** The notification, the request, or the unreadable frame or message. */
  readonly cause: Message | Frame | undefined;
}

/**
 * Replies of the subject with a null id or without an id, and errors about a notification whose id nobody used, each
 * with its likely cause. The cause is derived from the earlier messages. Where a notification and a request without
 * a response are both possible, the next event decides: the response to that request under its own id, or its timeout.
 */
export const unmatchedReplies = derived((conversation: Conversation): readonly UnmatchedReply[] => [
  ...findUnmatchedReplies(conversation),
]);

/** The likely cause of a reply; undefined for a reply that names its request. */
export const unmatchedReplyOf = (conversation: Conversation, reply: Message): UnmatchedReply | undefined =>
  unmatchedByReply(conversation).get(reply);

const unmatchedByReply = derived(
  (conversation: Conversation) => new Map(unmatchedReplies(conversation).map(s => [s.reply, s])),
);

function* findUnmatchedReplies(conversation: Conversation): Generator<UnmatchedReply> {
  const { subject, revision } = conversation;
  let notes: Message[] = [];
  let garbage: (Message | Frame)[] = [];
  let unanswered: (Message | Frame)[] = [];
  const open = new Map<string, Message>();
  for (const event of conversation.events) {
    if (event.kind === 'deadline') open.delete(idKey(event.request));
    if (event.kind !== 'frame') continue;
    const found = conversation.messagesOf(event);
    if (event.by !== subject) {
      const batch = found[0]?.batched && !revision.batches;
      // a blank line from the harness is not a message either: some subjects send an error for it, most
      // ignore it
      if (found.length === 0 || batch) garbage.push(event);
      else
        for (const m of found) {
          if (isWellFormedRequest(m)) open.set(m.idKey, m);
          else if (isSoundNotification(m)) notes.push(m);
          else if (m.frame.deliberate || !isReply(m)) garbage.push(m);
          if (m.method === 'notifications/cancelled') open.delete(idKey(m.params?.requestId));
        }
      continue;
    }
    for (const m of found) {
      if (m.kind !== 'result' && m.kind !== 'error' && !isEmptyReply(m)) continue;
      if (m.id !== null && m.id !== undefined) {
        const request = open.get(m.idKey);
        const note = conversation.noteOf(m);
        if (note) {
          notes = notes.filter(n => n !== note);
          yield { reply: m, about: 'notification', cause: note };
        }
        if (!request) continue;
        open.delete(m.idKey);
        // the subject has processed all messages before a request that got a response; a late error about an
        // invalid frame is still possible, and over HTTP the response to another POST
        if (event.stream !== 'post' || subject === 'client')
          while (notes.length > 0 && notes[0]!.seq <= request.seq) notes.shift();
        if (garbage.length > 0) {
          unanswered.push(...garbage.filter(g => g.seq < request.seq));
          garbage = garbage.filter(g => g.seq > request.seq);
        }
        continue;
      }
      // over HTTP the response to a POST arrives in its own exchange; on stdio, and for POSTs of a client,
      // the order decides
      const here = (cause: Message | Frame) =>
        subject === 'client' ||
        event.stream !== 'post' ||
        ('frame' in cause ? cause.frame : cause).exchange === event.exchange;
      const unreadable = garbage.find(here) ?? unanswered.find(here);
      if (unreadable) {
        unanswered = unanswered.filter(g => g !== unreadable);
        yield { reply: m, about: 'unreadable', cause: unreadable };
        continue;
      }
      const waiting = askedBefore(conversation, m, [...open.values()].filter(here));
      const note = notes.find(here);
      const about = decide(conversation, m, waiting, note);
      const asked = waiting === 'undecided' ? undefined : waiting;
      const cause = about === 'notification' ? note : asked;
      if (about === 'notification') notes = notes.filter(n => n !== note);
      // one error for all messages of an array
      const whole = cause?.batched === true && !m.batched && about !== 'undecided';
      if (whole) {
        notes = notes.filter(n => n.frame !== cause.frame);
        for (const [key, request] of open) if (request.frame === cause.frame) open.delete(key);
      }
      yield { reply: m, about: whole ? 'batch' : about, cause };
    }
  }
}

/** Which comes first after a reply without an id: the own response to a request, or its deadline; undefined as long as neither came. */
function nextOf(
  conversation: Conversation,
  stray: Message,
  request: Message,
): 'response' | 'deadline' | undefined {
  const response = conversation.repliesTo(request).find(r => r.seq > stray.seq);
  const deadline = conversation.deadlinesOf(request).find(d => d.seq > stray.seq);
  if (deadline && (!response || deadline.seq < response.seq)) return 'deadline';
  return response && 'response';
}

/**
 * The request that a reply without an id is about: the first open one. Where an array is open too, a request
 * before it that gets its own response explains nothing; `undecided` as long as that can still happen.
 */
function askedBefore(
  conversation: Conversation,
  stray: Message,
  open: readonly Message[],
): Message | 'undecided' | undefined {
  if (!open.some(request => request.batched)) return open[0];
  const asked = open.find(r => r.batched || nextOf(conversation, stray, r) !== 'response');
  if (!asked || asked.batched || nextOf(conversation, stray, asked)) return asked;
  return 'undecided';
}

function decide(
  conversation: Conversation,
  stray: Message,
  waiting: Message | 'undecided' | undefined,
  note: Message | undefined,
): UnmatchedReply['about'] {
  if (!waiting) return note ? 'notification' : 'nothing';
  if (waiting === 'undecided') return 'undecided';
  if (!note || note.frame === waiting.frame) return 'request';
  const next = nextOf(conversation, stray, waiting);
  if (next === undefined) return 'undecided';
  return next === 'deadline' ? 'request' : 'notification';
}
