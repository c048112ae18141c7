/** basic/transports#streamable-http: status codes, headers, origins. */

import { isObject, type Json, parseJson } from '../../../spec/json-rpc.js';
import { fault, onHttp, onHttpRequest, onListens } from '../../fault.js';
import { type HttpReply, type Incoming, isStreaming, jsonReply, refuse } from '../http/reply.js';
import { askedIn, hasHandshake } from './shared.js';

/** The session id in responses, and the id it stands for. */
const spaced = { out: (id: string) => `session ${id}`, back: (id: string) => id.replace(/^session /, '') };

const methodOf = (ask: Incoming): Json | undefined => {
  const message = parseJson(ask.body);
  return isObject(message) ? message.method : undefined;
};

const withoutHeaders = (ask: Incoming, ...names: string[]): Incoming => ({
  ...ask,
  headers: new Map([...ask.headers].filter(([name]) => !names.includes(name))),
});

/** Handles requests as if a header were missing. */
const ignoring = (...names: string[]) => onHttpRequest(ask => withoutHeaders(ask, ...names));

/** Acts when a GET opens a second stream: the first one carries the messages that the client waits for. */
const onListening = (change: () => HttpReply) =>
  onHttp((reply, ask, context) => {
    const listens = ask.method === 'GET' && reply.status === 200 && !ask.headers.has('last-event-id');
    return listens && context.count(ask.headers.get('mcp-session-id') ?? '') > 1 ? change() : reply;
  });

export const streamableHttpFaults = [
  fault(
    'bound-everywhere',
    {
      what: 'The server listens on every address of the machine.',
      breaks: ['streamable-http.bind-localhost', 'http-sse.bind-localhost'],
      shows: ['http-sse.bind-localhost#reached', 'streamable-http.bind-localhost#reached'],
    },
    onListens(() => '0.0.0.0'),
  ),

  fault(
    'accepted-with-200',
    {
      what: 'A POST of a notification or a response gets status 200.',
      breaks: ['streamable-http.accepted-202'],
      shows: ['streamable-http.accepted-202#status-200'],
    },
    onHttp((reply, ask) =>
      ask.method === 'POST' && reply.status === 202 ? { ...reply, status: 200 } : reply,
    ),
  ),

  fault(
    'accepted-with-body',
    {
      what: 'A POST of a notification or a response gets status 202 with a body.',
      breaks: ['streamable-http.accepted-202'],
      shows: ['streamable-http.accepted-202#body'],
    },
    onHttp((reply, ask) =>
      ask.method === 'POST' && reply.status === 202
        ? { status: 202, headers: { 'Content-Type': 'text/plain' }, body: 'Accepted' }
        : reply,
    ),
  ),

  fault(
    'notification-refused-with-200',
    {
      what: 'A notification with an unknown or missing session id gets status 200 and an error.',
      breaks: ['streamable-http.post-notification-rejected'],
      shows: ['streamable-http.post-notification-rejected#status-200'],
      where: hasHandshake,
    },
    onHttp((reply, ask) => {
      const message = parseJson(ask.body);
      const note = isObject(message) && 'method' in message && !('id' in message);
      return note && (reply.status === 404 || reply.status === 400) ? { ...reply, status: 200 } : reply;
    }),
  ),

  fault(
    'ping-answered-as-text',
    {
      what: 'The response to ping has the media type text/plain.',
      breaks: ['streamable-http.request-json-or-sse'],
      shows: ['streamable-http.request-json-or-sse#other-type'],
      where: hasHandshake,
    },
    onHttp((reply, ask) => {
      const ping = askedIn(ask, 'ping');
      return ping?.jsonrpc === '2.0' && reply.status === 200
        ? jsonReply(200, { jsonrpc: '2.0', id: ping.id!, result: {} }, text)
        : reply;
    }),
  ),

  fault(
    'ping-answered-without-events',
    {
      what: 'The response to ping is JSON with the media type text/event-stream.',
      breaks: ['streamable-http.request-json-or-sse'],
      shows: ['streamable-http.request-json-or-sse#no-events'],
      where: hasHandshake,
    },
    onHttp((reply, ask) => {
      const ping = askedIn(ask, 'ping');
      return String(ping?.id).startsWith('ping-') && reply.status === 200
        ? jsonReply(200, { jsonrpc: '2.0', id: ping!.id!, result: {} }, events)
        : reply;
    }),
  ),

  fault(
    'get-accepted',
    {
      what: 'A second GET opens a stream with status 202.',
      breaks: ['streamable-http.get-sse-or-405'],
      shows: ['streamable-http.get-sse-or-405#status-202'],
    },
    onHttp((reply, ask, context) => {
      const listens = ask.method === 'GET' && reply.status === 200 && !ask.headers.has('last-event-id');
      return listens && context.count(ask.headers.get('mcp-session-id') ?? '') > 1
        ? { ...reply, status: 202 }
        : reply;
    }),
  ),

  fault(
    'get-once-only',
    {
      what: 'A second GET gets status 409.',
      breaks: ['streamable-http.second-get-stream'],
      shows: ['streamable-http.second-get-stream#refused'],
      where: hasHandshake,
    },
    onListening(() => ({ status: 409, headers: { 'Content-Type': 'text/plain' }, body: 'One stream only' })),
  ),

  fault(
    'get-200-text',
    {
      what: 'A second GET gets status 200 and plain text.',
      breaks: ['streamable-http.get-sse-or-405'],
      shows: ['streamable-http.get-sse-or-405#other-type'],
    },
    onListening(() => ({
      status: 200,
      headers: { 'Content-Type': 'text/plain' },
      body: 'MCP server running',
    })),
  ),

  fault(
    'get-not-acceptable',
    {
      what: 'Each GET that resumes no stream gets status 406.',
      breaks: ['streamable-http.get-sse-or-405'],
      where: hasHandshake,
    },
    onHttpRequest(ask =>
      ask.method === 'GET' && ask.headers.get('last-event-id') === undefined
        ? refuse(406, 'The client has to accept application/json too.')
        : ask,
    ),
  ),

  fault(
    'get-not-found',
    {
      what: 'A second GET gets status 404.',
      breaks: ['streamable-http.get-sse-or-405', 'streamable-http.single-endpoint'],
      shows: ['streamable-http.get-sse-or-405#status-404', 'streamable-http.single-endpoint#get-404'],
      where: hasHandshake,
    },
    onListening(() => ({ status: 404, headers: { 'Content-Type': 'text/html' }, body: 'Cannot GET /mcp' })),
  ),

  fault(
    'origin-unchecked',
    {
      what: 'A request with a foreign Origin is served.',
      breaks: ['streamable-http.origin-validated', 'streamable-http.origin-403', 'http-sse.origin-validated'],
      shows: [
        'http-sse.origin-validated#unchecked',
        'streamable-http.origin-403#unchecked',
        'streamable-http.origin-validated#unchecked',
      ],
    },
    ignoring('origin'),
  ),

  fault(
    'origin-checked-by-prefix',
    {
      what: 'A request with an Origin that begins with http://localhost is served.',
      breaks: ['streamable-http.origin-validated', 'streamable-http.origin-403', 'http-sse.origin-validated'],
      shows: [
        'http-sse.origin-validated#by-prefix',
        'streamable-http.origin-403#by-prefix',
        'streamable-http.origin-validated#by-prefix',
      ],
    },
    onHttpRequest(ask =>
      ask.headers.get('origin')?.startsWith('http://localhost')
        ? { ...ask, headers: new Map([...ask.headers].filter(([name]) => name !== 'origin')) }
        : ask,
    ),
  ),

  fault(
    'origin-checked-of-posts-only',
    {
      what: 'GET and DELETE with a foreign Origin are served.',
      breaks: ['streamable-http.origin-validated', 'streamable-http.origin-403', 'http-sse.origin-validated'],
      shows: [
        'http-sse.origin-validated#posts-only',
        'streamable-http.origin-403#posts-only',
        'streamable-http.origin-validated#posts-only',
      ],
      where: hasHandshake,
    },
    onHttpRequest(ask =>
      ask.method === 'POST'
        ? ask
        : { ...ask, headers: new Map([...ask.headers].filter(([name]) => name !== 'origin')) },
    ),
  ),

  fault(
    'origin-unchecked-of-initialize',
    {
      what: 'initialize with a foreign Origin is served.',
      breaks: ['streamable-http.origin-validated', 'streamable-http.origin-403'],
      shows: ['streamable-http.origin-403#initialize', 'streamable-http.origin-validated#initialize'],
      where: hasHandshake,
    },
    onHttpRequest(ask => (askedIn(ask, 'initialize') ? withoutHeaders(ask, 'origin') : ask)),
  ),

  fault(
    'origin-refused-with-400',
    {
      what: 'A request with a foreign Origin gets status 400.',
      breaks: ['streamable-http.origin-403'],
      shows: ['streamable-http.origin-403#other-status'],
    },
    onHttp((reply, ask) =>
      reply.status === 403 && ask.headers.has('origin') ? { ...reply, status: 400 } : reply,
    ),
  ),

  fault(
    'unknown-method-refused-by-http',
    {
      what: 'A request with an unknown method gets status 400 and text instead of a JSON-RPC error.',
      breaks: ['jsonrpc.method-not-found'],
      shows: ['jsonrpc.method-not-found#no-json-rpc-error'],
    },
    onHttpRequest(ask => {
      const message = parseJson(ask.body);
      const unknown =
        isObject(message) && 'id' in message && /^(mcp-|pingx|tools\/listx)/.test(String(message.method));
      return unknown ? { status: 400, headers: { 'Content-Type': 'text/plain' }, body: 'Not handled.' } : ask;
    }),
  ),

  fault(
    'session-id-with-space',
    {
      what: 'The initialize response has a session id with a space.',
      breaks: ['streamable-http.session-id-ascii'],
      shows: ['streamable-http.session-id-ascii#other-character'],
    },
    onHttp(reply => {
      const id = reply.headers['Mcp-Session-Id'];
      return id === undefined
        ? reply
        : { ...reply, headers: { ...reply.headers, 'Mcp-Session-Id': spaced.out(id) } };
    }),
    onHttpRequest(ask => {
      const id = ask.headers.get('mcp-session-id');
      return id === undefined
        ? ask
        : { ...ask, headers: new Map(ask.headers).set('mcp-session-id', spaced.back(id)) };
    }),
  ),

  fault(
    'version-header-unchecked',
    {
      what: 'A request with any MCP-Protocol-Version header is served.',
      breaks: ['streamable-http.invalid-version-400'],
      shows: ['streamable-http.invalid-version-400#served'],
    },
    ignoring('mcp-protocol-version'),
  ),

  fault(
    'version-header-of-posts-only',
    {
      what: 'GET and DELETE with any MCP-Protocol-Version header are served.',
      breaks: ['streamable-http.invalid-version-400'],
      shows: ['streamable-http.invalid-version-400#posts-only'],
    },
    onHttpRequest(ask => (ask.method === 'POST' ? ask : withoutHeaders(ask, 'mcp-protocol-version'))),
  ),

  fault(
    'unreadable-body-deafens',
    {
      what: 'After a POST whose body is not JSON, each POST of the session gets status 503.',
      breaks: ['jsonrpc.parse-error-survived'],
      shows: ['jsonrpc.parse-error-survived#deaf-over-http'],
      over: ['streamable-http'],
      where: hasHandshake,
    },
    onHttpRequest((ask, context) => {
      const deaf = context.keep(() => new Set<string>());
      const session = ask.headers.get('mcp-session-id');
      if (ask.method !== 'POST' || session === undefined) return ask;
      if (parseJson(ask.body) === undefined) deaf.add(session);
      return deaf.has(session) ? refuse(503, 'The session is broken.') : ask;
    }),
  ),

  fault(
    'unreadable-body-is-internal-error',
    {
      what: 'A POST whose body is not JSON gets an internal error.',
      breaks: ['jsonrpc.parse-error'],
      shows: ['jsonrpc.parse-error#other-code-over-http'],
      over: ['streamable-http'],
    },
    onHttp((reply, ask) =>
      ask.method === 'POST' && parseJson(ask.body) === undefined && typeof reply.body === 'string'
        ? { ...reply, body: reply.body.replace('-32700', '-32603') }
        : reply,
    ),
  ),

  fault(
    'version-header-404',
    {
      what: 'A request with an unknown MCP-Protocol-Version header gets status 404.',
      breaks: ['streamable-http.invalid-version-400'],
      shows: ['streamable-http.invalid-version-400#other-status'],
    },
    onHttp((reply, ask) =>
      reply.status === 400 && ask.headers.get('mcp-protocol-version') === 'banana'
        ? { ...reply, status: 404 }
        : reply,
    ),
  ),

  fault(
    'version-header-demanded',
    {
      what: 'A ping without an MCP-Protocol-Version header is rejected.',
      breaks: ['streamable-http.server-default-version'],
      shows: ['streamable-http.server-default-version#refused'],
    },
    onHttpRequest(ask =>
      methodOf(ask) === 'ping' && !ask.headers.has('mcp-protocol-version')
        ? jsonReply(400, { jsonrpc: '2.0', id: null, error: { code: -32_000, message: 'Which version?' } })
        : ask,
    ),
  ),
];

const text = { 'Content-Type': 'text/plain' };
const events = { 'Content-Type': 'text/event-stream' };

/** Acts when the client disconnects from a streaming body. */
export const onGone =
  (act: () => void) =>
  (reply: HttpReply): HttpReply => {
    const { body } = reply;
    if (!isStreaming(body)) return reply;
    const start: typeof body.start = writer => {
      const stop = body.start(writer);
      return () => {
        stop();
        act();
      };
    };
    return { ...reply, body: { start } };
  };
