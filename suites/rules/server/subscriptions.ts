/** basic/patterns/subscriptions: which notifications a subscription delivers, and in which order. */

import { fail, pass } from '../../../harness/judge/finding.js';
import { rule } from '../../../harness/judge/rule.js';
import { type Conversation, declares } from '../../../harness/record/conversation.js';
import { envelopeKeys } from '../../../harness/record/envelope.js';
import { describeMessage, idKey, type Message, resultOf } from '../../../harness/record/message.js';
import { isObject, type Json, type JsonObject } from '../../../spec/json-rpc.js';
import type { RequirementId } from '../../../spec/requirement.js';
import { shown } from '../derived/results.js';
import {
  covers,
  isChange,
  subscriptionOf,
  subscriptions,
  tagOf,
  untaggedFor,
} from '../derived/subscriptions.js';

const acknowledged = 'notifications/subscriptions/acknowledged';

/** The new state of a task, for a subscription to the task (tasks extension). */
const taskChanged = 'notifications/tasks';

/** The capability that an entry of a filter needs. */
const neededFor: ReadonlyMap<string, string> = new Map([
  ['toolsListChanged', 'tools.listChanged'],
  ['promptsListChanged', 'prompts.listChanged'],
  ['resourcesListChanged', 'resources.listChanged'],
  ['resourceSubscriptions', 'resources.subscribe'],
]);

/** Whether a server without a capability agrees to an entry that needs the capability. */
const isUnsupported =
  (capabilities: JsonObject) =>
  ([entry, value]: readonly [string, Json]): boolean => {
    const needed = neededFor.get(entry);
    return isAgreed(value) && needed !== undefined && !declares(capabilities, needed);
  };

/** The capabilities in the last result of server/discover before a message. */
function discoveredBefore(conversation: Conversation, { seq }: Message) {
  const last = conversation
    .exchanges({ by: 'peer', method: 'server/discover' })
    .findLast(e => e.reply !== undefined && e.reply.seq < seq && resultOf(e) !== undefined);
  const capabilities = last && resultOf(last)?.capabilities;
  return isObject(capabilities) ? { reply: last!.reply!, capabilities } : undefined;
}

/** Subscriptions in which at least one message has arrived. */
const active = (conversation: Conversation) => subscriptions(conversation).filter(s => s.messages.length > 0);

/** Subscriptions that are not refused. */
const served = (conversation: Conversation) =>
  subscriptions(conversation).filter(s => s.messages.length > 0 || s.reply?.kind === 'result');

/** A list_changed notification of one kind belongs to a subscription that asked for it. */
const optIn = (row: RequirementId, method: string) =>
  rule.each(
    row,
    conversation => conversation.notifications({ by: 'subject', method }),
    (m: Message, conversation) => {
      const own = subscriptionOf(conversation, m);
      if (own && covers(own.filter, m)) return pass([own.request, m]);
      if (untaggedFor(conversation, m)) return undefined; // subscriptions.notifications-tagged
      return fail(`a subscription that asks for ${method}`, [own?.request, m], own ? 'another one' : 'none');
    },
  );

/** Subscriptions without any message or response, which the harness waited for in full, while the server was alive. */
function* ignored(conversation: Conversation) {
  const waits = conversation.eventsOf('deadline').filter(d => d.label === 'message' && !d.hurried);
  for (const { request, messages, reply } of subscriptions(conversation)) {
    const wait = waits.find(d => idKey(d.request) === request.idKey);
    if (!wait || reply || messages.length > 0 || request.frame.deliberate) continue;
    if (conversation.httpOf(request)?.hasErrorStatus) continue;
    // an acknowledgement with a wrong tag is another breach
    const acks = conversation.notifications({ by: 'subject', method: acknowledged });
    if (acks.some(({ seq }) => seq > request.seq && seq < wait.seq)) continue;
    const isAlive = conversation.frames('subject').some(({ seq }) => seq > wait.seq);
    if (isAlive) yield fail(`${acknowledged}, or an error`, [request, wait], 'no message');
  }
}

/** A subscription that has begun, and ends this soon (ms), was never open. */
const atOnce = 1_000;

type Evidence = readonly [request: Message, acknowledgement: Message, end: { readonly seq: number }];

/** The end of the stream of a request by the server. */
function streamEnd(conversation: Conversation, request: Message) {
  const post = conversation.httpOf(request);
  return post?.closedBy === 'server' ? post.end : undefined;
}

/** Whether the server goes on to serve the client after a message, or the end of a stream. */
const servesAfter = (conversation: Conversation, { seq }: { readonly seq: number }): boolean => {
  const asked = conversation.requests({ by: 'peer' }).find(m => m.seq > seq);
  return asked !== undefined && conversation.frames('subject').some(f => f.seq > asked.seq);
};

/** Whether the client does something after which a subscription may end: it cancels one, or opens another one. */
const mayEnd = (conversation: Conversation, from: Message, to: { readonly seq: number }): boolean =>
  conversation.eventsOf('input-closed').some(e => e.seq < to.seq) ||
  conversation.messages.some(
    m =>
      m.by === 'client' &&
      m.seq > from.seq &&
      m.seq < to.seq &&
      /^(subscriptions\/listen|notifications\/cancelled)$/.test(m.method ?? ''),
  );

const isAgreed = (value: Json): boolean => (Array.isArray(value) ? value.length > 0 : value === true);

export const rules = [
  rule('subscriptions.ack-first', function* (conversation) {
    yield* ignored(conversation);
    for (const { request, messages, reply } of served(conversation)) {
      const [first] = messages;
      if (!first) yield fail(acknowledged, [request, reply!], 'the result');
      else if (first.method !== acknowledged)
        yield fail(acknowledged, [request, first], describeMessage(first));
    }
    for (const m of conversation.notifications({ by: 'subject', method: acknowledged })) {
      const evidence = [subscriptionOf(conversation, m)?.request, m];
      yield isObject(m.params?.notifications)
        ? pass(evidence)
        : fail('an object with the notifications', evidence, shown(m.params?.notifications));
    }
  }),

  rule.each('subscriptions.nothing-before-ack', active, ({ request, messages }) => {
    const first = messages[0]!;
    if (isChange(first))
      return fail(`nothing before ${acknowledged}`, [request, first], describeMessage(first));
    return first.method === acknowledged ? pass([request, first]) : undefined;
  }),

  rule('subscriptions.ack-subset', function* (conversation) {
    for (const { request, filter, messages } of active(conversation)) {
      const ack = messages.find(m => m.method === acknowledged);
      const agreed = ack?.params?.notifications;
      if (!ack || !isObject(agreed)) continue;
      const unasked = Object.entries(agreed).find(([entry, value]) => {
        if (entry === 'resourceSubscriptions') return !isSubset(value, filter.resourceSubscriptions);
        return value === true && filter[entry] !== true;
      });
      if (unasked) {
        yield fail('a subset of the request', [request, ack], shown({ [unasked[0]]: unasked[1] }));
        continue;
      }
      const unagreed = messages.find(m => m.seq > ack.seq && isChange(m) && !covers(agreed, m));
      if (unagreed && covers(filter, unagreed)) {
        yield fail(
          'changes that the acknowledgement states',
          [request, ack, unagreed],
          describeMessage(unagreed),
        );
        continue;
      }
      const discovered = discoveredBefore(conversation, ack);
      const unsupported = discovered && Object.entries(agreed).find(isUnsupported(discovered.capabilities));
      yield unsupported
        ? fail(
            `no ${unsupported[0]} without ${neededFor.get(unsupported[0])}`,
            [discovered.reply, request, ack],
            shown({ [unsupported[0]]: unsupported[1] }),
          )
        : pass([request, ack]);
    }
  }),

  rule('subscriptions.stays-open', function* (conversation) {
    const cut: Evidence[] = [];
    for (const { request, messages, reply } of active(conversation)) {
      const ack = messages.find(m => m.method === acknowledged);
      const agreed = ack?.params?.notifications;
      if (!ack || !isObject(agreed) || !Object.values(agreed).some(isAgreed)) continue;
      if (reply?.kind === 'error') continue;
      const end = reply?.frame ?? streamEnd(conversation, request);
      const isShort = end !== undefined && end.at - ack.frame.at < atOnce;
      if (!isShort || mayEnd(conversation, request, end)) yield pass([request, ack]);
      else if (!servesAfter(conversation, end)) continue;
      else if (!reply) cut.push([request, ack, end]);
      else {
        const actual = messages.some(isChange)
          ? 'the result after a notification'
          : 'the result within a second';
        yield fail('no result while the client is subscribed', [request, ack, reply], actual);
      }
    }
    // one connection may break
    if (cut.length > 1)
      for (const evidence of cut)
        yield fail(
          'a stream that stays open while the client is subscribed',
          evidence,
          'its end within a second',
        );
  }),

  rule('subscriptions.notifications-tagged', function* (conversation) {
    for (const { request, messages, reply } of subscriptions(conversation)) {
      for (const m of messages)
        if (isChange(m) || m.method === acknowledged || m.method === taskChanged)
          yield tagOf(m) === request.idKey
            ? pass([request, m])
            : fail(`${envelopeKeys.subscriptionId} ${shown(request.id)}`, [request, m], tagOf(m) ?? 'none');
      const result = reply?.kind === 'result' && isObject(reply.json) ? reply.json.result : undefined;
      if (reply && isObject(result))
        yield tagOf({ ...reply, params: result }) === request.idKey
          ? pass([request, reply])
          : fail(
              `${envelopeKeys.subscriptionId} ${shown(request.id)}`,
              [request, reply],
              shown(result._meta),
            );
    }
    const sent = conversation.notifications({ by: 'subject' });
    for (const m of sent) {
      const own = untaggedFor(conversation, m);
      if (own)
        yield fail(`${envelopeKeys.subscriptionId} ${shown(own.request.id)}`, [own.request, m], 'none');
    }
    const lost = sent.filter(
      m => m.method === acknowledged || (m.method === taskChanged && tagOf(m) !== undefined),
    );
    for (const m of lost.filter(m => !subscriptionOf(conversation, m)))
      yield fail(`${envelopeKeys.subscriptionId} of a subscription`, [m], tagOf(m) ?? 'none');
  }),

  rule('subscriptions.only-requested-types', function* (conversation) {
    for (const { request, filter, messages } of subscriptions(conversation))
      for (const m of messages.filter(isChange))
        yield covers(filter, m) ? pass([request, m]) : fail(shown(filter), [request, m], describeMessage(m));
  }),

  rule('subscriptions.no-request-scoped', function* (conversation) {
    for (const { request, messages } of active(conversation)) {
      const foreign = messages.find(m => /^notifications\/(progress|message)$/.test(m.method ?? ''));
      const stray = conversation
        .httpOf(request)
        ?.received.find(m => (m.kind === 'result' || m.kind === 'error') && m.idKey !== request.idKey);
      const wrong = foreign ?? stray;
      yield wrong
        ? fail('no message of another request', [request, wrong], wrong.method ?? 'a response')
        : pass([request, messages[0]!]);
    }
  }),

  optIn('tools.list-changed-opt-in', 'notifications/tools/list_changed'),
  optIn('prompts.list-changed-opt-in', 'notifications/prompts/list_changed'),
  optIn('resources.list-changed-opt-in', 'notifications/resources/list_changed'),

  ...(['cancellation.server-only-listen', 'cancellation.server-references-listen'] as const).map(row =>
    rule.each(
      row,
      conversation => conversation.notifications({ by: 'subject', method: 'notifications/cancelled' }),
      (m: Message, conversation) => {
        const id = JSON.stringify(m.params?.requestId);
        const own = subscriptions(conversation).find(
          s => s.request.seq < m.seq && JSON.stringify(s.request.id) === id,
        );
        return own ? pass([own.request, m]) : fail('the id of a subscriptions/listen', [m], id ?? 'none');
      },
    ),
  ),
];

const isSubset = (part: Json | undefined, whole: Json | undefined): boolean =>
  Array.isArray(part) && part.every(item => Array.isArray(whole) && whole.includes(item));
