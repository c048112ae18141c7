/** basic/index: faults in error responses and in the handling of invalid requests. */

import { isJson, isObject, type JsonObject, without } from '../../../spec/json-rpc.js';
import { fault, onIncoming, onLine, onReply, refusal, result } from '../../fault.js';
import { codes } from '../refusal.js';
import { isStateless, onUnknownMethod } from './shared.js';

const errorOf = (reply: JsonObject): JsonObject => (isObject(reply.error) ? reply.error : {});

export const errorFaults = [
  fault(
    'error-id-null',
    {
      what: 'The error response to an unknown method has the id null although the id of the request is readable.',
      breaks: ['jsonrpc.response-id-matches'],
      shows: ['jsonrpc.response-id-matches#null-for-readable'],
    },
    onUnknownMethod(reply => ({ ...reply, id: null })),
  ),

  fault(
    'unknown-method-unanswered',
    {
      what: 'A request with an unknown method gets no response.',
      breaks: ['jsonrpc.request-answered-once'],
      shows: ['jsonrpc.request-answered-once#no-response'],
    },
    onUnknownMethod(() => undefined),
  ),

  fault(
    'unknown-method-crashes',
    {
      what: 'The process exits when it receives a request with an unknown method.',
      breaks: ['jsonrpc.request-answered-once'],
      shows: ['jsonrpc.request-answered-once#no-response'],
    },
    onUnknownMethod((_reply, _ask, context) => context.exit(1) as undefined),
  ),

  fault(
    'unknown-method-served',
    {
      what: 'A request with an unknown method returns a result.',
      breaks: ['jsonrpc.unknown-method-refused'],
      shows: ['jsonrpc.unknown-method-refused#served'],
    },
    onUnknownMethod((_reply, ask) => result(ask, {})),
  ),

  fault(
    'method-constructor-served',
    {
      what: 'A request with the method constructor, which objects inherit, returns a result.',
      breaks: ['jsonrpc.unknown-method-refused'],
      shows: ['jsonrpc.unknown-method-refused#inherited-name'],
    },
    onUnknownMethod((reply, ask) => (ask.method === 'constructor' ? result(ask, {}) : reply)),
  ),

  fault(
    'unknown-method-code-zero',
    {
      what: 'The error response to an unknown method has the code 0.',
      breaks: ['jsonrpc.method-not-found'],
      shows: ['jsonrpc.method-not-found#other-code'],
    },
    onUnknownMethod((_reply, ask) => refusal(ask, 0, 'Failed')),
  ),

  fault(
    'unknown-method-invalid-params',
    {
      what: 'The error response to an unknown method has the code -32602.',
      breaks: ['jsonrpc.method-not-found'],
      shows: ['jsonrpc.method-not-found#other-code'],
    },
    onUnknownMethod((_reply, ask) => refusal(ask, codes.invalidParams, 'Invalid request parameters')),
  ),

  fault(
    'error-code-string',
    {
      what: 'The error response to an unknown method has a string as code.',
      breaks: ['jsonrpc.error-code-integer', 'jsonrpc.method-not-found'],
      shows: ['jsonrpc.error-code-integer#text', 'jsonrpc.method-not-found#other-code'],
    },
    onUnknownMethod(reply => ({ ...reply, error: { ...errorOf(reply), code: 'METHOD_NOT_FOUND' } })),
  ),

  fault(
    'error-code-fraction',
    {
      what: 'The error response to an unknown method has a fraction as code.',
      breaks: ['jsonrpc.error-code-integer', 'jsonrpc.method-not-found'],
      shows: ['jsonrpc.error-code-integer#fraction', 'jsonrpc.method-not-found#other-code'],
    },
    onUnknownMethod(reply => ({ ...reply, error: { ...errorOf(reply), code: codes.methodNotFound - 0.5 } })),
  ),

  fault(
    'error-without-message',
    {
      what: 'The error response to an unknown method has no message.',
      breaks: ['jsonrpc.error-code-and-message'],
      shows: ['jsonrpc.error-code-and-message#no-message'],
    },
    onUnknownMethod(reply => ({ ...reply, error: without(errorOf(reply), 'message') })),
  ),

  fault(
    'error-without-code',
    {
      what: 'The error response to an unknown method has no code.',
      breaks: ['jsonrpc.error-code-and-message', 'jsonrpc.method-not-found'],
      shows: ['jsonrpc.error-code-and-message#no-code', 'jsonrpc.method-not-found#no-code'],
    },
    onUnknownMethod(reply => ({ ...reply, error: without(errorOf(reply), 'code') })),
  ),

  fault(
    'error-message-dump',
    {
      what: 'The error response to an unknown method has a stack trace as message.',
      breaks: ['jsonrpc.error-message-concise'],
      shows: ['jsonrpc.error-message-concise#several-lines'],
    },
    onUnknownMethod(reply => ({
      ...reply,
      error: { ...errorOf(reply), message: 'MethodError: no such method\n    at dispatch (server.js:1:2)' },
    })),
  ),

  fault(
    'result-and-error',
    {
      what: 'The error response to an unknown method also has the result null.',
      breaks: ['jsonrpc.result-and-error-exclusive'],
      shows: ['jsonrpc.result-and-error-exclusive#one-null'],
    },
    onUnknownMethod(reply => ({ ...reply, result: null })),
  ),

  fault(
    'envelope-unchecked',
    {
      what: 'A request without the jsonrpc member is served.',
      breaks: ['jsonrpc.invalid-request'],
      shows: ['jsonrpc.invalid-request#envelope-served'],
    },
    onIncoming(message => (isObject(message) ? { ...message, jsonrpc: '2.0' } : message)),
  ),

  fault(
    'notification-with-id-gets-null',
    {
      what: 'A request with the method notifications/cancelled returns the result null.',
      breaks: ['jsonrpc.invalid-request'],
      shows: ['jsonrpc.invalid-request#notification-served'],
    },
    onReply('notifications/cancelled', (_reply, ask) => ({ jsonrpc: '2.0', id: ask.id!, result: null })),
  ),

  fault(
    'earlier-methods-as-invalid',
    {
      what: 'A method of an earlier revision gets error -32600.',
      breaks: ['jsonrpc.method-not-found'],
      shows: ['jsonrpc.method-not-found#earlier-method'],
      where: isStateless,
    },
    onReply(['ping', 'logging/setLevel', 'resources/subscribe'], (reply, ask) =>
      'error' in reply ? refusal(ask, codes.invalidRequest, 'Not in this revision') : reply,
    ),
  ),

  fault(
    'garbage-kills',
    {
      what: 'The process exits when it receives a line that is not JSON.',
      breaks: ['jsonrpc.parse-error-survived'],
      shows: ['jsonrpc.parse-error-survived#exits'],
    },
    onLine((text, context) => (isJson(text) ? text : (context.exit(1) as undefined))),
  ),

  fault(
    'garbage-deafens',
    {
      what: 'No request gets a response after a line that is not JSON.',
      breaks: ['jsonrpc.parse-error-survived'],
      shows: ['jsonrpc.parse-error-survived#deaf'],
    },
    onLine((text, context) => {
      const deaf = context.keep(() => ({ since: false }));
      deaf.since ||= !isJson(text);
      return deaf.since ? undefined : text;
    }),
  ),
];
