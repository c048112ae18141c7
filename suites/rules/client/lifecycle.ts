/** The handshake: obligations of the client. */

import { fail, pass } from '../../../harness/judge/finding.js';
import { rule } from '../../../harness/judge/rule.js';
import type { Conversation } from '../../../harness/record/conversation.js';
import { describeMessage, type Message, resultOf } from '../../../harness/record/message.js';
import { isObject, type Json, type JsonObject } from '../../../spec/json-rpc.js';
import { findRevision, latestRevision, revisionIds } from '../../../spec/revisions.js';
import { openHandshakeBefore } from '../derived/handshakes.js';
import { shown } from '../derived/results.js';

const initialized = 'notifications/initialized';

/** Messages that are allowed at any time. */
const early: ReadonlySet<unknown> = new Set(['ping', 'notifications/cancelled']);

const isOrdinary = (m: Message): boolean =>
  m.method !== undefined && m.method !== 'initialize' && m.method !== initialized && !early.has(m.method);

/** The messages of the client after its handshake got a result. */
function afterHandshake(conversation: Conversation): { reply: Message; later: Message[] } | undefined {
  const { handshake } = conversation;
  const reply = handshake?.reply;
  if (reply?.kind !== 'result') return undefined;
  return { reply, later: conversation.sent('subject').filter(m => m.seq > reply.seq) };
}

/** An initialize request that was sent while another one was open, and that one. */
function secondHandshake(conversation: Conversation): [Message, Message] | undefined {
  for (const m of conversation.requests({ by: 'subject', method: 'initialize' })) {
    const open = openHandshakeBefore(conversation, m);
    if (open) return [m, open];
  }
  return undefined;
}

const versions = ({ handshake }: Conversation) => ({
  asked: handshake?.request.params?.protocolVersion,
  answered: handshake && resultOf(handshake)?.protocolVersion,
});

/** A date, or the name of a draft. */
const isVersion = (text: string): boolean => /^(\d{4}-\d\d-\d\d$|DRAFT-)/.test(text);

export const rules = [
  rule('lifecycle.client-sends-initialize', function* (conversation) {
    const [initialize] = conversation.requests({ by: 'subject', method: 'initialize' });
    if (!initialize) return;
    const flaw = flawOf(initialize.params ?? {});
    yield flaw ? fail(flaw.expected, [initialize], flaw.actual) : pass([initialize]);
  }),

  // Over HTTP a request can overtake the notification on another connection: there the notification only has
  // to arrive.
  rule('lifecycle.client-sends-initialized', function* (conversation) {
    const after = afterHandshake(conversation);
    if (!after) return;
    const { reply, later } = after;
    const said = conversation.notifications({ by: 'subject', method: initialized })[0];
    const first = later.find(isOrdinary);
    if (!said) {
      // a request in place of the notification, or another message; a client that sends no further message has
      // disconnected, because of the version or for other reasons
      const instead = later.find(m => m.method === initialized) ?? first;
      if (!instead) return;
      const actual = instead.method === initialized ? 'a request with this method' : describeMessage(instead);
      yield fail(`the notification ${initialized}`, [reply, instead], actual);
    } else if (said.seq < reply.seq)
      yield fail('after the response to initialize', [said, reply], 'before it');
    else if (conversation.transport === 'stdio' && first && first.seq < said.seq)
      yield fail(`${initialized} before any other request`, [reply, first, said], describeMessage(first));
    else yield pass([reply, said]);
  }),

  rule('lifecycle.client-waits-for-initialize', function* (conversation) {
    const { handshake } = conversation;
    if (!handshake?.reply || handshake.request.by !== conversation.subject) return;
    const { request, reply } = handshake;
    const hasty = conversation
      .requests({ by: 'subject' })
      .filter(m => m.seq > request.seq && m.seq < reply.seq && isOrdinary(m));
    for (const m of hasty)
      yield fail('no request before the response to initialize', [request, m], describeMessage(m));
    const [again, open] = secondHandshake(conversation) ?? [];
    if (again) yield fail('one initialize until its response', [open, again], 'another one');
    if (hasty.length === 0 && !again) yield pass([request, reply]);
  }),

  // Only a version that was never released proves a violation: the client may support any other version.
  rule('lifecycle.client-disconnects-on-version', function* (conversation) {
    const after = afterHandshake(conversation);
    const { asked, answered } = versions(conversation);
    if (!after || asked === answered || revisionIds.some(id => id === answered)) return;
    const { reply, later } = after;
    const said = later.filter(m => m.method !== undefined && !early.has(m.method));
    if (said.length > 0) yield fail('the client disconnects', [reply, said[0]], describeMessage(said[0]!));
    else yield pass([reply]);
  }),

  rule('lifecycle.client-version-form', function* (conversation) {
    const { request } = conversation.handshake ?? {};
    const { asked } = versions(conversation);
    if (!request || typeof asked !== 'string') return;
    if (isVersion(asked)) yield pass([request]);
    else yield fail('a date, YYYY-MM-DD', [request], asked);
  }),

  // The other versions that a client supports show when it is offered a newer one; no version is newer than
  // the latest.
  rule('lifecycle.client-version-latest', function* (conversation) {
    const after = afterHandshake(conversation);
    const { asked, answered } = versions(conversation);
    const known = findRevision(answered);
    if (!after || !known) return;
    const { request } = conversation.handshake!;
    if (asked === latestRevision.id) yield pass([request]);
    else if (typeof asked === 'string' && isVersion(asked) && asked < known.id) {
      const [next] = after.later.filter(m => m.method !== undefined && !early.has(m.method));
      if (next)
        yield fail('the newest version that the client supports', [request, after.reply, next], asked);
      else yield pass([request, after.reply]);
    }
  }),
];

/** The first member of initialize that is absent or of another type. */
function flawOf(params: JsonObject): { expected: string; actual: string } | undefined {
  const { protocolVersion, capabilities, clientInfo } = params;
  const flaw = (name: string, type: string, value: Json | undefined) => ({
    expected: `params.${name} is ${type}`,
    actual: shown(value),
  });
  if (typeof protocolVersion !== 'string') return flaw('protocolVersion', 'a string', protocolVersion);
  if (!isObject(capabilities)) return flaw('capabilities', 'an object', capabilities);
  if (!isObject(clientInfo)) return flaw('clientInfo', 'an object', clientInfo);
  for (const name of ['name', 'version'])
    if (typeof clientInfo[name] !== 'string') return flaw(`clientInfo.${name}`, 'a string', clientInfo[name]);
  return undefined;
}
