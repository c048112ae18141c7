/** Subscriptions of a revision without a handshake: requests for notifications, and what arrives for them. */

import { type Conversation, derived } from '../../../harness/record/conversation.js';
import { envelopeKeys, metaOf } from '../../../harness/record/envelope.js';
import { idKey, type Message } from '../../../harness/record/message.js';
import { isObject, type JsonObject, ownMember } from '../../../spec/json-rpc.js';
import { cancellationsOf } from './conversation.js';

interface Subscription {
  readonly request: Message;
  /** The notifications that the harness asked for. */
  readonly filter: JsonObject;
  /** The messages with the id of the subscription, or on its stream, in order; without the response. */
  readonly messages: readonly Message[];
  readonly reply: Message | undefined;
}

/** Notifications about changes, which belong to subscriptions. */
export const isChange = (m: Message): boolean =>
  /^notifications\/(\w+\/list_changed|resources\/updated)$/.test(m.method ?? '');

/** The id of the subscription that a message names, in comparable form; undefined when it names none. */
export const tagOf = (m: Message): string | undefined => {
  const tag = metaOf(m)[envelopeKeys.subscriptionId];
  return tag === undefined ? undefined : idKey(tag);
};

export const subscriptions = derived((conversation: Conversation): readonly Subscription[] =>
  conversation.exchanges({ by: 'peer', method: 'subscriptions/listen' }).map(({ request, reply }) => {
    const { notifications } = request.params ?? {};
    return {
      request,
      filter: isObject(notifications) ? notifications : {},
      messages: conversation
        .notifications({ by: 'subject' })
        .filter(m => belongsTo(conversation, m, request)),
      reply,
    };
  }),
);

/** Over HTTP the stream decides; over stdio the id. */
function belongsTo(conversation: Conversation, m: Message, request: Message): boolean {
  if (m.seq < request.seq) return false;
  const stream = conversation.httpOf(request);
  return stream ? conversation.httpOf(m) === stream : tagOf(m) === request.idKey;
}

/** The subscription of a notification; undefined when it belongs to none. */
export const subscriptionOf = (conversation: Conversation, m: Message): Subscription | undefined =>
  bySubscription(conversation).get(m);

const bySubscription = derived(
  (conversation: Conversation) =>
    new Map(subscriptions(conversation).flatMap(s => s.messages.map(m => [m, s] as const))),
);

/**
 * The open subscription that asks for a change whose message names no subscription: on stdio nothing else shows for which one it was
 * sent. Undefined where there is none, and for other messages.
 */
export function untaggedFor(conversation: Conversation, m: Message): Subscription | undefined {
  if (conversation.transport !== 'stdio' || !isChange(m) || tagOf(m) !== undefined) return undefined;
  return subscriptions(conversation).find(
    ({ request, reply, filter }) =>
      request.seq < m.seq &&
      !(reply && reply.seq < m.seq) &&
      !cancellationsOf(conversation, request).some(c => c.seq < m.seq) &&
      covers(filter, m),
  );
}

/** The entry of the filter that a notification needs. */
const entries: Readonly<Record<string, string>> = {
  'notifications/tools/list_changed': 'toolsListChanged',
  'notifications/prompts/list_changed': 'promptsListChanged',
  'notifications/resources/list_changed': 'resourcesListChanged',
};

/** Whether a filter covers a notification; updates of resources inside of a requested one count too. */
export function covers(filter: JsonObject, m: Message): boolean {
  const entry = ownMember(entries, m.method);
  if (entry !== undefined) return filter[entry] === true;
  if (m.method !== 'notifications/resources/updated') return true;
  const uris = Array.isArray(filter.resourceSubscriptions) ? filter.resourceSubscriptions : [];
  const uri = m.params?.uri;
  return uris.some(asked => typeof asked === 'string' && typeof uri === 'string' && uri.startsWith(asked));
}
