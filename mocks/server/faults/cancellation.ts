/** basic/utilities/cancellation. */

import { envelopeKeys } from '../../../harness/record/envelope.js';
import { idKey } from '../../../harness/record/message.js';
import { isObject, type Json, type JsonObject } from '../../../spec/json-rpc.js';
import { fault, notification, onIncoming, onReply, refusal, result } from '../../fault.js';
import type { Context } from '../context.js';
import { beforeCall, hasHandshake, isStateless, paramsOf } from './shared.js';

const isCancellation = (message: Json): message is JsonObject =>
  isObject(message) && message.method === 'notifications/cancelled';

/** Whether notifications/cancelled came before any request except server/discover. @param message the next message */
function isCancelledFirst(message: Json, context: Context): boolean {
  const seen = context.keep(beforeAll);
  if (isCancellation(message) && !seen.request) seen.cancelled = true;
  if (isObject(message) && message.id !== undefined && message.method !== 'server/discover')
    seen.request = true;
  return seen.cancelled;
}

/** What came so far: a request except server/discover, and notifications/cancelled before it. */
const beforeAll = () => ({ request: false, cancelled: false });

/** Ids of requests that the client has responded to. */
const answered = (): Json[] => [];

export const cancellationFaults = [
  fault(
    'cancelled-answered',
    {
      what: 'A request gets an error response 15 ms after notifications/cancelled.',
      breaks: ['cancellation.no-response'],
      shows: ['cancellation.no-response#error'],
    },
    onIncoming((message, context) => {
      const id = isCancellation(message) ? paramsOf(message).requestId : undefined;
      if (id !== undefined && context.session.running.has(idKey(id)))
        context.after(15, () => context.send(refusal({ id }, 0, 'Request cancelled')));
      return message;
    }),
  ),

  fault(
    'cancelled-subscription-answered',
    {
      what: 'notifications/cancelled for a subscription gets the result of the subscription at once.',
      breaks: ['cancellation.no-response'],
      shows: ['cancellation.no-response#subscription'],
      over: ['stdio'],
      where: isStateless,
    },
    onIncoming((message, context) => {
      const open = context.keep(() => new Set<Json | undefined>());
      if (!isObject(message)) return message;
      if (message.method === 'subscriptions/listen') open.add(message.id);
      const id = isCancellation(message) ? paramsOf(message).requestId : undefined;
      if (id !== undefined && open.delete(id))
        context.send(
          result(
            { id },
            {
              resultType: 'complete',
              _meta: {
                [envelopeKeys.subscriptionId]: id,
                [envelopeKeys.serverInfo]: { name: 'mcp-conform-mock', version: '1' },
              },
            },
          ),
        );
      return message;
    }),
  ),

  fault(
    'cancellation-ignored',
    {
      what: 'notifications/cancelled has no effect.',
      breaks: ['cancellation.no-response', 'cancellation.stops-work', 'cancellation.no-further-messages'],
      shows: [
        'cancellation.no-further-messages#goes-on',
        'cancellation.no-response#result',
        'cancellation.stops-work#goes-on',
      ],
    },
    onIncoming(message => (isCancellation(message) ? undefined : message)),
  ),

  fault(
    'cancellation-of-text-ids-ignored',
    {
      what: 'notifications/cancelled has no effect where the id of the request is a text.',
      breaks: ['cancellation.no-response', 'cancellation.no-further-messages'],
      shows: ['cancellation.no-response#text-id', 'cancellation.no-further-messages#subscription-goes-on'],
    },
    onIncoming(message =>
      isCancellation(message) && typeof paramsOf(message).requestId === 'string' ? undefined : message,
    ),
  ),

  fault(
    'cancellation-of-nothing-kills',
    {
      what: 'The process exits when it receives notifications/cancelled for a request that is not running.',
      breaks: ['cancellation.invalid-ignored', 'cancellation.race-tolerant', 'jsonrpc.request-answered-once'],
      shows: [
        'jsonrpc.request-answered-once#crash',
        'cancellation.invalid-ignored#exits',
        'cancellation.race-tolerant#exits-at-cancellation',
      ],
    },
    onIncoming((message, context) => {
      if (isCancellation(message) && !context.session.running.has(idKey(paramsOf(message).requestId)))
        context.exit(1);
      return message;
    }),
  ),

  fault(
    'late-cancellation-of-discover-kills',
    {
      what: 'The process exits when it receives notifications/cancelled before any request except server/discover.',
      breaks: ['cancellation.race-tolerant', 'jsonrpc.request-answered-once'],
      shows: ['cancellation.race-tolerant#exits-at-first-cancellation'],
      where: isStateless,
      over: ['stdio'],
    },
    onIncoming((message, context) => {
      if (isCancelledFirst(message, context)) context.exit(1);
      return message;
    }),
  ),

  fault(
    'late-cancellation-of-discover-selects-handshake',
    {
      what: 'After notifications/cancelled before any request except server/discover, this method is unknown.',
      breaks: ['cancellation.race-tolerant'],
      shows: ['cancellation.race-tolerant#other-answer'],
      where: isStateless,
      over: ['stdio'],
    },
    onIncoming((message, context) => {
      isCancelledFirst(message, context);
      return message;
    }),
    onReply('server/discover', (reply, ask, context) =>
      context.keep(beforeAll).cancelled ? refusal(ask, -32601, 'Method not found') : reply,
    ),
  ),

  fault(
    'cancellation-id-loosely-compared',
    {
      what: 'notifications/cancelled with the string "7" as requestId cancels the request with the number 7 as id.',
      breaks: ['cancellation.invalid-ignored'],
      shows: ['cancellation.invalid-ignored#retyped-id-taken'],
    },
    onIncoming(message => {
      const id = isCancellation(message) ? paramsOf(message).requestId : undefined;
      if (!isCancellation(message) || typeof id !== 'string' || !/^\d{1,6}$/.test(id)) return message;
      return { ...message, params: { ...paramsOf(message), requestId: Number(id) } };
    }),
  ),

  fault(
    'cancels-unknown-request',
    {
      what: 'The server sends notifications/cancelled for a request that it never sent.',
      breaks: ['cancellation.own-in-flight-request'],
      shows: ['cancellation.own-in-flight-request#unknown'],
      where: hasHandshake,
    },
    beforeCall(context => context.send(notification('notifications/cancelled', { requestId: 'never-sent' }))),
  ),

  fault(
    'cancels-what-is-answered',
    {
      what: 'The server sends notifications/cancelled for its own request long after the response.',
      breaks: ['cancellation.own-in-flight-request', 'cancellation.still-in-flight'],
      shows: ['cancellation.own-in-flight-request#answered', 'cancellation.still-in-flight#answered'],
      where: hasHandshake,
    },
    onIncoming((message, context) => {
      if (isObject(message) && message.id !== undefined && isObject(message.result) && !message.result.task)
        context.keep(answered).push(message.id);
      return message;
    }),
    onReply('ping', (reply, _ask, context) => {
      const [requestId] = context.keep(answered).splice(0);
      return requestId === undefined
        ? reply
        : [reply, notification('notifications/cancelled', { requestId })];
    }),
  ),

  fault(
    'cancels-without-id',
    {
      what: 'The server sends notifications/cancelled without requestId.',
      breaks: ['cancellation.request-id-given'],
      shows: ['cancellation.request-id-given#missing'],
      where: hasHandshake,
    },
    beforeCall(context =>
      context.send(notification('notifications/cancelled', { reason: 'Changed my mind' })),
    ),
  ),

  fault(
    'late-sample-kills',
    {
      what: 'The process exits when it receives a response to a request that it has cancelled.',
      breaks: ['cancellation.late-response-ignored'],
      shows: ['cancellation.late-response-ignored#exits'],
      where: hasHandshake,
    },
    onIncoming((message, context) => {
      if (JSON.stringify(message).includes('Too late.')) context.exit(1);
      return message;
    }),
  ),
];
