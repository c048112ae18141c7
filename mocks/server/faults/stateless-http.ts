/** basic/transports/streamable-http: statuses and headers without sessions. */

import { isObject, type JsonObject, parseObject, without } from '../../../spec/json-rpc.js';
import type { RequirementId } from '../../../spec/requirement.js';
import { fault, onHttp, onHttpRequest } from '../../fault.js';
import { featuresOf } from '../features.js';
import { type HttpReply, type Incoming, refuse } from '../http/reply.js';
import { codes } from '../refusal.js';

/** Whether a response is an error with the code. */
const isError = ({ body }: HttpReply, code: number): boolean => {
  const { error } = (typeof body === 'string' ? parseObject(body) : undefined) ?? {};
  return (error as { code?: unknown } | undefined)?.code === code;
};

/** Errors with a code get another status. */
const otherStatus = (id: string, code: number, status: number, row: RequirementId, what: string) =>
  fault(
    id,
    { what, breaks: [row] },
    onHttp(reply => (isError(reply, code) ? { ...reply, status } : reply)),
  );

/** The request with other values of headers; undefined removes a header. */
function withHeaders(ask: Incoming, changes: Readonly<Record<string, string | undefined>>): Incoming {
  const headers = new Map(ask.headers);
  for (const [name, value] of Object.entries(changes))
    if (value === undefined) headers.delete(name);
    else headers.set(name, value);
  return { ...ask, headers };
}

const bodyOf = (ask: Incoming): JsonObject => parseObject(ask.body) ?? {};
const paramsIn = (ask: Incoming): JsonObject => {
  const { params } = bodyOf(ask);
  return isObject(params) ? params : {};
};
const versionIn = (ask: Incoming): string | undefined => {
  const { _meta: meta } = paramsIn(ask);
  const version = isObject(meta) ? meta['io.modelcontextprotocol/protocolVersion'] : undefined;
  return typeof version === 'string' ? version : undefined;
};

/** Headers that the server does not compare with the body. */
const unchecked = (
  id: string,
  what: string,
  breaks: readonly [RequirementId, ...RequirementId[]],
  changes: (ask: Incoming) => Readonly<Record<string, string | undefined>>,
) =>
  fault(
    id,
    { what, breaks },
    onHttpRequest(ask => (ask.body === '' ? ask : withHeaders(ask, changes(ask)))),
  );

/** All rows about the status and the code of header mismatches. */
const mismatches = [
  'http-headers.missing-version-rejected',
  'http-headers.version-mismatch-rejected',
  'http-headers.param-mismatch-400',
] as const;

export const statelessHttpFaults = [
  unchecked(
    'method-header-unchecked',
    'Mcp-Method is not compared with the body.',
    [
      'http-headers.mismatch-rejected',
      'http-headers.missing-standard-rejected',
      'http-headers.values-case-sensitive',
    ],
    ask => (typeof bodyOf(ask).method === 'string' ? { 'mcp-method': String(bodyOf(ask).method) } : {}),
  ),

  unchecked(
    'name-header-unchecked',
    'Mcp-Name is not compared with the body.',
    [
      'http-headers.mismatch-rejected',
      'http-headers.missing-standard-rejected',
      'http-headers.sentinel-decoded',
    ],
    ask => {
      const name = paramsIn(ask).name ?? paramsIn(ask).uri;
      return typeof name === 'string' ? { 'mcp-name': name } : {};
    },
  ),

  unchecked(
    'method-header-in-any-case',
    'Mcp-Method is compared without regard to letter case.',
    ['http-headers.values-case-sensitive'],
    ask => ({ 'mcp-method': ask.headers.get('mcp-method')?.toLowerCase().replace('createm', 'createM') }),
  ),

  unchecked(
    'version-header-not-compared',
    'MCP-Protocol-Version is not compared with the body.',
    ['http-headers.version-mismatch-rejected', 'http-headers.missing-version-rejected'],
    ask => (versionIn(ask) === undefined ? {} : { 'mcp-protocol-version': versionIn(ask) }),
  ),

  unchecked(
    'sentinel-not-decoded',
    'Mcp-Name in Base64 is compared without decoding.',
    ['http-headers.sentinel-decoded'],
    ask => (ask.headers.get('mcp-name')?.startsWith('=?base64?') ? { 'mcp-name': 'encoded' } : {}),
  ),

  unchecked(
    'parameter-headers-unchecked',
    'Mcp-Param headers are not compared with the arguments.',
    [
      'http-headers.param-validated',
      'http-headers.param-missing-rejected',
      'http-headers.param-invalid-characters',
    ],
    ask => {
      const { name, arguments: args } = paramsIn(ask);
      if (name !== 'test_header_arguments' || !isObject(args)) return {};
      const text = (value: unknown) => (value === undefined ? undefined : String(value));
      return { 'mcp-param-region': text(args.region), 'mcp-param-count': text(args.count) };
    },
  ),

  unchecked(
    'parameter-headers-demanded',
    'A tools/call without an optional argument is refused for its missing header.',
    ['http-headers.param-not-expected-when-absent', 'error-codes.defined-meaning'],
    ask => {
      const { name, arguments: args } = paramsIn(ask);
      const isAbsent = name === 'test_header_arguments' && isObject(args) && args.region === undefined;
      return isAbsent ? { 'mcp-param-region': 'none' } : {};
    },
  ),

  unchecked(
    'parameter-integers-as-text',
    'Integers in Mcp-Param headers are compared as texts.',
    ['http-headers.integers-numeric'],
    ask => (ask.headers.get('mcp-param-count')?.includes('.') ? { 'mcp-param-count': 'other' } : {}),
  ),

  fault(
    'header-mismatch-other-code',
    {
      what: 'A request whose headers differ from the body gets error -32600.',
      breaks: ['http-headers.mismatch-code', ...mismatches],
    },
    onHttp(reply =>
      isError(reply, codes.headerMismatch)
        ? { ...reply, body: String(reply.body).replace(String(codes.headerMismatch), '-32600') }
        : reply,
    ),
  ),

  fault(
    'header-mismatch-422',
    {
      what: 'A request whose headers differ from the body gets status 422.',
      breaks: ['http-headers.mismatch-http-400', ...mismatches],
    },
    onHttp(reply => (isError(reply, codes.headerMismatch) ? { ...reply, status: 422 } : reply)),
  ),

  otherStatus(
    'missing-field-422',
    codes.invalidParams,
    422,
    'meta.missing-field-http-400',
    'A request without a required member of its metadata gets status 422.',
  ),
  otherStatus(
    'missing-capability-403',
    codes.missingClientCapability,
    403,
    'meta.missing-capability-http-400',
    'A request without a needed capability gets status 403.',
  ),
  otherStatus(
    'unsupported-version-406',
    codes.unsupportedVersion,
    406,
    'http-headers.unsupported-version-400',
    'A request in an unknown version gets status 406.',
  ),

  fault(
    'old-traffic-404',
    {
      what: 'GET and DELETE get status 404.',
      breaks: ['streamable-http.old-traffic-405'],
    },
    onHttpRequest(ask => (ask.method === 'POST' ? ask : refuse(404, 'There is nothing here.'))),
  ),

  fault(
    'last-event-id-refused',
    {
      what: 'A POST with Last-Event-ID is refused.',
      breaks: ['streamable-http.old-last-event-id-ignored', 'streamable-http.no-resumption'],
    },
    onHttpRequest(ask =>
      ask.headers.has('last-event-id') ? refuse(400, 'Streams cannot be resumed.') : ask,
    ),
  ),

  fault(
    'session-id-refused',
    {
      what: 'A POST with a session id is refused.',
      breaks: ['streamable-http.old-session-header-ignored'],
      where: revision => revision.era === 'modern',
    },
    onHttpRequest(ask => (ask.headers.has('mcp-session-id') ? refuse(404, 'No sessions.') : ask)),
  ),

  otherStatus(
    'unknown-method-200',
    codes.methodNotFound,
    200,
    'streamable-http.method-not-found-404',
    'A request with an unknown method gets status 200.',
  ),

  fault(
    'streams-buffered',
    {
      what: 'Streams have no header X-Accel-Buffering.',
      breaks: ['streamable-http.sse-no-buffering-header'],
    },
    onHttp(reply => ({ ...reply, headers: without(reply.headers, 'X-Accel-Buffering') })),
  ),

  fault(
    'session-minted',
    {
      what: 'Responses contain a session id although the revision has no sessions.',
      breaks: ['streamable-http.old-session-header-ignored'],
      where: revision => featuresOf(revision).inputRounds,
    },
    onHttp(reply => ({ ...reply, headers: { ...reply.headers, 'Mcp-Session-Id': 'minted' } })),
  ),
];
