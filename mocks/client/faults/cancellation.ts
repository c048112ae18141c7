/** basic/utilities/cancellation: what clients cancel, and how they take it that something is cancelled or late. */

import { isObject, type Json, type JsonObject, without } from '../../../spec/json-rpc.js';
import { notification, refusal, result } from '../../fault.js';
import { paramsOf } from '../../server/faults/shared.js';
import type { ClientContext } from '../context.js';
import { clientFault, onHabits, onIncoming, onNotification, onReply, onResult, onStep } from '../fault.js';
import { tookTooLong } from '../session.js';

const cancelled = 'notifications/cancelled';
const sampling = 'sampling/createMessage';

/** Changes what the client sends when its user cancels something. */
const onWithdrawal = (change: (params: JsonObject) => JsonObject) =>
  onNotification(cancelled, note =>
    paramsOf(note).reason === tookTooLong ? note : { ...note, params: change(paramsOf(note)) },
  );

/** Acts when the server cancels something. */
const onCancelled = (act: (requestId: Json | undefined, context: ClientContext) => void) =>
  onIncoming((message, context) => {
    if (isObject(message) && message.method === cancelled) act(paramsOf(message).requestId, context);
    return message;
  });

const isId = (id: Json | undefined): boolean => typeof id === 'string' || typeof id === 'number';

/** Questions of the server that are open, by id. */
const open = () => new Map<Json | undefined, JsonObject>();

/** Something that is said about a question after it was cancelled, if it was not answered before. */
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

export const cancellationFaults = [
  clientFault(
    'client-cancels-retyped',
    {
      what: 'The client writes the id of what it cancels as text.',
      breaks: ['cancellation.own-in-flight-request'],
    },
    onWithdrawal(params => ({ ...params, requestId: String(params.requestId) })),
  ),

  clientFault(
    'client-cancels-without-id',
    { what: 'The client does not say what it cancels.', breaks: ['cancellation.request-id-given'] },
    onWithdrawal(params => without(params, 'requestId')),
  ),

  clientFault(
    'client-cancels-too-late',
    {
      what: 'The client cancels what was answered long ago.',
      breaks: ['cancellation.own-in-flight-request', 'cancellation.still-in-flight'],
    },
    onResult('tools/call', (body, ask, context) => {
      // a task is still at work
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
      what: 'The client cancels initialize when that takes too long.',
      breaks: ['cancellation.not-initialize'],
    },
    onHabits(habits => {
      habits.withdraws = () => true;
    }),
  ),

  clientFault(
    'client-answers-cancelled',
    {
      what: 'The client answers a question although it was cancelled meanwhile.',
      breaks: ['cancellation.no-response'],
    },
    ...afterCancellation(10, ask =>
      result(ask, { role: 'assistant', content: { type: 'text', text: 'Done.' }, model: 'none' }),
    ),
  ),

  clientFault(
    'client-refuses-cancelled',
    {
      what: 'The client says with an error that a question was cancelled.',
      breaks: ['cancellation.no-response'],
    },
    ...afterCancellation(0, ask => refusal(ask, 0, 'Request cancelled')),
  ),

  clientFault(
    'client-dies-of-late-answers',
    {
      what: 'The client dies of an answer to what it has cancelled.',
      breaks: ['cancellation.late-response-ignored'],
    },
    onNotification(cancelled, (note, context) => {
      context.keep(open).set(paramsOf(note).requestId, note);
      return note;
    }),
    onIncoming((message, context) => {
      const late = isObject(message) && !('method' in message) && context.keep(open).has(message.id);
      if (late) context.exit(1);
      return message;
    }),
  ),

  clientFault(
    'client-dies-of-odd-cancellations',
    {
      what: 'The client dies of a cancellation that names nothing.',
      breaks: ['cancellation.invalid-ignored'],
    },
    onCancelled((requestId, context) => {
      if (!isId(requestId)) context.exit(1);
    }),
  ),

  clientFault(
    'client-complains-of-cancellations',
    {
      what: 'The client complains about a cancellation that names nothing.',
      breaks: ['cancellation.invalid-ignored', 'jsonrpc.notification-not-answered'],
    },
    onCancelled((requestId, context) => {
      if (!isId(requestId)) void context.send(refusal({}, -32602, 'Nothing to cancel'));
    }),
  ),

  clientFault(
    'client-dies-of-crossing',
    {
      what: 'The client dies when something is cancelled that it has answered.',
      breaks: ['cancellation.race-tolerant'],
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

/** A step without the option to give up. */
const patient = (verb: 'call' | 'get') =>
  onStep(step =>
    step[0] === verb && step[3]?.timeoutMs !== undefined ? [step[0], step[1], step[2] as never] : step,
  );

export const timeoutFaults = [
  clientFault(
    'client-waits-for-tools',
    {
      what: 'The client waits for tools as long as they take.',
      breaks: ['timeouts.established', 'tools.client-timeouts'],
    },
    patient('call'),
  ),

  clientFault(
    'client-waits-for-prompts',
    { what: 'The client waits for prompts as long as they take.', breaks: ['timeouts.established'] },
    patient('get'),
  ),

  clientFault(
    'client-gives-up-silently',
    {
      what: 'The client does not say that it no longer waits.',
      breaks: ['timeouts.cancel-on-expiry'],
    },
    onHabits(habits => {
      habits.withdraws = () => false;
    }),
  ),
];
