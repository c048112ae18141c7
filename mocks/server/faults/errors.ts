/** basic/index: what cannot be served, and how that is said. */

import { isJson, isObject, type JsonObject, without } from '../../../spec/json-rpc.js';
import { fault, onIncoming, onLine, refusal, result } from '../../fault.js';
import { codes } from '../refusal.js';
import { onUnknownMethod } from './shared.js';

const errorOf = (reply: JsonObject): JsonObject => (isObject(reply.error) ? reply.error : {});

export const errorFaults = [
  fault(
    'error-id-null',
    {
      what: 'The error for an unknown method has a null id although the id could be read.',
      breaks: ['jsonrpc.response-id-matches'],
    },
    onUnknownMethod(reply => ({ ...reply, id: null })),
  ),

  fault(
    'unknown-method-unanswered',
    { what: 'Requests with unknown methods are dropped.', breaks: ['jsonrpc.request-answered-once'] },
    onUnknownMethod(() => undefined),
  ),

  fault(
    'unknown-method-crashes',
    {
      what: 'The process dies of a request with an unknown method.',
      breaks: ['jsonrpc.request-answered-once'],
    },
    onUnknownMethod((_reply, _ask, context) => context.exit(1) as undefined),
  ),

  fault(
    'unknown-method-served',
    { what: 'Unknown methods succeed.', breaks: ['jsonrpc.method-not-found'] },
    onUnknownMethod((_reply, ask) => result(ask, {})),
  ),

  fault(
    'unknown-method-code-zero',
    { what: 'Unknown methods are refused with code 0.', breaks: ['jsonrpc.method-not-found'] },
    onUnknownMethod((_reply, ask) => refusal(ask, 0, 'Failed')),
  ),

  fault(
    'unknown-method-invalid-params',
    { what: 'Unknown methods are refused as invalid params.', breaks: ['jsonrpc.method-not-found'] },
    onUnknownMethod((_reply, ask) => refusal(ask, codes.invalidParams, 'Invalid request parameters')),
  ),

  fault(
    'error-code-string',
    {
      what: 'Error codes of unknown methods are words.',
      breaks: ['jsonrpc.error-code-integer', 'jsonrpc.method-not-found'],
    },
    onUnknownMethod(reply => ({ ...reply, error: { ...errorOf(reply), code: 'METHOD_NOT_FOUND' } })),
  ),

  fault(
    'error-code-fraction',
    {
      what: 'Error codes of unknown methods are fractions.',
      breaks: ['jsonrpc.error-code-integer', 'jsonrpc.method-not-found'],
    },
    onUnknownMethod(reply => ({ ...reply, error: { ...errorOf(reply), code: codes.methodNotFound - 0.5 } })),
  ),

  fault(
    'error-without-message',
    { what: 'Errors for unknown methods have no message.', breaks: ['jsonrpc.error-code-and-message'] },
    onUnknownMethod(reply => ({ ...reply, error: without(errorOf(reply), 'message') })),
  ),

  fault(
    'error-without-code',
    {
      what: 'Errors for unknown methods have no code.',
      breaks: ['jsonrpc.error-code-and-message', 'jsonrpc.method-not-found'],
    },
    onUnknownMethod(reply => ({ ...reply, error: without(errorOf(reply), 'code') })),
  ),

  fault(
    'error-message-dump',
    {
      what: 'Error messages of unknown methods are a stack trace.',
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
      what: 'Errors for unknown methods come with a null result beside them.',
      breaks: ['jsonrpc.result-and-error-exclusive'],
    },
    onUnknownMethod(reply => ({ ...reply, result: null })),
  ),

  fault(
    'envelope-unchecked',
    { what: 'Requests without a jsonrpc member are served.', breaks: ['jsonrpc.invalid-request'] },
    onIncoming(message => (isObject(message) ? { ...message, jsonrpc: '2.0' } : message)),
  ),

  fault(
    'garbage-kills',
    {
      what: 'The process dies of a line that is not JSON.',
      breaks: ['jsonrpc.parse-error-survived'],
    },
    onLine((text, context) => (isJson(text) ? text : (context.exit(1) as undefined))),
  ),

  fault(
    'garbage-deafens',
    {
      what: 'After a line that is not JSON nothing is answered any more.',
      breaks: ['jsonrpc.parse-error-survived'],
    },
    onLine((text, context) => {
      const deaf = context.keep(() => ({ since: false }));
      deaf.since ||= !isJson(text);
      return deaf.since ? undefined : text;
    }),
  ),
];
