/** Legal HTTP behaviour of a server without sessions. */

import { isObject, parseObject } from '../../../spec/json-rpc.js';
import {
  quirk as anyQuirk,
  type Middleware,
  onBlock,
  onHttp,
  onHttpRequest,
  type Quirk,
  showing,
} from '../../fault.js';
import { isStateless } from '../faults/shared.js';
import { refuse } from '../http/reply.js';
import { codes } from '../refusal.js';

const quirk = (id: string, what: string, ...middleware: Middleware[]): Quirk =>
  anyQuirk(id, { what, where: isStateless }, ...middleware);

const versionKey = 'io.modelcontextprotocol/protocolVersion';

/** The version in the metadata of a request. */
const versionIn = (body: string): unknown => {
  const { params } = parseObject(body) ?? {};
  const meta = isObject(params) && isObject(params._meta) ? params._meta : {};
  return meta[versionKey];
};

export const statelessHttpQuirks: readonly Quirk[] = [
  showing(
    ['versioning.unsupported-version-error#before-headers', 'http-headers.mismatch-code#version-first'],
    quirk(
      'version-checked-before-headers',
      'A request in an unknown version gets error -32022 also where its headers differ from the body.',
      onHttpRequest(ask => {
        const version = versionIn(ask.body);
        return typeof version === 'string' && !version.startsWith('20')
          ? { ...ask, headers: new Map(ask.headers).set('mcp-protocol-version', version) }
          : ask;
      }),
    ),
  ),
  showing(
    ['error-codes.defined-meaning#version-of-header'],
    quirk(
      'version-of-header-checked-first',
      'A request whose header names an unknown version gets error -32022 about the header, whatever its body names.',
      onHttpRequest(ask => {
        const inHeader = ask.headers.get('mcp-protocol-version') ?? '20';
        const version = versionIn(ask.body);
        return typeof version === 'string' && !inHeader.startsWith('20')
          ? {
              ...ask,
              body: ask.body.replace(`"${versionKey}":"${version}"`, `"${versionKey}":"${inHeader}"`),
            }
          : ask;
      }),
    ),
  ),
  showing(
    ['http-headers.mismatch-code#no-id', 'versioning.unsupported-version-error#no-id'],
    quirk(
      'mismatch-without-id',
      'Errors about versions, and about headers that differ from the body, have no id.',
      onHttp(reply => {
        const json = typeof reply.body === 'string' ? parseObject(reply.body) : undefined;
        const about: readonly unknown[] = [codes.headerMismatch, codes.unsupportedVersion];
        if (!isObject(json?.error) || !about.includes(json.error.code)) return reply;
        return { ...reply, body: JSON.stringify({ jsonrpc: '2.0', error: json.error }) };
      }),
    ),
  ),
  showing(
    ['jsonrpc.parse-error#headers-first'],
    quirk(
      'headers-checked-before-body',
      'A POST without Mcp-Method gets error -32020 also where its body is not JSON.',
      onHttp((reply, ask) => {
        if (ask.method !== 'POST' || ask.headers.has('mcp-method') || parseObject(ask.body)) return reply;
        const error = { code: codes.headerMismatch, message: 'The header Mcp-Method is missing.' };
        return {
          ...refuse(400, ''),
          headers: { 'Content-Type': 'application/json' },
          body: JSON.stringify({ jsonrpc: '2.0', error }),
        };
      }),
    ),
  ),
  quirk(
    'refused-responses-keep-their-id',
    'A POST of a response gets an error with the id of this response.',
    onHttp((reply, ask) => {
      const { id, result, error } = parseObject(ask.body) ?? {};
      if (id === undefined || (result ?? error) === undefined) return reply;
      const refusal = { jsonrpc: '2.0', id, error: { code: codes.invalidRequest, message: 'A response.' } };
      return {
        ...refuse(400, ''),
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify(refusal),
      };
    }),
  ),
  showing(
    ['streamable-http.no-resumption#event-ids'],
    quirk(
      'events-with-ids',
      'Events of streams have ids and a reconnection time, although no stream is resumed.',
      onBlock((block, _ask, context) =>
        typeof block === 'object' && 'data' in block
          ? { ...block, id: `event-${context.count()}`, retry: '5' }
          : block,
      ),
    ),
  ),
  showing(
    ['subscriptions.ack-first#comments-first'],
    quirk(
      'streams-begin-with-comment',
      'Streams begin with a comment and an event without data.',
      onBlock((block, _ask, context) => {
        const isFirst = typeof block === 'object' && context.count() % 2 === 1;
        return isFirst ? [':\r\n\r\n', 'event: ready\ndata:\n\n', block] : block;
      }),
    ),
  ),
  showing(
    ['streamable-http.old-traffic-405#html'],
    quirk(
      'old-traffic-405-in-html',
      'GET and DELETE get status 405 with an HTML page.',
      onHttpRequest(ask =>
        ask.method === 'GET' || ask.method === 'DELETE'
          ? {
              ...refuse(405, ''),
              headers: { 'Content-Type': 'text/html', Allow: 'POST' },
              body: '<!doctype html><title>405</title>',
            }
          : ask,
      ),
    ),
  ),
  quirk(
    'more-headers',
    'Responses have caching, tracing and cookie headers.',
    onHttp((reply, ask) => ({
      ...reply,
      headers: {
        ...reply.headers,
        'Cache-Control': 'no-store',
        'Set-Cookie': 'odd=1; HttpOnly',
        traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
        'MCP-Protocol-Version': ask.headers.get('mcp-protocol-version') ?? '',
      },
    })),
  ),
  showing(
    [
      'streamable-http.request-json-or-sse#errors-as-streams',
      'streamable-http.sse-no-buffering-header#json-too',
    ],
    quirk(
      'errors-as-streams',
      'Errors whose status is 200 arrive in streams, others with a JSON body and the header X-Accel-Buffering.',
      onHttp(reply =>
        reply.status >= 400 ? { ...reply, headers: { ...reply.headers, 'X-Accel-Buffering': 'no' } } : reply,
      ),
    ),
  ),
  quirk(
    'limits-rate',
    'One of eight requests gets status 429 and the time until the next try.',
    onHttpRequest((ask, context) =>
      ask.method === 'POST' && context.count() % 8 === 0
        ? {
            ...refuse(429, ''),
            headers: { 'Content-Type': 'text/plain', 'Retry-After': '1' },
            body: 'Too many.',
          }
        : ask,
    ),
  ),
];
