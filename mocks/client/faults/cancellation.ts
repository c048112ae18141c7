/**
 * basic/utilities/cancellation: faults of clients that send or receive cancellations, or receive late
 * responses.
 */

import { isObject, type Json, type JsonObject, without } from '../../../spec/json-rpc.js';
import { notification, refusal, result } from '../../fault.js';
import { hasHandshake, isStateless, paramsOf } from '../../server/faults/shared.js';
import type { ClientContext } from '../context.js';
import {
  type ClientMiddleware,
  clientFault,
  onAsk,
  onBehaviour,
  onIncoming,
  onNotification,
  onReply,
  onResult,
  onStep,
} from '../fault.js';
import { tookTooLong } from '../session.js';

const cancelled = 'notifications/cancelled';
const sampling = 'sampling/createMessage';

/** Changes the cancellations that the user requests. */
const onWithdrawal = (change: (params: JsonObject) => JsonObject) =>
  onNotification(cancelled, note =>
    paramsOf(note).reason === tookTooLong ? note : { ...note, params: change(paramsOf(note)) },
  );

/** Acts when the server cancels a request. */
const onCancelled = (act: (requestId: Json | undefined, context: ClientContext) => void) =>
  onIncoming((message, context) => {
    if (isObject(message) && message.method === cancelled) act(paramsOf(message).requestId, context);
    return message;
  });

const isId = (id: Json | undefined): boolean => typeof id === 'string' || typeof id === 'number';

/** Open requests of the server, by id. */
const open = () => new Map<Json | undefined, JsonObject>();

/** Acts on a response to a request that the client has cancelled. */
const onLateResponse = (act: (context: ClientContext) => void): readonly ClientMiddleware[] => [
  onNotification(cancelled, (note, context) => {
    context.keep(open).set(paramsOf(note).requestId, note);
    return note;
  }),
  onIncoming((message, context) => {
    if (isObject(message) && !('method' in message) && context.keep(open).has(message.id)) act(context);
    return message;
  }),
];

/** Whether the client has stopped its requests. */
const stuck = () => ({ isStuck: false });

/** A request that the server has cancelled, and the number of pings since. */
interface Late {
  readonly ask: JsonObject;
  pings: number;
}

/** Sends a message about a request after its cancellation, if it has no response yet. */
const afterCancellation = (ms: number, say: (ask: JsonObject) => JsonObject) => [
  onIncoming((message, context) => {
    if (isObject(message) && message.method === sampling) context.keep(open).set(message.id, message);
    return message;
  }),
  onReply(sampling, (reply, _ask, context) => {
    context.keep(open).delete(reply.id);
    return reply;
  }),
  onCancelled((requestId, context) => {
    const asks = context.keep(open);
    context.after(ms, () => {
      const ask = asks.get(requestId);
      if (ask) void context.send(say(ask));
    });
  }),
];

/** Sends a message about a request 15 ms after the second ping since its cancellation. */
const afterSecondPing = (say: (ask: JsonObject) => JsonObject) => {
  const state = () => ({ asks: new Map<Json | undefined, JsonObject>(), late: [] as Late[] });
  return [
    onIncoming((message, context) => {
      if (isObject(message) && message.method === sampling) context.keep(state).asks.set(message.id, message);
      return message;
    }),
    onReply(sampling, (reply, _ask, context) => {
      context.keep(state).asks.delete(reply.id);
      return reply;
    }),
    onCancelled((requestId, context) => {
      const { asks, late } = context.keep(state);
      const ask = asks.get(requestId);
      if (ask) late.push({ ask, pings: 0 });
    }),
    onReply('ping', (reply, _ask, context) => {
      const due = context.keep(state).late.filter(one => ++one.pings === 2);
      for (const { ask } of due) context.after(15, () => void context.send(say(ask)));
      return reply;
    }),
  ];
};

/** The last call, and whether it has its response. */
const lastCall = (): { id?: Json | undefined; isAnswered: boolean } => ({ isAnswered: false });

export const cancellationFaults = [
  clientFault(
    'client-cancels-finished-calls',
    {
      what: 'The client sends notifications/cancelled when the user cancels tools/call after its response.',
      breaks: ['cancellation.own-in-flight-request', 'cancellation.still-in-flight'],
      shows: ['cancellation.own-in-flight-request#answered', 'cancellation.still-in-flight#answered'],
      over: ['stdio'],
    },
    onAsk('tools/call', (ask, context) => {
      Object.assign(context.keep(lastCall), { id: ask.id, isAnswered: false });
      return ask;
    }),
    onIncoming((message, context) => {
      const call = context.keep(lastCall);
      if (isObject(message) && !('method' in message) && message.id === call.id)
        call.isAnswered = !(isObject(message.result) && isObject(message.result.task));
      return message;
    }),
    onStep((step, context) => {
      const { id, isAnswered } = context.keep(lastCall);
      if (step[0] === 'cancel' && isAnswered) void context.send(notification(cancelled, { requestId: id! }));
      return step;
    }),
  ),

  clientFault(
    'client-cancels-by-message',
    {
      what: 'The client cancels over HTTP by notifications/cancelled, and leaves the response stream open.',
      breaks: ['cancellation.client-notifies', 'timeouts.cancel-on-expiry', 'subscriptions.client-cancels'],
      shows: [
        'cancellation.client-notifies#by-message',
        'subscriptions.client-cancels#by-message',
        'timeouts.cancel-on-expiry#by-message',
      ],
      where: isStateless,
      over: ['streamable-http'],
    },
    onBehaviour(habits => {
      habits.cancelsByMessage = true;
    }),
  ),

  clientFault(
    'client-cancels-retyped',
    {
      what: 'The client sends notifications/cancelled with a string as requestId for a request with a number as id.',
      breaks: ['cancellation.own-in-flight-request'],
      shows: ['cancellation.own-in-flight-request#retyped'],
      where: hasHandshake,
    },
    onWithdrawal(params => ({ ...params, requestId: String(params.requestId) })),
  ),

  clientFault(
    'client-cancels-without-id',
    {
      what: 'The client sends notifications/cancelled without requestId.',
      breaks: ['cancellation.request-id-given'],
      shows: ['cancellation.request-id-given#missing'],
      where: hasHandshake,
    },
    onWithdrawal(params => without(params, 'requestId')),
  ),

  clientFault(
    'client-cancels-too-late',
    {
      what: 'The client sends notifications/cancelled for tools/call long after the response.',
      breaks: ['cancellation.own-in-flight-request', 'cancellation.still-in-flight'],
      shows: ['cancellation.own-in-flight-request#answered', 'cancellation.still-in-flight#answered'],
      where: hasHandshake,
    },
    onResult('tools/call', (body, ask, context) => {
      // a task is still running
      if (!isObject(body.task)) context.keep(open).set('answered', ask);
      return body;
    }),
    onReply('ping', (reply, _ask, context) => {
      const ask = context.keep(open).get('answered');
      context.keep(open).clear();
      return ask ? [reply, notification(cancelled, { requestId: ask.id! })] : reply;
    }),
  ),

  clientFault(
    'client-cancels-initialize',
    {
      what: 'The client sends notifications/cancelled for initialize after a timeout.',
      breaks: ['cancellation.not-initialize'],
      shows: ['cancellation.not-initialize#cancelled'],
    },
    onBehaviour(habits => {
      habits.withdraws = () => true;
    }),
  ),

  clientFault(
    'client-answers-cancelled',
    {
      what: 'The client responds to sampling/createMessage with a result after notifications/cancelled.',
      breaks: ['cancellation.no-response'],
      shows: ['cancellation.no-response#result'],
      where: hasHandshake,
    },
    ...afterSecondPing(ask =>
      result(ask, { role: 'assistant', content: { type: 'text', text: 'Done.' }, model: 'none' }),
    ),
  ),

  clientFault(
    'client-refuses-cancelled',
    {
      what: 'The client responds to sampling/createMessage with an error after notifications/cancelled.',
      breaks: ['cancellation.no-response'],
      shows: ['cancellation.no-response#error'],
      where: hasHandshake,
    },
    ...afterCancellation(0, ask => refusal(ask, 0, 'Request cancelled')),
  ),

  clientFault(
    'client-stuck-after-late-answers',
    {
      what: 'The client sends no further request after a response to a request that it cancelled.',
      breaks: ['cancellation.late-response-ignored'],
      shows: ['cancellation.late-response-ignored#stuck'],
    },
    ...onLateResponse(context => {
      context.keep(stuck).isStuck = true;
    }),
    onAsk('resources/list', (ask, context) => (context.keep(stuck).isStuck ? undefined : ask)),
  ),

  clientFault(
    'client-dies-of-late-answers',
    {
      what: 'The client exits when a response arrives for a request that it cancelled.',
      breaks: ['cancellation.race-tolerant'],
      shows: ['cancellation.race-tolerant#exits-at-response'],
      where: hasHandshake,
    },
    ...onLateResponse(context => context.exit(1)),
  ),

  clientFault(
    'client-dies-of-odd-cancellations',
    {
      what: 'The client exits when it receives notifications/cancelled without a valid requestId.',
      breaks: ['cancellation.invalid-ignored'],
      shows: ['cancellation.invalid-ignored#exits'],
      where: hasHandshake,
    },
    onCancelled((requestId, context) => {
      if (!isId(requestId)) context.exit(1);
    }),
  ),

  clientFault(
    'client-complains-of-cancellations',
    {
      what: 'The client responds to notifications/cancelled without a valid requestId with an error.',
      breaks: ['cancellation.invalid-ignored', 'jsonrpc.notification-not-answered'],
      shows: ['jsonrpc.notification-not-answered#invalid-answered', 'cancellation.invalid-ignored#answered'],
      where: hasHandshake,
    },
    onCancelled((requestId, context) => {
      if (!isId(requestId)) void context.send(refusal({}, -32602, 'Nothing to cancel'));
    }),
  ),

  clientFault(
    'client-dies-of-crossing',
    {
      what: 'The client exits when it receives notifications/cancelled for a ping that already has a response.',
      breaks: ['cancellation.race-tolerant'],
      shows: ['cancellation.race-tolerant#exits-at-cancellation'],
      where: hasHandshake,
    },
    onReply('ping', (reply, ask, context) => {
      context.keep(open).set(reply.id, ask);
      return reply;
    }),
    onCancelled((requestId, context) => {
      if (context.keep(open).has(requestId)) context.exit(1);
    }),
  ),
];

/** Removes the timeout of a step. */
const patient = (verb: 'call' | 'get') =>
  onStep(step =>
    step[0] === verb && step[3]?.timeoutMs !== undefined ? [step[0], step[1], step[2] as never] : step,
  );

export const timeoutFaults = [
  clientFault(
    'client-waits-for-tools',
    {
      what: 'The client has no timeout for tools/call.',
      breaks: ['timeouts.established', 'tools.client-timeouts'],
      shows: ['tools.client-timeouts#waits', 'timeouts.established#tools'],
    },
    patient('call'),
  ),

  clientFault(
    'client-waits-for-prompts',
    {
      what: 'The client has no timeout for prompts/get.',
      breaks: ['timeouts.established'],
      shows: ['timeouts.established#prompts'],
    },
    patient('get'),
  ),

  clientFault(
    'client-gives-up-silently',
    {
      what: 'The client sends no notifications/cancelled after a timeout.',
      breaks: ['timeouts.cancel-on-expiry'],
      shows: ['timeouts.cancel-on-expiry#silent'],
    },
    onBehaviour(habits => {
      habits.withdraws = () => false;
    }),
  ),
];
