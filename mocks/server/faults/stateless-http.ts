/** basic/transports/streamable-http: statuses and headers without sessions. */

import { encodeHeader } from '../../../harness/record/mirrored-headers.js';
import { isObject, type Json, type JsonObject, parseObject, without } from '../../../spec/json-rpc.js';
import type { RequirementId } from '../../../spec/requirement.js';
import { fault, onHeaderNames, onHttp, onHttpRequest, showing } from '../../fault.js';
import { featuresOf } from '../features.js';
import { type HttpReply, type Incoming, refuse, streamHeaders } from '../http/reply.js';
import { codes } from '../refusal.js';
import { isStateless } from './shared.js';

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

/** The name that Mcp-Name repeats. */
const nameIn = (ask: Incoming): string | undefined => {
  const name = paramsIn(ask).name ?? paramsIn(ask).uri;
  return typeof name === 'string' ? encodeHeader(name) : undefined;
};

/** Mcp-Param headers that agree with the arguments, in place of those to which `replaces` applies. */
function parameterHeaders(
  ask: Incoming,
  replaces: (header: string | undefined, argument: string) => boolean,
): Readonly<Record<string, string | undefined>> {
  const { name, arguments: args } = paramsIn(ask);
  if (name !== 'test_header_arguments' || !isObject(args)) return {};
  const { region, count, urgent, place } = args;
  const all = { region, count, urgent, zone: isObject(place) ? place.zone : undefined };
  return Object.fromEntries(
    Object.entries(all)
      .map(([argument, value]) => [argument, `mcp-param-${argument}`, value] as const)
      .filter(
        ([argument, header, value]) =>
          value !== undefined && value !== null && replaces(ask.headers.get(header), argument),
      )
      .map(([, header, value]) => [header, encodeHeader(String(value))]),
  );
}

/** The argument that Mcp-Param-Region repeats. */
function regionIn(ask: Incoming): Json | undefined {
  const { name, arguments: args } = paramsIn(ask);
  return name === 'test_header_arguments' && isObject(args) ? args.region : undefined;
}

/** All rows about the status and the code of header mismatches. */
const mismatches = [
  'http-headers.missing-version-rejected',
  'http-headers.version-mismatch-rejected',
  'http-headers.param-mismatch-400',
] as const;

export const statelessHttpFaults = [
  showing(
    [
      'http-headers.mismatch-rejected#method',
      'http-headers.missing-standard-rejected#method',
      'http-headers.values-case-sensitive#any-case',
    ],
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
  ),

  showing(
    [
      'http-headers.mismatch-rejected#name',
      'http-headers.missing-standard-rejected#name',
      'http-headers.sentinel-decoded#not-compared',
      'http-headers.values-case-sensitive#name-any-case',
    ],
    unchecked(
      'name-header-unchecked',
      'Mcp-Name is not compared with the body.',
      [
        'http-headers.mismatch-rejected',
        'http-headers.missing-standard-rejected',
        'http-headers.sentinel-decoded',
        'http-headers.values-case-sensitive',
      ],
      ask => {
        const name = paramsIn(ask).name ?? paramsIn(ask).uri;
        return typeof name === 'string' ? { 'mcp-name': name } : {};
      },
    ),
  ),

  showing(
    ['http-headers.sentinel-decoded#tool-names-only'],
    unchecked(
      'sentinel-decoded-for-tools-only',
      'Mcp-Name in Base64 is decoded for tools/call, and compared without decoding for prompts and resources.',
      ['http-headers.sentinel-decoded'],
      ask => {
        const isEncoded = ask.headers.get('mcp-name')?.startsWith('=?base64?');
        return isEncoded && bodyOf(ask).method !== 'tools/call' ? { 'mcp-name': 'encoded' } : {};
      },
    ),
  ),

  showing(
    ['http-headers.values-case-sensitive#parameter-any-case'],
    unchecked(
      'parameter-header-in-any-case',
      'Texts in Mcp-Param headers are compared with the arguments without regard to letter case.',
      ['http-headers.values-case-sensitive'],
      ask => {
        const region = regionIn(ask);
        if (typeof region !== 'string') return {};
        const right = encodeHeader(region);
        const isSame = ask.headers.get('mcp-param-region')?.toLowerCase() === right.toLowerCase();
        return isSame ? { 'mcp-param-region': right } : {};
      },
    ),
  ),

  showing(
    ['http-headers.param-not-expected-when-absent#null-refused'],
    unchecked(
      'parameter-header-of-null-demanded',
      'A tools/call whose annotated argument is null is refused for its missing header.',
      ['http-headers.param-not-expected-when-absent'],
      ask => (regionIn(ask) === null ? { 'mcp-param-region': 'none' } : {}),
    ),
  ),

  showing(
    ['http-headers.values-case-sensitive#any-case'],
    unchecked(
      'method-header-in-any-case',
      'Mcp-Method is compared without regard to letter case.',
      ['http-headers.values-case-sensitive'],
      ask => ({
        'mcp-method': ask.headers
          .get('mcp-method')
          ?.toLowerCase()
          .replace('createm', 'createM')
          .replace('setl', 'setL'),
      }),
    ),
  ),

  showing(
    ['http-headers.values-case-sensitive#name-any-case'],
    unchecked(
      'name-header-in-any-case',
      'Mcp-Name is compared with the body without regard to letter case.',
      ['http-headers.values-case-sensitive'],
      ask => {
        const name = nameIn(ask);
        const isSame = ask.headers.get('mcp-name')?.toLowerCase() === name?.toLowerCase();
        return isSame && name !== undefined ? { 'mcp-name': name } : {};
      },
    ),
  ),

  showing(
    ['http-headers.missing-version-rejected#served', 'http-headers.version-mismatch-rejected#served'],
    unchecked(
      'version-header-not-compared',
      'MCP-Protocol-Version is not compared with the body.',
      ['http-headers.version-mismatch-rejected', 'http-headers.missing-version-rejected'],
      ask => (versionIn(ask) === undefined ? {} : { 'mcp-protocol-version': versionIn(ask) }),
    ),
  ),

  fault(
    'earlier-methods-with-200',
    {
      what: 'The error -32601 about a method of an earlier revision has the status 200.',
      breaks: ['streamable-http.method-not-found-404'],
      shows: ['streamable-http.method-not-found-404#earlier-method'],
    },
    onHttp((reply, ask) =>
      ['ping', 'logging/setLevel'].includes(String(bodyOf(ask).method)) &&
      isError(reply, codes.methodNotFound)
        ? { ...reply, status: 200 }
        : reply,
    ),
  ),

  fault(
    'version-of-body-unread',
    {
      what: 'A request is served in the version of MCP-Protocol-Version, whatever version its body has.',
      breaks: ['http-headers.version-mismatch-rejected'],
      shows: ['http-headers.version-mismatch-rejected#body-unread'],
    },
    onHttpRequest(ask => {
      const [header, own] = [ask.headers.get('mcp-protocol-version'), versionIn(ask)];
      if (header === undefined || own === undefined) return ask;
      return { ...ask, body: ask.body.replace(JSON.stringify(own), JSON.stringify(header)) };
    }),
  ),

  showing(
    ['http-headers.sentinel-decoded#raw-compared'],
    unchecked(
      'sentinel-not-decoded',
      'Mcp-Name in Base64 is compared without decoding.',
      ['http-headers.sentinel-decoded'],
      ask => (ask.headers.get('mcp-name')?.startsWith('=?base64?') ? { 'mcp-name': 'encoded' } : {}),
    ),
  ),

  showing(
    [
      'http-headers.param-invalid-characters#unchecked',
      'http-headers.param-missing-rejected#served',
      'http-headers.param-validated#served',
      'http-headers.values-case-sensitive#parameter-any-case',
    ],
    unchecked(
      'parameter-headers-unchecked',
      'Mcp-Param headers are not compared with the arguments.',
      [
        'http-headers.param-validated',
        'http-headers.param-missing-rejected',
        'http-headers.param-invalid-characters',
        'http-headers.values-case-sensitive',
      ],
      ask => parameterHeaders(ask, () => true),
    ),
  ),

  showing(
    [
      'http-headers.param-not-expected-when-absent#refused',
      'error-codes.defined-meaning#header-code-for-matching',
    ],
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
  ),

  showing(
    ['http-headers.integers-numeric#as-text'],
    unchecked(
      'parameter-integers-as-text',
      'Integers in Mcp-Param headers are compared as texts.',
      ['http-headers.integers-numeric'],
      ask => (ask.headers.get('mcp-param-count')?.includes('.') ? { 'mcp-param-count': 'other' } : {}),
    ),
  ),

  fault(
    'header-names-in-one-case',
    {
      what: 'A POST whose header is spelled MCP-METHOD is refused as one without Mcp-Method.',
      breaks: ['http-headers.names-case-insensitive'],
      shows: ['http-headers.names-case-insensitive#method-header'],
    },
    onHeaderNames(names =>
      names.includes('MCP-METHOD') ? refuse(400, 'The header Mcp-Method is missing.') : undefined,
    ),
  ),

  fault(
    'header-mismatch-other-code',
    {
      what: 'A request whose headers differ from the body gets error -32600.',
      breaks: ['http-headers.mismatch-code', ...mismatches],
      shows: [
        'http-headers.mismatch-code#other-code',
        'http-headers.missing-version-rejected#other-code',
        'http-headers.param-mismatch-400#other-code',
        'http-headers.version-mismatch-rejected#other-code',
      ],
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
      shows: [
        'http-headers.mismatch-http-400#other-error-status',
        'http-headers.missing-version-rejected#other-status',
        'http-headers.param-mismatch-400#other-status',
        'http-headers.version-mismatch-rejected#other-status',
      ],
    },
    onHttp(reply => (isError(reply, codes.headerMismatch) ? { ...reply, status: 422 } : reply)),
  ),

  showing(
    ['meta.missing-field-http-400#other-error-status'],
    otherStatus(
      'missing-field-422',
      codes.invalidParams,
      422,
      'meta.missing-field-http-400',
      'A request without a required member of its metadata gets status 422.',
    ),
  ),
  showing(
    ['meta.missing-capability-http-400#other-error-status'],
    otherStatus(
      'missing-capability-403',
      codes.missingClientCapability,
      403,
      'meta.missing-capability-http-400',
      'A request without a needed capability gets status 403.',
    ),
  ),
  showing(
    ['http-headers.unsupported-version-400#other-error-status'],
    otherStatus(
      'unsupported-version-406',
      codes.unsupportedVersion,
      406,
      'http-headers.unsupported-version-400',
      'A request in an unknown version gets status 406.',
    ),
  ),

  fault(
    'old-traffic-404',
    {
      what: 'GET and DELETE get status 404.',
      breaks: ['streamable-http.old-traffic-405'],
      shows: ['streamable-http.old-traffic-405#other-error'],
    },
    onHttpRequest(ask => (ask.method === 'POST' ? ask : refuse(404, 'There is nothing here.'))),
  ),

  fault(
    'last-event-id-refused',
    {
      what: 'A POST with Last-Event-ID is refused.',
      breaks: ['streamable-http.old-last-event-id-ignored', 'streamable-http.no-resumption'],
      shows: ['streamable-http.no-resumption#refused', 'streamable-http.old-last-event-id-ignored#refused'],
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
      shows: ['streamable-http.old-session-header-ignored#refused'],
      where: revision => revision.era === 'modern',
    },
    onHttpRequest(ask => (ask.headers.has('mcp-session-id') ? refuse(404, 'No sessions.') : ask)),
  ),

  showing(
    ['streamable-http.method-not-found-404#status-200'],
    otherStatus(
      'unknown-method-200',
      codes.methodNotFound,
      200,
      'streamable-http.method-not-found-404',
      'A request with an unknown method gets status 200.',
    ),
  ),

  fault(
    'streams-buffered',
    {
      what: 'Streams have no header X-Accel-Buffering.',
      breaks: ['streamable-http.sse-no-buffering-header'],
      shows: ['streamable-http.sse-no-buffering-header#missing'],
    },
    onHttp(reply => ({ ...reply, headers: without(reply.headers, 'X-Accel-Buffering') })),
  ),

  fault(
    'session-minted',
    {
      what: 'Responses contain a session id although the revision has no sessions.',
      breaks: ['streamable-http.old-session-header-ignored'],
      shows: ['streamable-http.old-session-header-ignored#minted'],
      where: revision => featuresOf(revision).inputRounds,
    },
    onHttp(reply => ({ ...reply, headers: { ...reply.headers, 'Mcp-Session-Id': 'minted' } })),
  ),

  showing(
    ['http-headers.missing-standard-rejected#method'],
    unchecked(
      'method-header-not-needed',
      'A POST without Mcp-Method is served.',
      ['http-headers.missing-standard-rejected'],
      ask => {
        const { method } = bodyOf(ask);
        return typeof method === 'string' && !ask.headers.has('mcp-method') ? { 'mcp-method': method } : {};
      },
    ),
  ),

  showing(
    ['http-headers.missing-standard-rejected#name'],
    unchecked(
      'name-header-not-needed',
      'A POST without Mcp-Name is served.',
      ['http-headers.missing-standard-rejected'],
      ask => {
        const name = nameIn(ask);
        return name !== undefined && !ask.headers.has('mcp-name') ? { 'mcp-name': name } : {};
      },
    ),
  ),

  ...(['tools/call', 'prompts/get', 'resources/read'] as const).map(method =>
    unchecked(
      `name-header-unchecked-of-${method.replace('/', '-')}`,
      `Mcp-Name of ${method} is not compared with the body.`,
      [
        'http-headers.mismatch-rejected',
        'http-headers.sentinel-decoded',
        ...(method === 'resources/read' ? [] : (['http-headers.values-case-sensitive'] as const)),
      ],
      ask => {
        const name = nameIn(ask);
        const isOther = bodyOf(ask).method === method && ask.headers.has('mcp-name');
        return name !== undefined && isOther ? { 'mcp-name': name } : {};
      },
    ),
  ),

  unchecked(
    'name-header-unchecked-of-tasks',
    'Mcp-Name of requests about tasks is not compared with the body.',
    ['http-headers.mismatch-rejected'],
    ask => {
      const { taskId } = paramsIn(ask);
      const isOther = typeof taskId === 'string' && ask.headers.has('mcp-name');
      return isOther ? { 'mcp-name': encodeHeader(taskId) } : {};
    },
  ),

  showing(
    ['http-headers.mismatch-rejected#method'],
    unchecked(
      'method-header-unchecked-if-known',
      'A POST whose Mcp-Method is prompts/get is served, whatever method the body has.',
      ['http-headers.mismatch-rejected'],
      ask => {
        const { method } = bodyOf(ask);
        return ask.headers.get('mcp-method') === 'prompts/get' && typeof method === 'string'
          ? { 'mcp-method': method }
          : {};
      },
    ),
  ),

  showing(
    ['http-headers.missing-version-rejected#served'],
    unchecked(
      'version-header-not-needed',
      'A POST without MCP-Protocol-Version is served.',
      ['http-headers.missing-version-rejected'],
      ask =>
        versionIn(ask) !== undefined && !ask.headers.has('mcp-protocol-version')
          ? { 'mcp-protocol-version': versionIn(ask) }
          : {},
    ),
  ),

  showing(
    ['http-headers.version-mismatch-rejected#served'],
    unchecked(
      'version-header-mismatch-served',
      'A POST whose MCP-Protocol-Version differs from the body is served.',
      ['http-headers.version-mismatch-rejected'],
      ask =>
        versionIn(ask) !== undefined && ask.headers.has('mcp-protocol-version')
          ? { 'mcp-protocol-version': versionIn(ask) }
          : {},
    ),
  ),

  showing(
    ['http-headers.param-validated#served'],
    unchecked(
      'parameter-header-mismatch-served',
      'A tools/call whose Mcp-Param header differs from the argument is served.',
      ['http-headers.param-validated', 'http-headers.values-case-sensitive'],
      ask => parameterHeaders(ask, (header = '=?base64?') => /^(?!=\?base64\?)[\t\x20-\x7e]*$/.test(header)),
    ),
  ),

  ...(['urgent', 'zone'] as const).map(argument =>
    unchecked(
      `parameter-header-unchecked-of-${argument}`,
      `A tools/call whose header Mcp-Param-${argument} differs from the argument is served.`,
      ['http-headers.param-validated'],
      ask => parameterHeaders(ask, (header, of) => of === argument && header !== undefined),
    ),
  ),

  unchecked(
    'parameter-header-in-latin-1-served',
    'A tools/call whose Mcp-Param header has characters that are not ASCII is served.',
    ['http-headers.param-invalid-characters'],
    ask => parameterHeaders(ask, header => /[^\t\x20-\x7e]/.test(header ?? '')),
  ),

  unchecked(
    'parameter-sentinel-refused',
    'A tools/call with an Mcp-Param header in Base64 is refused.',
    ['http-headers.sentinel-decoded'],
    ask =>
      [...ask.headers].some(([name, value]) => name.startsWith('mcp-param-') && value.startsWith('=?base64?'))
        ? { 'mcp-method': 'encoded' }
        : {},
  ),

  showing(
    ['http-headers.param-missing-rejected#served'],
    unchecked(
      'parameter-header-not-needed',
      'A tools/call without the Mcp-Param header of an argument is served.',
      ['http-headers.param-missing-rejected'],
      ask => parameterHeaders(ask, header => header === undefined),
    ),
  ),

  showing(
    ['http-headers.param-invalid-characters#invalid-base64-served'],
    unchecked(
      'parameter-header-garbage-served',
      'A tools/call whose Mcp-Param header is invalid Base64 is served.',
      ['http-headers.param-invalid-characters'],
      ask => parameterHeaders(ask, header => header?.includes('%') === true),
    ),
  ),

  showing(
    ['http-headers.sentinel-decoded#raw-compared'],
    unchecked(
      'sentinel-refused',
      'A POST with any header in Base64 is refused.',
      ['http-headers.sentinel-decoded'],
      ask =>
        [...ask.headers.values()].some(value => value.startsWith('=?base64?'))
          ? { 'mcp-method': 'encoded' }
          : {},
    ),
  ),

  fault(
    'parameter-header-of-marks-500',
    {
      what: 'A tools/call whose Mcp-Param header has only the marks of the encoding, =?base64?=, gets status 500.',
      breaks: ['http-headers.param-mismatch-400'],
      shows: ['http-headers.param-mismatch-400#marks-only'],
    },
    onHttp((reply, ask) =>
      [...ask.headers.values()].includes('=?base64?=')
        ? { status: 500, headers: { 'Content-Type': 'text/plain' }, body: 'Internal error' }
        : reply,
    ),
  ),

  fault(
    'header-mismatch-200',
    {
      what: 'The error about headers that differ from the body has status 200.',
      breaks: ['http-headers.mismatch-http-400', ...mismatches],
      shows: [
        'http-headers.mismatch-http-400#status-200',
        'http-headers.missing-version-rejected#other-status',
        'http-headers.param-mismatch-400#other-status',
        'http-headers.version-mismatch-rejected#other-status',
      ],
    },
    onHttp(reply => (isError(reply, codes.headerMismatch) ? { ...reply, status: 200 } : reply)),
  ),

  fault(
    'header-mismatch-plain-text',
    {
      what: 'The refusal of headers that differ from the body is a text without an error code.',
      breaks: ['http-headers.mismatch-code', ...mismatches],
      shows: [
        'http-headers.mismatch-code#no-json',
        'http-headers.missing-version-rejected#no-json',
        'http-headers.param-mismatch-400#no-json',
        'http-headers.version-mismatch-rejected#no-json',
      ],
    },
    onHttp(reply =>
      isError(reply, codes.headerMismatch)
        ? { ...reply, headers: { 'Content-Type': 'text/plain' }, body: 'The headers differ from the body.' }
        : reply,
    ),
  ),

  ...([-32602, -32603] as const).map(code =>
    fault(
      `header-mismatch-code${code}`,
      {
        what: `A request whose headers differ from the body gets error ${code}.`,
        breaks: ['http-headers.mismatch-code', ...mismatches],
      },
      onHttp(reply =>
        isError(reply, codes.headerMismatch)
          ? { ...reply, body: String(reply.body).replace(String(codes.headerMismatch), String(code)) }
          : reply,
      ),
    ),
  ),

  showing(
    ['meta.missing-field-http-400#status-200'],
    otherStatus(
      'missing-field-200',
      codes.invalidParams,
      200,
      'meta.missing-field-http-400',
      'The error about a missing member of the metadata has status 200.',
    ),
  ),
  showing(
    ['meta.missing-capability-http-400#status-200'],
    otherStatus(
      'missing-capability-200',
      codes.missingClientCapability,
      200,
      'meta.missing-capability-http-400',
      'The error about a missing capability has status 200.',
    ),
  ),
  showing(
    ['http-headers.unsupported-version-400#status-200'],
    otherStatus(
      'unsupported-version-200',
      codes.unsupportedVersion,
      200,
      'http-headers.unsupported-version-400',
      'The error about an unknown version has status 200.',
    ),
  ),
  showing(
    ['streamable-http.method-not-found-404#other-error-status'],
    otherStatus(
      'unknown-method-400',
      codes.methodNotFound,
      400,
      'streamable-http.method-not-found-404',
      'A request with an unknown method gets status 400.',
    ),
  ),
  showing(
    ['streamable-http.method-not-found-404#other-error-status'],
    otherStatus(
      'unknown-method-501',
      codes.methodNotFound,
      501,
      'streamable-http.method-not-found-404',
      'A request with an unknown method gets status 501.',
    ),
  ),

  fault(
    'old-get-streams',
    {
      what: 'GET opens a stream.',
      breaks: ['streamable-http.old-traffic-405'],
      shows: ['streamable-http.old-traffic-405#get-served'],
      where: isStateless,
    },
    onHttp((reply, ask) =>
      ask.method === 'GET' && reply.status === 405
        ? { status: 200, headers: streamHeaders, body: { start: () => () => {} } }
        : reply,
    ),
  ),

  fault(
    'old-get-resumes',
    {
      what: 'GET with Last-Event-ID opens a stream.',
      breaks: ['streamable-http.no-resumption'],
      shows: ['streamable-http.no-resumption#get-resumes'],
      where: isStateless,
    },
    onHttp((reply, ask) =>
      ask.method === 'GET' && reply.status === 405 && ask.headers.has('last-event-id')
        ? { status: 200, headers: streamHeaders, body: { start: () => () => {} } }
        : reply,
    ),
  ),

  fault(
    'old-delete-accepted',
    {
      what: 'DELETE gets status 204.',
      breaks: ['streamable-http.old-traffic-405'],
      shows: ['streamable-http.old-traffic-405#delete-served'],
      where: isStateless,
    },
    onHttp((reply, ask) =>
      ask.method === 'DELETE' && reply.status === 405 ? { status: 204, headers: {} } : reply,
    ),
  ),

  fault(
    'session-id-returned',
    {
      what: 'A response repeats the session id of the request.',
      breaks: ['streamable-http.old-session-header-ignored'],
      shows: ['streamable-http.old-session-header-ignored#returned'],
      where: isStateless,
    },
    onHttp((reply, ask) => {
      const id = ask.headers.get('mcp-session-id');
      return id === undefined ? reply : { ...reply, headers: { ...reply.headers, 'Mcp-Session-Id': id } };
    }),
  ),

  fault(
    'session-id-of-discover',
    {
      what: 'The response to server/discover has a session id.',
      breaks: ['streamable-http.old-session-header-ignored'],
      shows: ['streamable-http.old-session-header-ignored#minted'],
      where: isStateless,
    },
    onHttp((reply, ask) =>
      bodyOf(ask).method === 'server/discover'
        ? { ...reply, headers: { ...reply.headers, 'Mcp-Session-Id': 'discovered' } }
        : reply,
    ),
  ),

  fault(
    'last-event-id-resumes',
    {
      what: 'A POST with Last-Event-ID gets an empty stream.',
      breaks: [
        'streamable-http.old-last-event-id-ignored',
        'streamable-http.no-resumption',
        'jsonrpc.request-answered-once',
      ],
      shows: [
        'streamable-http.no-resumption#resumes',
        'streamable-http.old-last-event-id-ignored#resumes',
        'jsonrpc.request-answered-once#stream-ends',
      ],
    },
    onHttpRequest(ask =>
      ask.headers.has('last-event-id') && ask.method === 'POST'
        ? {
            status: 200,
            headers: { ...streamHeaders, 'X-Accel-Buffering': 'no' },
            body: {
              start: writer => {
                writer.close();
                return () => {};
              },
            },
          }
        : ask,
    ),
  ),

  fault(
    'streams-buffered-explicitly',
    {
      what: 'Streams have the header X-Accel-Buffering with the value yes.',
      breaks: ['streamable-http.sse-no-buffering-header'],
      shows: ['streamable-http.sse-no-buffering-header#yes-value'],
      where: isStateless,
    },
    onHttp(reply =>
      'X-Accel-Buffering' in reply.headers
        ? { ...reply, headers: { ...reply.headers, 'X-Accel-Buffering': 'yes' } }
        : reply,
    ),
  ),

  fault(
    'name-header-in-one-case',
    {
      what: 'A POST whose header is spelled mcp-name is refused as one without Mcp-Name.',
      breaks: ['http-headers.names-case-insensitive'],
      shows: ['http-headers.names-case-insensitive#name-header'],
    },
    onHeaderNames(names =>
      names.includes('mcp-name') ? refuse(400, 'The header Mcp-Name is missing.') : undefined,
    ),
  ),
];
