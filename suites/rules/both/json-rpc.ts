/** JSON-RPC 2.0 as MCP uses it: envelopes, ids, one response for each request. */

import { fail, pass } from '../../../harness/judge/finding.js';
import { rule } from '../../../harness/judge/rule.js';
import type { Conversation } from '../../../harness/record/conversation.js';
import type { Frame } from '../../../harness/record/event.js';
import { beginsHandshake } from '../../../harness/record/handshake.js';
import {
  describeId,
  describeMessage,
  isReply,
  isWellFormedRequest,
  type Message,
} from '../../../harness/record/message.js';
import { describe } from '../../../harness/scenario/expect.js';
import { isObject, parseJson } from '../../../spec/json-rpc.js';
import {
  answersReply,
  bodyOf,
  cancellationsOf,
  isEmptyReply,
  isId,
  isNotificationWithId,
  unmatchedReplies,
  unmatchedReplyOf,
} from '../derived/conversation.js';
import { typeThatHides, unanswered } from '../derived/ended-streams.js';
import { openHandshakeBefore } from '../derived/handshakes.js';
import { isStateless } from '../derived/http.js';
import { brokenFrames } from '../derived/lines.js';
import { isDisplaced } from '../derived/replays.js';
import { convertedTwin, judgeSilence, misdirected } from '../derived/replies.js';

const ownMessages = (conversation: Conversation): readonly Message[] => conversation.sent('subject');

const ownReplies = (conversation: Conversation): readonly Message[] =>
  conversation.replies({ by: 'subject' });

const ownRequests = (conversation: Conversation): Message[] =>
  conversation.requests({ by: 'subject' }).filter(m => !isNotificationWithId(m));

/** Replies with one of the two members; a reply with both is judged by another row. */
const single = (kind: 'result' | 'error') => (conversation: Conversation) =>
  ownReplies(conversation).filter(m => m.kind === kind && !('result' in bodyOf(m) && 'error' in bodyOf(m)));
const ownResults = single('result');
const ownErrors = single('error');

/** Whether a reply may be to a request with the id null: some servers turn this id into an empty text or 0. */
const mayAnswerNull = (conversation: Conversation, earlier: Message, reply: Message): boolean =>
  conversation
    .requests({ by: 'peer' })
    .some(({ id, frame, seq }) => id === null && frame.deliberate && earlier.seq < seq && seq < reply.seq);

/** The flaw of an envelope, without flaws that have a row of their own. */
function flawOf(m: Message): string | undefined {
  const body = bodyOf(m);
  if (!isObject(m.json)) return 'not an object';
  if (body.jsonrpc !== '2.0') return `"jsonrpc": ${JSON.stringify(body.jsonrpc) ?? 'missing'}`;
  if (m.kind === undefined) return isEmptyReply(m) ? undefined : 'neither method nor result nor error';
  if (isReply(m)) return undefined;
  if (typeof m.method !== 'string') return `"method": ${JSON.stringify(body.method)}`;
  return 'result' in body || 'error' in body ? 'a method together with a result or an error' : undefined;
}

/**
 * Whether a message without a kind is the body of a POST that its server may take for a notification, and accept:
 * streamable-http.accepted-202 judges the bodies of notifications.
 */
const isBodyOfNotification = (conversation: Conversation, m: Message): boolean => {
  const { sent = [] } = conversation.httpOf(m) ?? {};
  return m.kind === undefined && sent.length > 0 && sent.every(isNotificationWithId);
};

/**
 * Frames over HTTP that are not JSON. Over stdio the rules about lines judge them, and the bodies of POST requests
 * have a row of their own in Streamable HTTP.
 */
function unparsable(conversation: Conversation): Frame[] {
  const { transport, party } = conversation;
  if (transport === 'stdio' || (transport === 'streamable-http' && party === 'client')) return [];
  return conversation
    .frames('subject')
    .filter(
      frame =>
        conversation.messagesOf(frame).length === 0 &&
        !frame.replay &&
        frame.cutFrom === undefined &&
        !frame.invalidUtf8 &&
        parseJson(frame.text) === undefined,
    );
}

const isSentAgain = (conversation: Conversation, earlier: Message, m: Message): boolean =>
  (conversation.httpOf(earlier)?.status ?? 0) >= 300 && earlier.frame.text === m.frame.text;

/** Whether a request was delivered to the subject again, on a stream that was resumed. */
const isRedelivered = (conversation: Conversation, request: Message): boolean =>
  conversation
    .http()
    .some(e => e.received.some(m => m.kind === 'request' && m.frame.replay && m.idKey === request.idKey));

export const rules = [
  rule('base.jsonrpc-2-0', function* (conversation) {
    const expected = 'a JSON-RPC 2.0 message';
    const broken = brokenFrames(conversation);
    for (const m of ownMessages(conversation)) {
      if (broken.has(m.seq) || isDisplaced(conversation, m) || isBodyOfNotification(conversation, m))
        continue;
      const flaw = flawOf(m);
      yield flaw ? fail(expected, [m], flaw) : pass([m]);
    }
    for (const frame of unparsable(conversation))
      yield fail(expected, [frame], `not JSON: ${JSON.stringify(frame.text.slice(0, 200))}`);
  }),

  rule.each('base.params-object', ownMessages, m => {
    const { params } = bodyOf(m);
    if ((m.kind !== 'request' && m.kind !== 'notification') || params === undefined) return undefined;
    return isObject(params) ? pass([m]) : fail('params that are an object', [m], JSON.stringify(params));
  }),

  rule.each('jsonrpc.request-id-string-or-integer', ownRequests, m => {
    if (m.id === null) return undefined; // jsonrpc.request-id-not-null
    return isId(m.id) ? pass([m]) : fail('a string or an integer', [m], describeId(m.id));
  }),

  rule.each('jsonrpc.request-id-not-null', ownRequests, m =>
    m.id === null ? fail('an id that is not null', [m], 'null') : pass([m]),
  ),

  rule('jsonrpc.request-id-unique-in-session', function* (conversation) {
    const first = new Map<string, Message>();
    const alone = isStateless(conversation);
    for (const m of conversation.requests()) {
      // ids start again with a new session
      if (beginsHandshake(m) && !openHandshakeBefore(conversation, m)) first.clear();
      if (m.by !== conversation.subject || !isId(m.id) || isNotificationWithId(m)) continue;
      const key = `${alone ? m.frame.exchange : ''} ${m.idKey}`;
      const earlier = first.get(key);
      // a client may repeat a request that HTTP refused or redirected
      if (earlier && isSentAgain(conversation, earlier, m)) continue;
      yield earlier ? fail('an id not used before', [earlier, m], describeId(m.id)) : pass([m]);
      first.set(key, earlier ?? m);
    }
  }),

  rule.each('jsonrpc.notification-without-id', ownMessages, m => {
    if (m.kind === 'notification' && m.method?.startsWith('notifications/')) return pass([m]);
    return isNotificationWithId(m) ? fail('no id', [m], idOf(m)) : undefined;
  }),

  rule('jsonrpc.notification-not-answered', function* (conversation) {
    const answered = new Map(unmatchedReplies(conversation).map(s => [s.cause, s]));
    const notes = conversation.notifications({ by: 'peer' });
    const requests = conversation.exchanges({ by: 'peer' }).filter(e => e.reply);
    let next = 0;
    for (const note of notes) {
      const stray = answered.get(note);
      while (next < requests.length && requests[next]!.request.seq <= note.seq) next++;
      const barrier = requests[next]?.reply;
      // over HTTP the body of a refusal may be an error; its status is judged by
      // streamable-http.post-notification-rejected
      const refusal = stray?.reply.kind === 'error' && conversation.httpOf(stray.reply) !== undefined;
      if (stray?.about === 'notification' && !refusal)
        yield fail('no response', [note, stray.reply], describeMessage(stray.reply));
      else if (barrier) yield pass([note, barrier]);
    }
  }),

  rule.each('jsonrpc.response-id-matches', ownReplies, (m, conversation) => {
    if (isDisplaced(conversation, m)) return undefined;
    const request = conversation.requestOf(m);
    const again = request && conversation.repliesTo(request)[0] !== m;
    // null is the id for unreadable messages, and several messages may be unreadable
    const twin = again && request.id !== null && convertedTwin(conversation, request, m.seq);
    if (twin === 'undecided') return undefined;
    if (twin) return fail(idsOf(twin), [twin, m], idOf(m));
    if (request && request.idKey === m.idKey) return pass([request, m]);
    if (answersReply(conversation, m)) return undefined;
    if (!request && conversation.hasIdOfNonMessage(m)) return undefined;
    // an error about an unreadable message is allowed; a response to a notification or to a batch is judged
    // by another row
    const about = unmatchedReplyOf(conversation, m)?.about ?? 'nothing';
    if (about !== 'request' && about !== 'nothing') return undefined;
    const asked = request ?? askedBy(conversation, m);
    return fail(idsOf(asked), [asked, m], idOf(m));
  }),

  rule('jsonrpc.request-answered-once', function* (conversation) {
    const lost = misdirected(conversation);
    const used = new Set<string>();
    for (const exchange of conversation.exchanges({ by: 'peer' })) {
      const { request } = exchange;
      const again = used.has(request.idKey); // the responses cannot be assigned
      used.add(request.idKey);
      // requests in an array: batch.receive
      if (again || request.batched || !isWellFormedRequest(request)) continue;
      const [first, ...later] = conversation
        .repliesTo(request)
        .filter(r => r.idKey === request.idKey && !isDisplaced(conversation, r));
      const answers = first ? [first, ...later.filter(m => !mayAnswerNull(conversation, first, m))] : [];
      if (answers.length < 2) {
        const post =
          first || conversation.subject === 'client' ? undefined : unanswered(conversation).get(request);
        const judgement = judgeSilence(conversation, exchange, lost);
        if (judgement) yield judgement;
        else if (post)
          yield fail('a response', [request, post], 'the end of the stream', typeThatHides(post));
      } else if (
        !convertedTwin(conversation, request, answers.at(-1)!.seq) &&
        !isRedelivered(conversation, request)
      )
        yield fail(
          'one response',
          [request, ...cancellationsOf(conversation, request), ...answers].sort((a, b) => a.seq - b.seq),
          `${answers.length} of them: ${answers
            .slice(0, 3)
            .map(reply => describe({ ...exchange, reply }))
            .join(', ')}`,
        );
    }
  }),

  rule.each('jsonrpc.result-and-error-exclusive', ownReplies, (m, conversation) => {
    const both = 'result' in bodyOf(m) && 'error' in bodyOf(m);
    return both ? fail('either result or error', withRequest(conversation, m), 'both') : pass([m]);
  }),

  rule.each('jsonrpc.result-or-error-present', ownMessages, (m, conversation) => {
    if (isReply(m)) return pass([m]);
    const empty = isEmptyReply(m) && !brokenFrames(conversation).has(m.seq);
    return empty ? fail('result or error', [m], 'neither') : undefined;
  }),

  rule.each('jsonrpc.result-object', ownResults, (m, conversation) => {
    const { result } = bodyOf(m);
    if (isObject(result)) return pass([m]);
    const request = conversation.requestOf(m);
    // jsonrpc.invalid-request judges the result of a message that is no request
    if (request && isNotificationWithId(request)) return undefined;
    return fail('a result that is an object', [request, m], JSON.stringify(result));
  }),

  rule.each('jsonrpc.error-code-and-message', ownErrors, (m, conversation) => {
    const { error } = bodyOf(m);
    const fits = isObject(error) && error.code !== undefined && typeof error.message === 'string';
    return fits
      ? pass([m])
      : fail('an error with code and message', withRequest(conversation, m), JSON.stringify(error));
  }),

  rule.each('jsonrpc.error-code-integer', ownErrors, (m, conversation) => {
    const { error } = bodyOf(m);
    if (!isObject(error) || error.code === undefined) return undefined;
    return Number.isInteger(error.code)
      ? pass([m])
      : fail('an integer', withRequest(conversation, m), JSON.stringify(error.code));
  }),

  rule.each('jsonrpc.error-message-concise', ownErrors, (m, conversation) => {
    const { error } = bodyOf(m);
    if (!isObject(error) || typeof error.message !== 'string') return undefined;
    const own = withoutEcho(error.message, conversation.requestOf(m));
    const long = /[\r\n]/.test(own) || /[[{]\s*"\w+"\s*:/.test(own);
    return long
      ? fail('one short sentence', withRequest(conversation, m), error.message.slice(0, 200))
      : pass([m]);
  }),
];

/** A reply, after the request that it answers. */
const withRequest = (conversation: Conversation, reply: Message): (Message | undefined)[] => [
  conversation.requestOf(reply),
  reply,
];

/** An error message without quoted values: an error about an unusual request may quote the request. */
function withoutEcho(message: string, request: Message | undefined): string {
  if (!request || !/[\r\n[{]/.test(message)) return message;
  let rest = message;
  JSON.stringify([request.method, request.params], (_, value: unknown) => {
    // a server may trim what it quotes
    for (const quoted of typeof value === 'string' ? [value, value.trim()] : [])
      if (quoted !== '') rest = rest.replaceAll(quoted, '…');
    return value;
  });
  return rest;
}

/** Over HTTP, the request whose POST gets a response with another id, where it is the only message of this POST. */
function askedBy(conversation: Conversation, m: Message): Message | undefined {
  const [only, ...others] = conversation.httpOf(m)?.sent ?? [];
  return only?.kind === 'request' && others.length === 0 ? only : undefined;
}

const idsOf = (request: Message | undefined): string =>
  request ? idOf(request) : 'the id of a request of the harness';

const idOf = ({ id }: Message): string => (id === undefined ? 'no id' : `id ${describeId(id)}`);
