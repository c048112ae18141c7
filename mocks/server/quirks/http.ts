/** Oddities of HTTP: what a server may do with status codes, headers and streams. */

import { clauseIn, requirement } from '../../../spec/requirement.js';
import type { Revision } from '../../../spec/revisions.js';
import { onBlock, onHttp, onHttpRequest, quirk } from '../../fault.js';
import { type HttpReply, refuse } from '../http/reply.js';

const hasVersionHeader = (revision: Revision): boolean =>
  clauseIn(requirement('streamable-http.server-default-version'), revision.id) !== undefined;

const isJson = ({ headers }: HttpReply): boolean => headers['Content-Type'] === 'application/json';

export const httpQuirks = [
  quirk(
    'version-header-insisted-on',
    {
      what: 'Requests after the handshake without a version header are refused with 400.',
      where: hasVersionHeader,
    },
    onHttpRequest(ask =>
      ask.method === 'POST' && ask.headers.has('mcp-session-id') && !ask.headers.has('mcp-protocol-version')
        ? refuse(400, 'The version header is missing.')
        : ask,
    ),
  ),

  quirk(
    'delete-with-body',
    { what: 'DELETE is answered with 200 and a text.' },
    onHttp((reply, ask) =>
      ask.method === 'DELETE' && reply.status === 204
        ? { status: 200, headers: { 'Content-Type': 'text/plain' }, body: 'The session has ended.' }
        : reply,
    ),
  ),

  quirk(
    'delete-not-offered',
    { what: 'Sessions are not ended by clients: DELETE is answered with 405.' },
    onHttpRequest(ask =>
      ask.method === 'DELETE' ? refuse(405, 'Sessions end by themselves.', { Allow: 'GET, POST' }) : ask,
    ),
  ),

  quirk(
    'any-content-type-taken',
    { what: 'The media type of a POST does not matter.' },
    onHttpRequest(ask =>
      ask.method === 'POST'
        ? { ...ask, headers: new Map(ask.headers).set('content-type', 'application/json') }
        : ask,
    ),
  ),

  quirk(
    'charset-named',
    { what: 'JSON answers name their character set.' },
    onHttp(reply =>
      isJson(reply)
        ? { ...reply, headers: { ...reply.headers, 'Content-Type': 'application/json; charset=utf-8' } }
        : reply,
    ),
  ),

  quirk(
    'refusals-in-plain-text',
    { what: 'Refusals have a text as body, and no JSON.' },
    onHttp(reply =>
      reply.status >= 400 && isJson(reply)
        ? { ...reply, headers: { ...reply.headers, 'Content-Type': 'text/plain' }, body: 'Refused.' }
        : reply,
    ),
  ),

  quirk(
    'header-names-in-capitals',
    { what: 'Names of headers are in upper case.' },
    onHttp(reply => ({
      ...reply,
      headers: Object.fromEntries(
        Object.entries(reply.headers).map(([name, value]) => [name.toUpperCase(), value]),
      ),
    })),
  ),

  quirk(
    'events-without-name',
    { what: 'Events of a stream do not say that they are messages.' },
    onBlock(block => {
      if (typeof block !== 'object' || !('event' in block) || block.event !== 'message') return block;
      const { event: _, ...rest } = block;
      return rest;
    }),
  ),

  quirk(
    'comments-between-events',
    { what: 'Each event of a stream comes after a comment.' },
    onBlock(block => [': still here\n\n', block]),
  ),
];
