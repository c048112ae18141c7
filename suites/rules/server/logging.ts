/** Logging: no message below the requested level. */

import { fail, pass } from '../../../harness/judge/finding.js';
import { rule } from '../../../harness/judge/rule.js';
import { type Conversation, declares, derived } from '../../../harness/record/conversation.js';
import { envelopeKeys, metaOf } from '../../../harness/record/envelope.js';
import { beginsHandshake } from '../../../harness/record/handshake.js';
import { isReply, type Message } from '../../../harness/record/message.js';
import { asText, type Json } from '../../../spec/json-rpc.js';
import type { RequirementId } from '../../../spec/requirement.js';
import { isCancelled } from '../derived/conversation.js';
import { surelyAfter } from '../derived/order.js';
import { tagOf } from '../derived/subscriptions.js';
import { spellingsOf, valuesTold } from '../derived/told-values.js';

const severities = ['debug', 'info', 'notice', 'warning', 'error', 'critical', 'alert', 'emergency'];
const severity = (level: unknown): number => severities.indexOf(asText(level));

/** Judges that log messages do not contain these values: plain, with JSON escapes, percent-encoded or in Base64. */
const unlogged = (row: RequirementId, what: 'secret' | 'person') =>
  rule(row, function* (conversation) {
    const logs = conversation.notifications({ by: 'subject', method: 'notifications/message' });
    if (logs.length === 0) return;
    const values = valuesTold(conversation, what);
    if (values.length === 0) return;
    const spelled = values.map(value => ({
      value,
      escaped: spellingsOf(value).map(spelling => JSON.stringify(spelling).slice(1, -1)),
    }));
    for (const m of logs) {
      const text = JSON.stringify(m.params ?? null);
      const found = spelled.find(({ escaped }) => escaped.some(spelling => text.includes(spelling)));
      yield found ? fail(`no ${what} data in log messages`, [m], found.value) : pass([m]);
    }
  });

/** A log message of a revision in which each request states the level. */
interface LogMessage {
  readonly m: Message;
  /**
   * `late`: after the response; `elsewhere`: on a subscription, or beside the request that states a level;
   * `session`: after an initialize request, which selects an earlier revision, where servers log without being asked;
   * `crossed`: after the response to a request with a level, beside a later request without one: it may belong to either.
   */
  readonly place: 'own' | 'late' | 'elsewhere' | 'unasked' | 'session' | 'crossed';
  /** The request that the message belongs to, as far as that is certain. */
  readonly request: Message | undefined;
  /** The least severe level that may be sent; undefined where none was requested. */
  readonly level: Json | undefined;
}

const levelOf = (m: Message): Json | undefined => metaOf(m)[envelopeKeys.logLevel];

const logMessages = derived((conversation: Conversation): readonly LogMessage[] =>
  conversation
    .notifications({ by: 'subject', method: 'notifications/message' })
    .map(m => ({ m, ...placeOf(conversation, m) })),
);

function placeOf(conversation: Conversation, m: Message): Omit<LogMessage, 'm'> {
  const requests = conversation.requests({ by: 'peer' }).filter(r => r.seq < m.seq);
  const isOpen = (r: Message) => !conversation.repliesTo(r).some(reply => reply.seq < m.seq);
  // a level in the metadata of subscriptions/listen permits no log messages
  const calls = requests.filter(r => r.method !== 'subscriptions/listen');
  const asking = calls.filter(r => levelOf(r) !== undefined);
  const open = asking.filter(isOpen);
  const stream = conversation.httpOf(m);
  const own = stream && requests.find(r => conversation.httpOf(r) === stream);
  const handshake = requests.find(beginsHandshake);
  const isRejected = handshake && conversation.repliesTo(handshake).some(reply => reply.kind === 'error');
  if (handshake && !isRejected && (!own || own === handshake))
    return { place: 'session', request: handshake, level: undefined };
  if (stream) {
    if (own?.method === 'subscriptions/listen') return { place: 'elsewhere', request: own, level: undefined };
    const level = own && levelOf(own);
    if (level !== undefined) return { place: isOpen(own!) ? 'own' : 'late', request: own, level };
    return { place: open.length > 0 ? 'elsewhere' : 'unasked', request: own, level: undefined };
  }
  if (tagOf(m) !== undefined) return { place: 'elsewhere', request: undefined, level: undefined };
  const [least] = [...open].sort((a, b) => severity(levelOf(a)) - severity(levelOf(b)));
  if (least) return { place: 'own', request: least, level: levelOf(least) };
  const request = asking.at(-1);
  const at = (place: LogMessage['place']) => ({ place, request, level: undefined });
  if (!request) return at('unasked');
  const isWaiting = (r: Message) => isOpen(r) && !isCancelled(conversation, r);
  const waiting = calls.filter(isWaiting);
  if (waiting.length === 0) return at('late');
  const before = calls.findLast(r => !isWaiting(r));
  const [reply] = before && levelOf(before) !== undefined ? conversation.repliesTo(before) : [];
  return at(reply && waiting.every(r => r.seq > reply.seq) ? 'crossed' : 'unasked');
}

/** Judges where log messages arrive. */
const placed = (row: RequirementId, wrong: LogMessage['place'], expected: string) =>
  rule.each(row, logMessages, ({ m, place, request }) => {
    if (place === wrong) return fail(expected, [request, m], 'a log message');
    return place === 'own' ? pass([request, m]) : undefined;
  });

export const rules = [
  placed('logging.no-log-level-no-messages', 'unasked', 'no log message without a level in the request'),
  placed('logging.own-response-stream-only', 'elsewhere', 'log messages of the request that states a level'),
  placed('logging.before-final-response', 'late', 'no log message after the response'),

  unlogged('logging.no-credentials', 'secret'),
  unlogged('logging.remove-sensitive', 'secret'),
  unlogged('logging.no-personal-data', 'person'),

  rule('logging.set-level-answered', function* (conversation) {
    if (!declares(conversation.capabilities('server'), 'logging')) return;
    for (const { request, reply } of conversation.exchanges({ by: 'peer', method: 'logging/setLevel' })) {
      if (!reply || severity(request.params?.level) < 0) continue;
      if (reply.kind === 'result') yield pass([request, reply]);
      else if (!isCancelled(conversation, request)) yield fail('a result', [request, reply], 'an error');
    }
  }),

  // Until the response to logging/setLevel, the old level and the new one are both possible.
  rule('logging.no-messages-below-level', function* (conversation) {
    if (conversation.isStateless) {
      for (const { m, level, request } of logMessages(conversation)) {
        const [least, actual] = [severity(level), severity(m.params?.level)];
        if (least < 0 || actual < 0) continue;
        if (actual >= least) yield pass([request, m]);
        else yield fail(`${asText(level)} or above`, [request, m], asText(m.params?.level));
      }
      return;
    }
    const pending = new Set<Message>();
    let confirmed: { request: Message; reply: Message; level: unknown } | undefined;
    for (const m of conversation.messages) {
      if (m.method === 'logging/setLevel' && m.by !== conversation.subject) pending.add(m);
      const asked = isReply(m) ? conversation.requestOf(m) : undefined;
      if (asked && pending.delete(asked) && m.kind === 'result')
        confirmed = { request: asked, reply: m, level: asked.params?.level };
      if (m.method !== 'notifications/message' || m.by !== conversation.subject) continue;
      const [least, actual] = [severity(confirmed?.level), severity(m.params?.level)];
      if (!confirmed || pending.size > 0 || least < 0 || actual < 0) continue;
      const { request, reply, level } = confirmed;
      if (!surelyAfter(conversation, m, reply)) continue;
      if (actual >= least) yield pass([reply, m]);
      else yield fail(`${level} or above`, [request, reply, m], asText(m.params?.level));
    }
  }),
];
