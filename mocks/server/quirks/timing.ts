/** Messages that arrive earlier, later or in another order than usual. */

import { idKey } from '../../../harness/record/message.js';
import { isObject, type JsonObject } from '../../../spec/json-rpc.js';
import {
  asking,
  notification,
  onIncoming,
  onReply,
  onStart,
  type Quirk,
  quirk,
  refusal,
} from '../../fault.js';
import { afterInitialized, hasHandshake, paramsOf } from '../faults/shared.js';
import { codes } from '../refusal.js';

const log = notification('notifications/message', { level: 'error', data: { any: ['thing'] } });

const late = (): { held: JsonObject[] } => ({ held: [] });

/** A response that is delayed and then cancelled is not sent. */
const forgettingCancelled = onIncoming((message, context) => {
  if (isObject(message) && message.method === 'notifications/cancelled') {
    const { held } = context.keep(late);
    const at = held.findIndex(reply => idKey(reply.id) === idKey(paramsOf(message).requestId));
    if (at >= 0) held.splice(at, 1);
  }
  return message;
});

export const timingQuirks: readonly Quirk[] = [
  quirk(
    'out-of-order',
    {
      what: 'Responses to requests that arrive together are sent in reverse order.',
      shows: ['jsonrpc.response-id-matches#any-order'],
    },
    forgettingCancelled,
    onReply('*', (reply, ask, context) => {
      if (ask.method === 'initialize' || context.session.isBatched(ask)) return reply;
      const { held } = context.keep(late);
      held.push(reply);
      if (held.length === 1) context.after(0, () => context.session.sendAll(held.splice(0).reverse()));
      return undefined;
    }),
  ),

  quirk(
    'every-reply-late',
    {
      what: 'Each response is delayed by a random time of up to 8 ms.',
      shows: ['jsonrpc.request-answered-once#late'],
    },
    forgettingCancelled,
    onReply('*', (reply, ask, context) => {
      if (context.session.isBatched(ask)) return reply;
      const { held } = context.keep(late);
      held.push(reply);
      context.after(context.random() * 8, () => {
        const at = held.indexOf(reply);
        if (at >= 0) context.session.sendAll(held.splice(at, 1));
      });
      return undefined;
    }),
  ),

  quirk(
    'pings-at-once',
    {
      what: 'The server sends ping before initialize.',
      where: hasHandshake,
      shows: ['lifecycle.initialize-first#ping'],
    },
    onStart(context => context.send(asking(context.nextId(), 'ping'))),
  ),

  quirk(
    'pings-in-handshake',
    {
      what: 'The server sends ping between the initialize result and notifications/initialized.',
      where: hasHandshake,
      shows: ['lifecycle.server-waits-for-initialized#ping'],
    },
    onReply('initialize', (reply, _ask, context) => [reply, asking(context.nextId(), 'ping')]),
  ),

  quirk(
    'logs-in-handshake',
    {
      what: 'The server sends notifications/message before notifications/initialized.',
      where: hasHandshake,
      shows: ['lifecycle.server-waits-for-initialized#log'],
    },
    onReply('initialize', reply => [reply, log]),
  ),

  quirk(
    'lists-change-unasked',
    {
      what: 'The server sends list_changed notifications although no list has changed.',
      shows: [
        'tools.list-changed-notification#without-change',
        'prompts.list-changed-notification#without-change',
        'resources.list-changed-notification#without-change',
      ],
    },
    afterInitialized(context => {
      for (const list of ['tools', 'resources', 'prompts'])
        context.send(notification(`notifications/${list}/list_changed`));
    }),
  ),

  quirk(
    'notifications-of-its-own',
    {
      what: 'The server sends an unknown notification.',
      shows: [
        'base.method-of-own-side#unknown-method',
        'base.schema-valid#unknown-method',
        'lifecycle.respect-version#no-revision',
      ],
    },
    afterInitialized(context => context.send(notification('notifications/com.example/odd', { a: [1] }))),
  ),

  quirk(
    'refused-until-initialized',
    {
      what: 'Requests other than ping are rejected before notifications/initialized.',
      where: hasHandshake,
      shows: ['lifecycle.server-waits-for-initialized#refuses-requests'],
    },
    onReply('*', (reply, ask, context) =>
      context.initialized || ['initialize', 'ping'].includes(String(ask.method))
        ? reply
        : refusal(ask, codes.invalidRequest, 'Not initialized'),
    ),
  ),

  quirk(
    'ends-when-ping-comes-first',
    {
      what: 'The process ends when it receives ping before initialize, which has to be the first request.',
      where: hasHandshake,
      over: ['stdio'],
    },
    onIncoming((message, context) => {
      if (!context.session.opened && isObject(message) && message.method === 'ping') context.exit(1);
      return message;
    }),
  ),

  quirk(
    'own-request-withdrawn',
    {
      what: 'The server sends roots/list and cancels the request immediately.',
      shows: ['cancellation.own-in-flight-request#crossed'],
    },
    afterInitialized(context => {
      if (!context.session.clientCapabilities.roots) return;
      const id = context.nextId();
      context.send(asking(id, 'roots/list'));
      context.send(notification('notifications/cancelled', { requestId: id }));
    }),
  ),
];
