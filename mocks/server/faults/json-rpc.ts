/** basic/index: envelopes and ids. */

import { isObject, type JsonObject, without } from '../../../spec/json-rpc.js';
import {
  asking,
  fault,
  onIncoming,
  onMessage,
  onNotification,
  onReply,
  refusal,
  result,
} from '../../fault.js';
import { codes } from '../refusal.js';
import { beforeCall, hasHandshake, lists, onRefused, undeclared } from './shared.js';

const afterHandshake = (ask: JsonObject): boolean => ask.method !== 'initialize';

export const jsonRpcFaults = [
  fault(
    'id-retyped',
    {
      what: 'The responses to list requests have a string as id when the id of the request is a number.',
      breaks: ['jsonrpc.response-id-matches'],
      shows: ['jsonrpc.response-id-matches#retyped'],
    },
    // not all responses: some ids are in use as number and as string, and would get two responses
    onReply(lists, reply => (typeof reply.id === 'number' ? { ...reply, id: String(reply.id) } : reply)),
  ),

  fault(
    'id-wrong',
    {
      what: 'The response to resources/templates/list has an unused id.',
      breaks: ['jsonrpc.response-id-matches'],
      shows: ['jsonrpc.response-id-matches#unknown'],
    },
    onReply('resources/templates/list', reply => ({ ...reply, id: 'nobody-asked-this' })),
  ),

  fault(
    'id-falsy-lost',
    {
      what: 'A request with the id 0 or "" gets a response with the id null.',
      breaks: ['jsonrpc.response-id-matches'],
      shows: ['jsonrpc.response-id-matches#falsy-lost'],
    },
    onReply('*', reply => (reply.id ? reply : { ...reply, id: null })),
  ),

  fault(
    'id-of-digits-renumbered',
    {
      what: 'The error response to a request with a string of digits as id has a number as id.',
      breaks: ['jsonrpc.response-id-matches'],
      shows: ['jsonrpc.response-id-matches#retyped'],
    },
    onReply('*', reply =>
      'error' in reply && /^\d{1,15}$/.test(String(reply.id)) ? { ...reply, id: Number(reply.id) } : reply,
    ),
  ),

  fault(
    'id-of-any-type-served',
    {
      what: 'A request with an array or an object as id gets a result.',
      breaks: ['jsonrpc.invalid-request'],
      shows: ['jsonrpc.invalid-request#id-of-any-type-served'],
    },
    onIncoming((message, context) => {
      if (!isObject(message) || typeof message.method !== 'string' || typeof message.id !== 'object')
        return message;
      if (message.id !== null) context.send(result(message, {}));
      return message.id === null ? message : undefined;
    }),
  ),

  fault(
    'double-answer',
    {
      what: 'prompts/list gets two responses.',
      breaks: ['jsonrpc.request-answered-once'],
      shows: ['jsonrpc.request-answered-once#no-response'],
    },
    onReply('prompts/list', reply => [reply, reply]),
  ),

  fault(
    'neither-result-nor-error',
    {
      what: 'The response to resources/unsubscribe has neither a result nor an error.',
      breaks: ['jsonrpc.result-or-error-present'],
      shows: ['jsonrpc.result-or-error-present#neither'],
      where: hasHandshake,
    },
    onReply('resources/unsubscribe', reply => without(reply, 'result', 'error')),
  ),

  fault(
    'jsonrpc-missing',
    {
      what: 'The response to ping has no jsonrpc member.',
      breaks: ['base.jsonrpc-2-0'],
      shows: ['base.jsonrpc-2-0#version-missing'],
      where: hasHandshake,
    },
    onReply('ping', reply => without(reply, 'jsonrpc')),
  ),

  fault(
    'jsonrpc-number',
    {
      what: 'The responses after initialize have a number as jsonrpc member.',
      breaks: ['base.jsonrpc-2-0'],
      shows: ['base.jsonrpc-2-0#version-other'],
    },
    onReply('*', (reply, ask) => (afterHandshake(ask) ? { ...reply, jsonrpc: 2.0 } : reply)),
  ),

  fault(
    'params-array',
    {
      what: 'notifications/tools/list_changed has positional params.',
      breaks: ['base.params-object'],
      shows: ['base.params-object#array'],
      where: hasHandshake,
    },
    onNotification('notifications/tools/list_changed', message => ({ ...message, params: [] })),
  ),

  fault(
    'answer-notification',
    {
      what: 'A message with an unknown method and without an id gets an error response.',
      breaks: ['jsonrpc.notification-not-answered'],
      shows: ['jsonrpc.notification-not-answered#unknown-answered'],
    },
    onIncoming((message, context) => {
      const unknown =
        isObject(message) &&
        !('id' in message) &&
        typeof message.method === 'string' &&
        !message.method.startsWith('notifications/') &&
        !context.session.vocabulary.notifications.client.has(message.method);
      if (unknown) context.send(refusal({}, codes.methodNotFound, 'Method not found'));
      return message;
    }),
  ),

  fault(
    'answer-initialized',
    {
      what: 'notifications/initialized gets an error response.',
      breaks: ['jsonrpc.notification-not-answered'],
      shows: ['jsonrpc.notification-not-answered#known-answered'],
      where: hasHandshake,
    },
    onIncoming((message, context) => {
      if (isObject(message) && message.method === 'notifications/initialized')
        context.send(refusal({}, codes.methodNotFound, 'Method not found'));
      return message;
    }),
  ),

  fault(
    'notification-with-id',
    {
      what: 'notifications/progress has an id.',
      breaks: ['jsonrpc.notification-without-id'],
      shows: ['jsonrpc.notification-without-id#id'],
      where: hasHandshake,
    },
    onNotification('notifications/progress', message => ({ ...message, id: 'a-notification' })),
  ),

  fault(
    'own-id-null',
    {
      what: 'The server sends ping with the id null.',
      breaks: ['jsonrpc.request-id-not-null'],
      shows: ['jsonrpc.request-id-not-null#is-null'],
      where: hasHandshake,
    },
    beforeCall(context => context.count() <= 2 && context.send(asking(null, 'ping'))),
  ),

  fault(
    'own-id-fraction',
    {
      what: 'The server sends ping with a fractional id.',
      breaks: ['jsonrpc.request-id-string-or-integer'],
      shows: ['jsonrpc.request-id-string-or-integer#fraction'],
      where: hasHandshake,
    },
    beforeCall(context => context.count() <= 2 && context.send(asking(context.nextId() + 0.5, 'ping'))),
  ),

  fault(
    'own-id-reused',
    {
      what: 'The server sends all pings with the same id.',
      breaks: ['jsonrpc.request-id-unique-in-session'],
      shows: ['jsonrpc.request-id-unique-in-session#repeated'],
    },
    beforeCall(context => context.count() <= 2 && context.send(asking('the-same', 'ping'))),
  ),

  fault(
    'method-of-the-client',
    {
      what: 'The server sends tools/list to the client.',
      breaks: ['base.method-of-own-side'],
      shows: ['base.method-of-own-side#request-of-other-side'],
      where: hasHandshake,
    },
    beforeCall(context => {
      if (context.session.clientCapabilities.roots) context.send(asking(context.nextId(), 'tools/list'));
    }),
  ),

  fault(
    'levels-undeclared',
    {
      what: 'logging/setLevel returns a result although logging is not declared.',
      breaks: ['base.server-feature-advertised'],
      shows: ['base.server-feature-advertised#served'],
      where: hasHandshake,
    },
    undeclared('logging'),
    onRefused('logging/setLevel', (_reply, ask) => result(ask, {})),
  ),

  fault(
    'unreadable-is-internal-error',
    {
      what: 'The response to a line that is not JSON is an internal error.',
      breaks: ['jsonrpc.parse-error'],
      shows: ['jsonrpc.parse-error#other-code'],
    },
    onMessage(message =>
      isObject(message.error) && message.error.code === codes.parseError
        ? { ...message, error: { ...message.error, code: codes.internalError } }
        : message,
    ),
  ),
];
