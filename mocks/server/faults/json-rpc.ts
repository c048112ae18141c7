/** basic/index: envelopes and ids. */

import { isObject, type JsonObject, without } from '../../../spec/json-rpc.js';
import { asking, fault, onIncoming, onNotification, onReply, refusal, result } from '../../fault.js';
import { codes } from '../refusal.js';
import { beforeCall, lists } from './shared.js';

const afterHandshake = (ask: JsonObject): boolean => ask.method !== 'initialize';

export const jsonRpcFaults = [
  fault(
    'id-retyped',
    {
      what: 'Numbers come back as text in the ids of replies to list requests.',
      breaks: ['jsonrpc.response-id-matches'],
    },
    // not all replies: some ids are in use as number and as text, and would be answered twice
    onReply(lists, reply => (typeof reply.id === 'number' ? { ...reply, id: String(reply.id) } : reply)),
  ),

  fault(
    'id-wrong',
    { what: 'Lists of templates carry an id that nobody used.', breaks: ['jsonrpc.response-id-matches'] },
    onReply('resources/templates/list', reply => ({ ...reply, id: 'nobody-asked-this' })),
  ),

  fault(
    'id-falsy-lost',
    {
      what: 'Requests with the id 0 or "" are answered with the id null.',
      breaks: ['jsonrpc.response-id-matches'],
    },
    onReply('*', reply => (reply.id ? reply : { ...reply, id: null })),
  ),

  fault(
    'id-of-digits-renumbered',
    {
      what: 'Text of digits comes back as a number in the ids of errors.',
      breaks: ['jsonrpc.response-id-matches'],
    },
    onReply('*', reply =>
      'error' in reply && /^\d{1,15}$/.test(String(reply.id)) ? { ...reply, id: Number(reply.id) } : reply,
    ),
  ),

  fault(
    'id-of-any-type-served',
    {
      what: 'Requests are served whatever type their id has.',
      breaks: ['jsonrpc.invalid-request'],
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
    { what: 'prompts/list is answered twice.', breaks: ['jsonrpc.request-answered-once'] },
    onReply('prompts/list', reply => [reply, reply]),
  ),

  fault(
    'neither-result-nor-error',
    {
      what: 'resources/unsubscribe is answered with a message that has neither result nor error.',
      breaks: ['jsonrpc.result-or-error-present'],
    },
    onReply('resources/unsubscribe', reply => without(reply, 'result', 'error')),
  ),

  fault(
    'jsonrpc-missing',
    { what: 'Pongs have no jsonrpc member.', breaks: ['base.jsonrpc-2-0'] },
    onReply('ping', reply => without(reply, 'jsonrpc')),
  ),

  fault(
    'jsonrpc-number',
    { what: 'The jsonrpc member of later replies is a number.', breaks: ['base.jsonrpc-2-0'] },
    onReply('*', (reply, ask) => (afterHandshake(ask) ? { ...reply, jsonrpc: 2.0 } : reply)),
  ),

  fault(
    'params-array',
    { what: 'Changes of the tools are announced with positional params.', breaks: ['base.params-object'] },
    onNotification('notifications/tools/list_changed', message => ({ ...message, params: [] })),
  ),

  fault(
    'answer-notification',
    {
      what: 'Unknown methods without an id are answered with an error.',
      breaks: ['jsonrpc.notification-not-answered'],
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
      what: 'notifications/initialized is answered with an error.',
      breaks: ['jsonrpc.notification-not-answered'],
    },
    onIncoming((message, context) => {
      if (isObject(message) && message.method === 'notifications/initialized')
        context.send(refusal({}, codes.methodNotFound, 'Method not found'));
      return message;
    }),
  ),

  fault(
    'notification-with-id',
    { what: 'Progress notifications have an id.', breaks: ['jsonrpc.notification-without-id'] },
    onNotification('notifications/progress', message => ({ ...message, id: 'a-notification' })),
  ),

  fault(
    'own-id-null',
    { what: 'A ping of the server has the id null.', breaks: ['jsonrpc.request-id-not-null'] },
    beforeCall(context => context.count() <= 2 && context.send(asking(null, 'ping'))),
  ),

  fault(
    'own-id-fraction',
    { what: 'A ping of the server has a fraction as id.', breaks: ['jsonrpc.request-id-string-or-integer'] },
    beforeCall(context => context.count() <= 2 && context.send(asking(context.nextId() + 0.5, 'ping'))),
  ),

  fault(
    'own-id-reused',
    { what: 'All pings of the server have the same id.', breaks: ['jsonrpc.request-id-unique-in-session'] },
    beforeCall(context => context.count() <= 2 && context.send(asking('the-same', 'ping'))),
  ),

  fault(
    'method-of-the-client',
    { what: 'The server asks the client for its tools.', breaks: ['base.method-of-own-side'] },
    beforeCall(context => {
      if (context.session.clientCapabilities.roots) context.send(asking(context.nextId(), 'tools/list'));
    }),
  ),
];
