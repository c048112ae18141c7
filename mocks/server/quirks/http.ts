/** Unusual but legal HTTP behaviour: status codes, headers and streams of a server. */

import { clauseIn, requirement } from '../../../spec/requirement.js';
import type { Revision } from '../../../spec/revisions.js';
import { onBlock, onHttp, onHttpRequest, quirk } from '../../fault.js';
import { hasHandshake } from '../faults/shared.js';
import { type HttpReply, refuse } from '../http/reply.js';

const hasVersionHeader = (revision: Revision): boolean =>
  clauseIn(requirement('streamable-http.server-default-version'), revision.id) !== undefined;

const statusOfForeignOriginIsFree = (revision: Revision): boolean =>
  revision.transports.includes('streamable-http') &&
  clauseIn(requirement('streamable-http.origin-403'), revision.id) === undefined;

const isJson = ({ headers }: HttpReply): boolean => headers['Content-Type'] === 'application/json';

export const httpQuirks = [
  quirk(
    'version-header-insisted-on',
    {
      what: 'A POST after initialize without an MCP-Protocol-Version header gets status 400.',
      where: hasVersionHeader,
    },
    onHttpRequest(ask =>
      ask.method === 'POST' && ask.headers.has('mcp-session-id') && !ask.headers.has('mcp-protocol-version')
        ? refuse(400, 'The version header is missing.')
        : ask,
    ),
  ),

  quirk(
    'foreign-origin-500',
    {
      what: 'A request with a foreign Origin gets status 500, as from middleware that throws an error.',
      where: statusOfForeignOriginIsFree,
      shows: ['streamable-http.origin-validated#server-error'],
    },
    onHttp((reply, ask) =>
      reply.status === 403 && ask.headers.has('origin') ? { ...reply, status: 500 } : reply,
    ),
  ),

  quirk(
    'delete-with-body',
    { what: 'DELETE gets status 200 and a text.' },
    onHttp((reply, ask) =>
      ask.method === 'DELETE' && reply.status === 204
        ? { status: 200, headers: { 'Content-Type': 'text/plain' }, body: 'The session has ended.' }
        : reply,
    ),
  ),

  quirk(
    'delete-not-offered',
    { what: 'DELETE gets status 405.', shows: ['streamable-http.ended-session-404#no-delete'] },
    onHttpRequest(ask =>
      ask.method === 'DELETE' ? refuse(405, 'Clients cannot end sessions.', { Allow: 'GET, POST' }) : ask,
    ),
  ),

  quirk(
    'no-get-stream',
    {
      what: 'GET gets status 405: the server offers no stream outside of responses.',
      where: revision => revision.transports.includes('streamable-http'),
      shows: ['streamable-http.get-sse-or-405#no-stream', 'streamable-http.single-endpoint#get-405'],
    },
    onHttpRequest(ask =>
      ask.method === 'GET' && ask.headers.get('last-event-id') === undefined
        ? refuse(405, 'There is no stream of messages.', { Allow: 'POST, DELETE' })
        : ask,
    ),
  ),

  quirk(
    'any-content-type-taken',
    {
      what: 'A POST with any media type is accepted.',
      shows: ['streamable-http.media-types-read-as-http#any-type'],
    },
    onHttpRequest(ask =>
      ask.method === 'POST'
        ? { ...ask, headers: new Map(ask.headers).set('content-type', 'application/json') }
        : ask,
    ),
  ),

  quirk(
    'charset-named',
    {
      what: 'JSON responses have a charset parameter in the Content-Type header.',
      shows: ['streamable-http.request-json-or-sse#charset'],
    },
    onHttp(reply =>
      isJson(reply)
        ? { ...reply, headers: { ...reply.headers, 'Content-Type': 'application/json; charset=utf-8' } }
        : reply,
    ),
  ),

  quirk(
    'refusals-in-plain-text',
    {
      what: 'HTTP error responses have a plain text body instead of JSON.',
      where: hasHandshake,
      shows: [
        'jsonrpc.invalid-request#error-without-json',
        'jsonrpc.parse-error#http-without-json',
        'streamable-http.request-json-or-sse#refused',
      ],
    },
    onHttp(reply =>
      reply.status >= 400 && isJson(reply)
        ? { ...reply, headers: { ...reply.headers, 'Content-Type': 'text/plain' }, body: 'Refused.' }
        : reply,
    ),
  ),

  quirk(
    'refusals-as-json-of-a-framework',
    {
      what: 'HTTP error responses without a request id have the JSON object of a web framework as their body.',
      shows: ['base.jsonrpc-2-0#page-of-a-framework'],
    },
    onHttp(reply =>
      reply.status >= 400 && isJson(reply) && JSON.parse(String(reply.body)).id == null
        ? {
            ...reply,
            body: JSON.stringify({ statusCode: reply.status, error: 'Bad Request', message: 'Not valid.' }),
          }
        : reply,
    ),
  ),

  quirk(
    'header-names-in-capitals',
    { what: 'Responses have header names in upper case.' },
    onHttp(reply => ({
      ...reply,
      headers: Object.fromEntries(
        Object.entries(reply.headers).map(([name, value]) => [name.toUpperCase(), value]),
      ),
    })),
  ),

  quirk(
    'events-without-name',
    { what: 'Events of a stream have no event field.', shows: ['http-sse.message-events#unnamed'] },
    onBlock(block => {
      if (typeof block !== 'object' || !('event' in block) || block.event !== 'message') return block;
      const { event: _, ...rest } = block;
      return rest;
    }),
  ),

  quirk(
    'comments-between-events',
    { what: 'Each event of a stream follows a comment.', shows: ['http-sse.endpoint-event#comments'] },
    onBlock(block => [': still here\n\n', block]),
  ),
];
