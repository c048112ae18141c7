/** basic/index: faults of clients in envelopes, ids and errors, and their handling of unknown content. */

import { isObject, type Json, type JsonObject, without } from '../../../spec/json-rpc.js';
import { asking, notification, refusal, result } from '../../fault.js';
import { hasHandshake, paramsOf } from '../../server/faults/shared.js';
import { featuresOf } from '../../server/features.js';
import { codes } from '../../server/refusal.js';
import type { ClientContext } from '../context.js';
import { clientFault, onAsk, onIncoming, onOpened, onReply, onResult, onUnreadable } from '../fault.js';

/** Sends additional messages as soon as the session is open. */
const alsoSays = (...messages: Json[]) =>
  onOpened(async context => {
    for (const message of messages) await context.send(message);
  });

/** Changes the error responses of the client. */
const onRefusal = (change: (error: JsonObject, ask: JsonObject) => JsonObject) =>
  onReply('*', (reply, ask) =>
    isObject(reply.error) ? { ...reply, error: change(reply.error, ask) } : reply,
  );

/** A request with a method that clients never receive. */
const isForeign = ({ method }: JsonObject): boolean =>
  typeof method === 'string' && !/^(roots|sampling|elicitation)\//.test(method);

/** Changes the responses to pings with matching ids. */
const onPong = (fits: (id: Json | undefined) => boolean, change: (reply: JsonObject) => JsonObject) =>
  onReply('ping', (reply, ask) => (fits(ask.id) ? change(reply) : reply));

/** Terminates the client when a matching message arrives. */
const diesOf = (hears: (message: JsonObject) => boolean) =>
  onIncoming((message, context) => {
    if (isObject(message) && hears(message)) context.exit(1);
    return message;
  });

const toolsIn = (message: JsonObject): JsonObject[] =>
  isObject(message.result) && Array.isArray(message.result.tools)
    ? message.result.tools.filter(isObject)
    : [];

const roots = 'notifications/roots/list_changed';
const digits = /^\d+$/;

const complain = (context: ClientContext): void =>
  void context.send({
    jsonrpc: '2.0',
    id: null,
    error: { code: -32000, message: 'The message is unexpected.' },
  });

export const baseFaults = [
  clientFault(
    'client-pong-without-version',
    {
      what: "The client's response to ping has no jsonrpc member.",
      breaks: ['base.jsonrpc-2-0'],
      shows: ['base.jsonrpc-2-0#version-missing'],
      where: hasHandshake,
    },
    onReply('ping', reply => without(reply, 'jsonrpc')),
  ),

  clientFault(
    'client-params-in-array',
    {
      what: 'The client sends tools/list with positional params.',
      breaks: ['base.params-object'],
      shows: ['base.params-object#array'],
      where: hasHandshake,
    },
    onAsk('tools/list', ask => (ask.params === undefined ? { ...ask, params: [] } : ask)),
  ),

  clientFault(
    'client-speaks-as-server',
    {
      what: 'The client sends notifications/message to the server.',
      breaks: ['base.method-of-own-side'],
      shows: ['base.method-of-own-side#notification-of-other-side'],
    },
    alsoSays(notification('notifications/message', { level: 'info', data: 'Ready.' })),
  ),

  clientFault(
    'client-speaks-of-the-future',
    {
      what: 'The client sends tasks/list in a revision without tasks.',
      breaks: ['lifecycle.respect-version'],
      shows: ['lifecycle.respect-version#request-of-later-revision'],
      where: revision => !featuresOf(revision).tasks,
    },
    onOpened(async context => {
      if (!featuresOf(context.revision).tasks) await context.send(asking('tasks', 'tasks/list'));
    }),
  ),

  clientFault(
    'client-arguments-as-text',
    {
      what: 'The client sends tools/call with a string as arguments.',
      breaks: ['base.schema-valid'],
      shows: ['base.schema-valid#member-retyped'],
    },
    onAsk('tools/call', ask => ({
      ...ask,
      params: { ...paramsOf(ask), arguments: JSON.stringify(paramsOf(ask).arguments ?? {}) },
    })),
  ),

  clientFault(
    'client-first-cursor-null',
    {
      what: 'The client sends tools/list for the first page with the cursor null.',
      breaks: ['base.schema-valid'],
      shows: ['base.schema-valid#member-retyped'],
    },
    onAsk('tools/list', ask => ({ ...ask, params: { cursor: null, ...paramsOf(ask) } })),
  ),

  clientFault(
    'client-id-fraction',
    {
      what: 'The client sends ping with a fractional id.',
      breaks: ['jsonrpc.request-id-string-or-integer'],
      shows: ['jsonrpc.request-id-string-or-integer#fraction'],
    },
    alsoSays(asking(1.5, 'ping')),
  ),

  clientFault(
    'client-id-null',
    {
      what: 'The client sends ping with the id null.',
      breaks: ['jsonrpc.request-id-not-null'],
      shows: ['jsonrpc.request-id-not-null#is-null'],
    },
    alsoSays(asking(null, 'ping')),
  ),

  clientFault(
    'client-id-used-twice',
    {
      what: 'The client sends ping twice with the same id.',
      breaks: ['jsonrpc.request-id-unique-in-session'],
      shows: ['jsonrpc.request-id-unique-in-session#repeated'],
    },
    onOpened(async context => {
      const pong = context.keep(() => ({ sent: false }));
      if (pong.sent) return;
      pong.sent = true;
      for (let n = 0; n < 2; n++) await context.send(asking('again', 'ping'));
    }),
  ),

  clientFault(
    'client-notification-with-id',
    {
      what: 'The client sends notifications/roots/list_changed with an id.',
      breaks: ['jsonrpc.notification-without-id'],
      shows: ['jsonrpc.notification-without-id#id'],
    },
    alsoSays(asking('note', roots)),
  ),

  clientFault(
    'client-answers-notifications',
    {
      what: 'The client responds to an unknown notification with an error.',
      breaks: ['jsonrpc.notification-not-answered'],
      shows: ['jsonrpc.notification-not-answered#unknown-answered'],
      where: hasHandshake,
    },
    onIncoming((message, context) => {
      const method = isObject(message) && message.id === undefined ? String(message.method) : '';
      if (method.includes('no-such-method')) complain(context);
      return message;
    }),
  ),

  clientFault(
    'client-pong-retyped',
    {
      what: "The client's response to ping has a string as id when the id of the request is a number.",
      breaks: ['jsonrpc.response-id-matches'],
      shows: ['jsonrpc.response-id-matches#retyped'],
      where: hasHandshake,
    },
    onPong(Number.isInteger, reply => ({ ...reply, id: String(reply.id) })),
  ),

  clientFault(
    'client-pong-id-lost',
    {
      what: "The client's response to ping has the id null when the id of the request is 0.",
      breaks: ['jsonrpc.response-id-matches'],
      shows: ['jsonrpc.response-id-matches#falsy-lost'],
      where: hasHandshake,
    },
    onPong(
      id => id === 0,
      reply => ({ ...reply, id: null }),
    ),
  ),

  clientFault(
    'client-answers-both-ways',
    {
      what: "The client's error responses have a result as well.",
      breaks: ['jsonrpc.result-and-error-exclusive'],
      shows: ['jsonrpc.result-and-error-exclusive#both'],
      where: hasHandshake,
    },
    onReply('*', reply => ('error' in reply ? { ...reply, result: null } : reply)),
  ),

  clientFault(
    'client-answers-neither-way',
    {
      what: "The client's response to ping has neither a result nor an error.",
      breaks: ['jsonrpc.result-or-error-present'],
      shows: ['jsonrpc.result-or-error-present#neither'],
      where: hasHandshake,
    },
    onReply('ping', reply => without(reply, 'result')),
  ),

  clientFault(
    'client-answers-twice',
    {
      what: 'The client sends two responses to ping when several pings arrive together.',
      breaks: ['jsonrpc.request-answered-once'],
      shows: ['jsonrpc.request-answered-once#two-responses'],
      where: hasHandshake,
    },
    onReply('ping', (reply, ask) => (String(ask.id).startsWith('together') ? [reply, reply] : reply)),
  ),

  clientFault(
    'client-error-code-as-text',
    {
      what: "The client's error response to an unknown method has a string as code.",
      breaks: ['jsonrpc.error-code-integer', 'jsonrpc.method-not-found'],
      shows: ['jsonrpc.error-code-integer#text', 'jsonrpc.method-not-found#other-code'],
      where: hasHandshake,
    },
    onRefusal((error, ask) =>
      isForeign(ask) && error.code === -32601 ? { ...error, code: String(error.code) } : error,
    ),
  ),

  clientFault(
    'client-error-without-message',
    {
      what: "The client's error responses have no message.",
      breaks: ['jsonrpc.error-code-and-message'],
      shows: ['jsonrpc.error-code-and-message#no-message'],
      where: hasHandshake,
    },
    onRefusal(error => without(error, 'message')),
  ),

  clientFault(
    'client-error-with-stack',
    {
      what: "The client's error responses have a stack trace as message.",
      breaks: ['jsonrpc.error-message-concise'],
      shows: ['jsonrpc.error-message-concise#several-lines'],
      where: hasHandshake,
    },
    onRefusal(error => ({ ...error, message: `${error.message}\n    at Client.answer (client.js:1:1)` })),
  ),

  clientFault(
    'client-serves-anything',
    {
      what: 'The client responds to unknown methods with a result.',
      breaks: ['jsonrpc.unknown-method-refused'],
      shows: ['jsonrpc.unknown-method-refused#served'],
      where: hasHandshake,
    },
    onReply('*', (reply, ask) =>
      isForeign(ask) && isObject(reply.error) && reply.error.code === codes.methodNotFound
        ? result(ask, {})
        : reply,
    ),
  ),

  clientFault(
    'client-overlooks-envelope',
    {
      what: 'The client responds to requests without the jsonrpc member.',
      breaks: ['jsonrpc.invalid-request'],
      shows: ['jsonrpc.invalid-request#envelope-served'],
      where: hasHandshake,
    },
    onIncoming(message =>
      isObject(message) && typeof message.method === 'string' ? { ...message, jsonrpc: '2.0' } : message,
    ),
  ),

  clientFault(
    'client-dies-of-garbage',
    {
      what: 'The client exits when it receives input that is not JSON.',
      breaks: ['jsonrpc.parse-error-survived'],
      shows: ['jsonrpc.parse-error-survived#exits'],
      where: hasHandshake,
    },
    onUnreadable((_text, context) => context.exit(1)),
  ),

  clientFault(
    'client-answers-garbage',
    {
      what: 'The client responds to input that is not JSON with an error of another code than -32700.',
      breaks: ['jsonrpc.parse-error'],
      shows: ['jsonrpc.parse-error#other-code'],
      where: hasHandshake,
    },
    onUnreadable((_text, context) => complain(context)),
  ),

  clientFault(
    'client-fears-reserved-metadata',
    {
      what: 'The client rejects a ping that has unknown metadata under a reserved key.',
      breaks: ['meta.reserved-values-not-assumed', 'ping.answered-empty'],
      shows: ['meta.reserved-values-not-assumed#refused'],
      where: hasHandshake,
    },
    onReply('ping', (reply, ask) => {
      const { _meta: meta } = paramsOf(ask);
      return isObject(meta) && 'dev.mcp/x' in meta ? refusal(ask, codes.invalidParams, 'Reserved') : reply;
    }),
  ),

  clientFault(
    'client-wants-descriptions',
    {
      what: 'The client requests no further page when tools/list returns a tool without a description.',
      breaks: ['base.lawful-results-taken'],
      shows: ['base.lawful-results-taken#few-members'],
    },
    onResult('tools/list', body =>
      toolsIn({ result: body }).some(tool => tool.description === undefined)
        ? without(body, 'nextCursor')
        : body,
    ),
  ),

  clientFault(
    'client-dies-of-unknown-members',
    {
      what: 'The client exits when tools/list returns a tool with an unknown member.',
      breaks: ['base.lawful-results-taken'],
      shows: ['base.lawful-results-taken#unknown-members'],
    },
    diesOf(message => toolsIn(message).some(tool => 'x-unknown' in tool)),
  ),

  clientFault(
    'client-takes-retyped-answers',
    {
      what: 'The client accepts a response with a string of digits as id for a request with a number as id.',
      breaks: ['jsonrpc.retyped-answer-not-taken'],
      shows: ['jsonrpc.retyped-answer-not-taken#taken'],
    },
    onIncoming(message =>
      isObject(message) && 'result' in message && typeof message.id === 'string' && digits.test(message.id)
        ? { ...message, id: Number(message.id) }
        : message,
    ),
  ),
];
