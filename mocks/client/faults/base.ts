/** basic/index: what clients do wrong with envelopes, ids, errors, and what they do not know. */

import { isObject, type Json, type JsonObject, without } from '../../../spec/json-rpc.js';
import { asking, notification, refusal, result } from '../../fault.js';
import { paramsOf } from '../../server/faults/shared.js';
import { featuresOf } from '../../server/features.js';
import { codes } from '../../server/refusal.js';
import type { ClientContext } from '../context.js';
import { clientFault, onAsk, onIncoming, onOpened, onReply, onResult, onUnreadable } from '../fault.js';

/** Something else that the client says as soon as it is ready. */
const alsoSays = (...messages: Json[]) =>
  onOpened(async context => {
    for (const message of messages) await context.send(message);
  });

/** Changes the errors with which the client refuses. */
const onRefusal = (change: (error: JsonObject, ask: JsonObject) => JsonObject) =>
  onReply('*', (reply, ask) =>
    isObject(reply.error) ? { ...reply, error: change(reply.error, ask) } : reply,
  );

/** It asks for something that no client ever does. */
const isForeign = ({ method }: JsonObject): boolean =>
  typeof method === 'string' && !/^(roots|sampling|elicitation)\//.test(method);

/** Changes the answers to pings with a number or a word that fits. */
const onPong = (fits: (id: Json | undefined) => boolean, change: (reply: JsonObject) => JsonObject) =>
  onReply('ping', (reply, ask) => (fits(ask.id) ? change(reply) : reply));

/** Ends the client when it hears something. */
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
  void context.send({ jsonrpc: '2.0', id: null, error: { code: -32000, message: 'What is this?' } });

export const baseFaults = [
  clientFault(
    'client-pong-without-version',
    { what: 'Answers of the client lack the version of JSON-RPC.', breaks: ['base.jsonrpc-2-0'] },
    onReply('ping', reply => without(reply, 'jsonrpc')),
  ),

  clientFault(
    'client-params-in-array',
    { what: 'The client gives the parameters of a request by position.', breaks: ['base.params-object'] },
    onAsk('tools/list', ask => (ask.params === undefined ? { ...ask, params: [] } : ask)),
  ),

  clientFault(
    'client-speaks-as-server',
    { what: 'The client sends log messages to the server.', breaks: ['base.method-of-own-side'] },
    alsoSays(notification('notifications/message', { level: 'info', data: 'Ready.' })),
  ),

  clientFault(
    'client-speaks-of-the-future',
    {
      what: 'The client asks for the tasks of a server that speaks a revision without tasks.',
      breaks: ['lifecycle.respect-version'],
      where: revision => !featuresOf(revision).tasks,
    },
    onOpened(async context => {
      if (!featuresOf(context.revision).tasks) await context.send(asking('tasks', 'tasks/list'));
    }),
  ),

  clientFault(
    'client-arguments-as-text',
    { what: 'The client sends the arguments of a tool as text.', breaks: ['base.schema-valid'] },
    onAsk('tools/call', ask => ({
      ...ask,
      params: { ...paramsOf(ask), arguments: JSON.stringify(paramsOf(ask).arguments ?? {}) },
    })),
  ),

  clientFault(
    'client-id-fraction',
    { what: 'The client has an id that is no integer.', breaks: ['jsonrpc.request-id-string-or-integer'] },
    alsoSays(asking(1.5, 'ping')),
  ),

  clientFault(
    'client-id-null',
    { what: 'The client asks without saying under which id.', breaks: ['jsonrpc.request-id-not-null'] },
    alsoSays(asking(null, 'ping')),
  ),

  clientFault(
    'client-id-used-twice',
    { what: 'The client uses an id again.', breaks: ['jsonrpc.request-id-unique-in-session'] },
    onOpened(async context => {
      const pong = context.keep(() => ({ sent: false }));
      if (pong.sent) return;
      pong.sent = true;
      for (let n = 0; n < 2; n++) await context.send(asking('again', 'ping'));
    }),
  ),

  clientFault(
    'client-notification-with-id',
    { what: 'A notification of the client has an id.', breaks: ['jsonrpc.notification-without-id'] },
    alsoSays(asking('note', roots)),
  ),

  clientFault(
    'client-answers-notifications',
    {
      what: 'The client complains about notifications it does not know.',
      breaks: ['jsonrpc.notification-not-answered'],
    },
    onIncoming((message, context) => {
      const method = isObject(message) && message.id === undefined ? String(message.method) : '';
      if (method.includes('no-such-method')) complain(context);
      return message;
    }),
  ),

  clientFault(
    'client-pong-retyped',
    { what: 'The client answers numbers as words.', breaks: ['jsonrpc.response-id-matches'] },
    onPong(Number.isInteger, reply => ({ ...reply, id: String(reply.id) })),
  ),

  clientFault(
    'client-pong-id-lost',
    { what: 'The client takes an id of 0 for none.', breaks: ['jsonrpc.response-id-matches'] },
    onPong(
      id => id === 0,
      reply => ({ ...reply, id: null }),
    ),
  ),

  clientFault(
    'client-answers-both-ways',
    {
      what: 'The client answers with a result and an error.',
      breaks: ['jsonrpc.result-and-error-exclusive'],
    },
    onReply('*', reply => ('error' in reply ? { ...reply, result: null } : reply)),
  ),

  clientFault(
    'client-answers-neither-way',
    { what: 'The client answers with nothing but an id.', breaks: ['jsonrpc.result-or-error-present'] },
    onReply('ping', reply => without(reply, 'result')),
  ),

  clientFault(
    'client-answers-twice',
    { what: 'The client answers twice.', breaks: ['jsonrpc.request-answered-once'] },
    onReply('ping', (reply, ask) => (String(ask.id).startsWith('together') ? [reply, reply] : reply)),
  ),

  clientFault(
    'client-error-code-as-text',
    {
      what: 'The code of the error about unknown methods is text.',
      breaks: ['jsonrpc.error-code-integer', 'jsonrpc.method-not-found'],
    },
    onRefusal((error, ask) =>
      isForeign(ask) && error.code === -32601 ? { ...error, code: String(error.code) } : error,
    ),
  ),

  clientFault(
    'client-error-without-message',
    { what: 'Errors have no message.', breaks: ['jsonrpc.error-code-and-message'] },
    onRefusal(error => without(error, 'message')),
  ),

  clientFault(
    'client-error-with-stack',
    { what: 'The message of an error is a stack trace.', breaks: ['jsonrpc.error-message-concise'] },
    onRefusal(error => ({ ...error, message: `${error.message}\n    at Client.answer (client.js:1:1)` })),
  ),

  clientFault(
    'client-serves-anything',
    { what: 'The client is content with any method.', breaks: ['jsonrpc.method-not-found'] },
    onReply('*', (reply, ask) =>
      isForeign(ask) && isObject(reply.error) && reply.error.code === codes.methodNotFound
        ? result(ask, {})
        : reply,
    ),
  ),

  clientFault(
    'client-overlooks-envelope',
    {
      what: 'The client serves what says nothing of JSON-RPC 2.0.',
      breaks: ['jsonrpc.invalid-request'],
    },
    onIncoming(message =>
      isObject(message) && typeof message.method === 'string' ? { ...message, jsonrpc: '2.0' } : message,
    ),
  ),

  clientFault(
    'client-dies-of-garbage',
    { what: 'The client dies of what is no JSON.', breaks: ['jsonrpc.parse-error-survived'] },
    onUnreadable((_text, context) => context.exit(1)),
  ),

  clientFault(
    'client-answers-garbage',
    {
      what: 'The client complains about what is no JSON, with a code of its own.',
      breaks: ['jsonrpc.parse-error'],
    },
    onUnreadable((_text, context) => complain(context)),
  ),

  clientFault(
    'client-fears-reserved-metadata',
    {
      what: 'The client refuses what has metadata under a reserved name that it does not know.',
      breaks: ['meta.reserved-values-not-assumed', 'ping.answered-empty'],
    },
    onReply('ping', (reply, ask) => {
      const { _meta: meta } = paramsOf(ask);
      return isObject(meta) && 'dev.mcp/x' in meta ? refusal(ask, codes.invalidParams, 'Reserved') : reply;
    }),
  ),

  clientFault(
    'client-wants-descriptions',
    {
      what: 'The client reads no list with a tool that has no description.',
      breaks: ['base.lawful-results-taken'],
    },
    onResult('tools/list', body =>
      toolsIn({ result: body }).some(tool => tool.description === undefined)
        ? without(body, 'nextCursor')
        : body,
    ),
  ),

  clientFault(
    'client-dies-of-unknown-members',
    { what: 'The client dies of a member it does not know.', breaks: ['base.lawful-results-taken'] },
    diesOf(message => toolsIn(message).some(tool => 'x-unknown' in tool)),
  ),

  clientFault(
    'client-takes-retyped-answers',
    {
      what: 'The client takes an answer whose id is the digits of its own as text.',
      breaks: ['jsonrpc.retyped-answer-not-taken'],
    },
    onIncoming(message =>
      isObject(message) && 'result' in message && typeof message.id === 'string' && digits.test(message.id)
        ? { ...message, id: Number(message.id) }
        : message,
    ),
  ),
];
