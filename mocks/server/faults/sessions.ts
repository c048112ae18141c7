/** basic/transports#session-management. */

import { isObject, parseJson } from '../../../spec/json-rpc.js';
import { findRevision } from '../../../spec/revisions.js';
import { fault, onHttp, onHttpRequest, refusal } from '../../fault.js';
import { jsonReply, streamHeaders } from '../http/reply.js';
import { codes } from '../refusal.js';
import { askedIn, hasHandshake } from './shared.js';

const nobody = (status: number, message: string) =>
  jsonReply(status, { jsonrpc: '2.0', id: null, error: { code: -32_000, message } });

const isNotification = (body: string): boolean => {
  const message = parseJson(body);
  return isObject(message) && 'method' in message && !('id' in message);
};

export const sessionFaults = [
  fault(
    'session-id-counted',
    {
      what: 'The initialize responses have consecutive numbers as session ids.',
      breaks: ['streamable-http.session-id-secure'],
      shows: ['streamable-http.session-id-secure#counted'],
    },
    onHttp((reply, _ask, context) => {
      const id = reply.headers['Mcp-Session-Id'];
      if (id === undefined) return reply;
      const ids = context.keep(() => new Map<string, string>());
      const number = String(ids.size + 1);
      ids.set(number, id);
      return { ...reply, headers: { ...reply.headers, 'Mcp-Session-Id': number } };
    }),
    onHttpRequest((ask, context) => {
      const ids = context.keep(() => new Map<string, string>());
      const id = ids.get(ask.headers.get('mcp-session-id') ?? '');
      return id === undefined ? ask : { ...ask, headers: new Map(ask.headers).set('mcp-session-id', id) };
    }),
  ),

  fault(
    'missing-session-401',
    {
      what: 'A POST without a session id gets status 401.',
      breaks: ['streamable-http.missing-session-400'],
      shows: ['streamable-http.missing-session-400#other-error'],
    },
    onHttp((reply, ask) =>
      ask.method === 'POST' && reply.status === 400 && !ask.headers.has('mcp-session-id')
        ? { ...reply, status: 401 }
        : reply,
    ),
  ),

  fault(
    'missing-session-200',
    {
      what: 'A ping without a session id gets status 200 and a JSON-RPC error.',
      breaks: ['streamable-http.missing-session-400'],
      shows: ['streamable-http.missing-session-400#error-with-200'],
    },
    onHttp((reply, ask) => {
      const ping = askedIn(ask, 'ping');
      if (!ping || reply.status !== 400 || ask.headers.has('mcp-session-id')) return reply;
      const error = refusal(ping, codes.methodNotFound, 'There is no session.');
      return { status: 200, headers: streamHeaders, body: `data: ${JSON.stringify(error)}\n\n` };
    }),
  ),

  fault(
    'ended-session-400',
    {
      what: 'A request with the id of an ended session gets status 400.',
      breaks: ['streamable-http.ended-session-404'],
      shows: ['streamable-http.ended-session-404#other-error'],
    },
    onHttp(reply => (reply.status === 404 ? { ...reply, status: 400 } : reply)),
  ),

  fault(
    'ended-session-served',
    {
      what: 'DELETE without an Origin header, in a version that exists, gets status 200 and does not end the session.',
      breaks: ['streamable-http.ended-session-404'],
      shows: ['streamable-http.ended-session-404#served'],
    },
    onHttpRequest(ask => {
      const version = ask.headers.get('mcp-protocol-version');
      const isSound = version === undefined || findRevision(version) !== undefined;
      const isOwn = ask.method === 'DELETE' && !ask.headers.has('origin');
      return isOwn && isSound ? { status: 200, headers: {} } : ask;
    }),
  ),

  fault(
    'notification-of-ended-session-taken',
    {
      what: 'A POST of a notification with the id of an ended session gets status 202.',
      breaks: ['streamable-http.ended-session-404'],
      shows: ['streamable-http.ended-session-404#notification-taken'],
    },
    onHttp((reply, ask) =>
      reply.status === 404 && ask.headers.has('mcp-session-id') && isNotification(ask.body)
        ? { status: 202, headers: {} }
        : reply,
    ),
  ),

  fault(
    'session-refused-with-500',
    {
      what: 'A POST with the id of an ended session gets status 500.',
      breaks: ['streamable-http.ended-session-404'],
      shows: ['streamable-http.ended-session-404#server-error'],
    },
    onHttp((reply, ask) =>
      ask.method === 'POST' && reply.status === 404 ? nobody(500, 'Internal error') : reply,
    ),
  ),

  fault(
    'session-lost-to-garbage',
    {
      what: 'A POST of JSON that is not a message gets status 400 and ends the session.',
      breaks: ['jsonrpc.invalid-request'],
      shows: ['jsonrpc.invalid-request#session-lost'],
      over: ['streamable-http'],
      where: hasHandshake,
    },
    onHttp((reply, ask, context) => {
      const json = parseJson(ask.body);
      const isMessage = isObject(json) && json.jsonrpc === '2.0';
      const lost = context.keep(() => new Set<string>());
      if (ask.method === 'POST' && reply.status === 400 && json !== undefined && !isMessage)
        lost.add(ask.headers.get('mcp-session-id') ?? '');
      return reply;
    }),
    onHttpRequest((ask, context) => {
      const lost = context.keep(() => new Set<string>());
      return lost.has(ask.headers.get('mcp-session-id') ?? '') ? nobody(404, 'Session not found') : ask;
    }),
  ),
];
