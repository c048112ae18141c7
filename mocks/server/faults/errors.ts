/** basic/index: faults in error responses and in the handling of invalid requests. */

import { isJson, isObject, type JsonObject, without } from '../../../spec/json-rpc.js';
import { fault, onIncoming, onLine, refusal, result } from '../../fault.js';
import { codes } from '../refusal.js';
import { onUnknownMethod } from './shared.js';

const errorOf = (reply: JsonObject): JsonObject => (isObject(reply.error) ? reply.error : {});

export const errorFaults = [
  fault(
    'error-id-null',
    {
      what: 'The error response to an unknown method has the id null although the id of the request is readable.',
      breaks: ['jsonrpc.response-id-matches'],
    },
    onUnknownMethod(reply => ({ ...reply, id: null })),
  ),

  fault(
    'unknown-method-unanswered',
    { what: 'A request with an unknown method gets no response.', breaks: ['jsonrpc.request-answered-once'] },
    onUnknownMethod(() => undefined),
  ),

  fault(
    'unknown-method-crashes',
    {
      what: 'The process exits when it receives a request with an unknown method.',
      breaks: ['jsonrpc.request-answered-once'],
    },
    onUnknownMethod((_reply, _ask, context) => context.exit(1) as undefined),
  ),

  fault(
    'unknown-method-served',
    {
      what: 'A request with an unknown method returns a result.',
      breaks: ['jsonrpc.unknown-method-refused'],
    },
    onUnknownMethod((_reply, ask) => result(ask, {})),
  ),

  fault(
    'unknown-method-code-zero',
    { what: 'The error response to an unknown method has the code 0.', breaks: ['jsonrpc.method-not-found'] },
    onUnknownMethod((_reply, ask) => refusal(ask, 0, 'Failed')),
  ),

  fault(
    'unknown-method-invalid-params',
    {
      what: 'The error response to an unknown method has the code -32602.',
      breaks: ['jsonrpc.method-not-found'],
    },
    onUnknownMethod((_reply, ask) => refusal(ask, codes.invalidParams, 'Invalid request parameters')),
  ),

  fault(
    'error-code-string',
    {
      what: 'The error response to an unknown method has a string as code.',
      breaks: ['jsonrpc.error-code-integer', 'jsonrpc.method-not-found'],
    },
    onUnknownMethod(reply => ({ ...reply, error: { ...errorOf(reply), code: 'METHOD_NOT_FOUND' } })),
  ),

  fault(
    'error-code-fraction',
    {
      what: 'The error response to an unknown method has a fraction as code.',
      breaks: ['jsonrpc.error-code-integer', 'jsonrpc.method-not-found'],
    },
    onUnknownMethod(reply => ({ ...reply, error: { ...errorOf(reply), code: codes.methodNotFound - 0.5 } })),
  ),

  fault(
    'error-without-message',
    {
      what: 'The error response to an unknown method has no message.',
      breaks: ['jsonrpc.error-code-and-message'],
    },
    onUnknownMethod(reply => ({ ...reply, error: without(errorOf(reply), 'message') })),
  ),

  fault(
    'error-without-code',
    {
      what: 'The error response to an unknown method has no code.',
      breaks: ['jsonrpc.error-code-and-message', 'jsonrpc.method-not-found'],
    },
    onUnknownMethod(reply => ({ ...reply, error: without(errorOf(reply), 'code') })),
  ),

  fault(
    'error-message-dump',
    {
      what: 'The error response to an unknown method has a stack trace as message.',
      breaks: ['jsonrpc.error-message-concise'],
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
    },
    onUnknownMethod(reply => ({ ...reply, result: null })),
  ),

  fault(
    'envelope-unchecked',
    { what: 'A request without the jsonrpc member is served.', breaks: ['jsonrpc.invalid-request'] },
    onIncoming(message => (isObject(message) ? { ...message, jsonrpc: '2.0' } : message)),
  ),

  fault(
    'garbage-kills',
    {
      what: 'The process exits when it receives a line that is not JSON.',
      breaks: ['jsonrpc.parse-error-survived'],
    },
    onLine((text, context) => (isJson(text) ? text : (context.exit(1) as undefined))),
  ),

  fault(
    'garbage-deafens',
    {
      what: 'No request gets a response after a line that is not JSON.',
      breaks: ['jsonrpc.parse-error-survived'],
    },
    onLine((text, context) => {
      const deaf = context.keep(() => ({ since: false }));
      deaf.since ||= !isJson(text);
      return deaf.since ? undefined : text;
    }),
  ),
];
