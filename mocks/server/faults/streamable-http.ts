/** basic/transports#streamable-http: status codes, headers, origins. */

import { isObject, type Json, parseJson } from '../../../spec/json-rpc.js';
import { fault, onHttp, onHttpRequest, onListens } from '../../fault.js';
import { type HttpReply, type Incoming, isStreaming, jsonReply } from '../http/reply.js';

/** What a client must send back, and what the mock knows it by. */
const spaced = { out: (id: string) => `session ${id}`, back: (id: string) => id.replace(/^session /, '') };

const methodOf = (ask: Incoming): Json | undefined => {
  const message = parseJson(ask.body);
  return isObject(message) ? message.method : undefined;
};

/** As if a header had not been sent. */
const ignoring = (...names: string[]) =>
  onHttpRequest(ask => ({
    ...ask,
    headers: new Map([...ask.headers].filter(([name]) => !names.includes(name))),
  }));

/** Acts where a GET opens a stream beside the first one: that one has to tell what the client waits for. */
const onListening = (change: () => HttpReply) =>
  onHttp((reply, ask, context) => {
    const listens = ask.method === 'GET' && reply.status === 200 && !ask.headers.has('last-event-id');
    return listens && context.count(ask.headers.get('mcp-session-id') ?? '') > 1 ? change() : reply;
  });

export const streamableHttpFaults = [
  fault(
    'bound-everywhere',
    {
      what: 'The server listens at every address of the machine.',
      breaks: ['streamable-http.bind-localhost', 'http-sse.bind-localhost'],
    },
    onListens(() => '0.0.0.0'),
  ),

  fault(
    'accepted-with-200',
    {
      what: 'Notifications and responses are taken with status 200.',
      breaks: ['streamable-http.accepted-202'],
    },
    onHttp((reply, ask) =>
      ask.method === 'POST' && reply.status === 202 ? { ...reply, status: 200 } : reply,
    ),
  ),

  fault(
    'accepted-with-body',
    {
      what: 'Notifications and responses are taken with 202 and a word of thanks.',
      breaks: ['streamable-http.accepted-202'],
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
      what: 'A notification for a session that there is not is refused with status 200 and an error.',
      breaks: ['streamable-http.post-notification-rejected'],
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
      what: 'The answer to a ping is called plain text.',
      breaks: ['streamable-http.request-json-or-sse'],
    },
    onHttp((reply, ask) => {
      const message = parseJson(ask.body);
      const sound = isObject(message) && message.method === 'ping' && message.jsonrpc === '2.0';
      return sound && reply.status === 200
        ? jsonReply(200, { jsonrpc: '2.0', id: message.id!, result: {} }, text)
        : reply;
    }),
  ),

  fault(
    'ping-answered-without-events',
    {
      what: 'The answer to a ping is JSON, and called a stream of events.',
      breaks: ['streamable-http.request-json-or-sse'],
    },
    onHttp((reply, ask) => {
      const message = parseJson(ask.body);
      const plain = isObject(message) && message.method === 'ping' && String(message.id).startsWith('ping-');
      return plain && reply.status === 200
        ? jsonReply(200, { jsonrpc: '2.0', id: message.id!, result: {} }, events)
        : reply;
    }),
  ),

  fault(
    'get-accepted',
    {
      what: 'A second GET opens a stream with status 202.',
      breaks: ['streamable-http.get-sse-or-405'],
    },
    onHttp((reply, ask, context) => {
      const listens = ask.method === 'GET' && reply.status === 200 && !ask.headers.has('last-event-id');
      return listens && context.count(ask.headers.get('mcp-session-id') ?? '') > 1
        ? { ...reply, status: 202 }
        : reply;
    }),
  ),

  fault(
    'get-200-text',
    {
      what: 'A second GET is answered with a greeting for people.',
      breaks: ['streamable-http.get-sse-or-405'],
    },
    onListening(() => ({
      status: 200,
      headers: { 'Content-Type': 'text/plain' },
      body: 'MCP server running',
    })),
  ),

  fault(
    'get-not-found',
    {
      what: 'A second GET is answered with 404, as if there were nothing at this path.',
      breaks: ['streamable-http.get-sse-or-405', 'streamable-http.single-endpoint'],
    },
    onListening(() => ({ status: 404, headers: { 'Content-Type': 'text/html' }, body: 'Cannot GET /mcp' })),
  ),

  fault(
    'origin-unchecked',
    {
      what: 'Web pages of strangers are served.',
      breaks: ['streamable-http.origin-validated', 'streamable-http.origin-403', 'http-sse.origin-validated'],
    },
    ignoring('origin'),
  ),

  fault(
    'origin-checked-by-prefix',
    {
      what: 'An Origin that begins like an allowed one is allowed.',
      breaks: ['streamable-http.origin-validated', 'streamable-http.origin-403', 'http-sse.origin-validated'],
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
      what: 'Web pages of strangers may listen, and end sessions.',
      breaks: ['streamable-http.origin-validated', 'streamable-http.origin-403', 'http-sse.origin-validated'],
    },
    onHttpRequest(ask =>
      ask.method === 'POST'
        ? ask
        : { ...ask, headers: new Map([...ask.headers].filter(([name]) => name !== 'origin')) },
    ),
  ),

  fault(
    'origin-refused-with-400',
    { what: 'A foreign Origin is refused with status 400.', breaks: ['streamable-http.origin-403'] },
    onHttp((reply, ask) =>
      reply.status === 403 && ask.headers.has('origin') ? { ...reply, status: 400 } : reply,
    ),
  ),

  fault(
    'unknown-method-refused-by-http',
    {
      what: 'Requests with unknown methods are refused with status 400 and a text, not with an error.',
      breaks: ['jsonrpc.method-not-found'],
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
    { what: 'The session id has a space in it.', breaks: ['streamable-http.session-id-ascii'] },
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
    { what: 'Any protocol version header will do.', breaks: ['streamable-http.invalid-version-400'] },
    ignoring('mcp-protocol-version'),
  ),

  fault(
    'version-header-404',
    {
      what: 'An unknown protocol version is answered with 404.',
      breaks: ['streamable-http.invalid-version-400'],
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
      what: 'A request without a protocol version is refused.',
      breaks: ['streamable-http.server-default-version'],
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

/** Where a body streams, what happens when the client goes. */
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
