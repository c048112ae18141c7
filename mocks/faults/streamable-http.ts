/** basic/transports#streamable-http: status codes, headers, what a stream carries. */

import { fault, onHttp, onHttpRequest } from '../fault.js';

/** What a client must send back, and what the mock knows it by. */
const spaced = { out: (id: string) => `session ${id}`, back: (id: string) => id.replace(/^session /, '') };

export const streamableHttpFaults = [
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
    'get-200-text',
    {
      what: 'GET is answered with a greeting for people.',
      breaks: ['streamable-http.get-sse-or-405'],
    },
    onHttp((reply, ask) =>
      ask.method === 'GET' && reply.status === 200 && !ask.headers.has('last-event-id')
        ? { status: 200, headers: { 'Content-Type': 'text/plain' }, body: 'MCP server running' }
        : reply,
    ),
  ),

  fault(
    'session-id-with-space',
    {
      what: 'The session id has a space in it.',
      breaks: ['streamable-http.session-id-ascii'],
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
];
