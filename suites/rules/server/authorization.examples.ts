import type { Json } from '../../../spec/json-rpc.js';
import { type ExampleTable, tableWith } from '../example.test.util.js';
import { ask, body, end, event } from '../http-events.test.util.js';
import { error, type Line, notification, request, result } from '../record.test.util.js';

const json = 'application/json';
const url = 'http://localhost/mcp';
const list = request(1, 'tools/list');
const metadataUrl = 'http://localhost/.well-known/oauth-protected-resource/mcp';
const elsewhere = 'http://localhost/metadata';
const plain = `Bearer scope="a", resource_metadata="${metadataUrl}"`;

/** A refusal. @param token whether the request contained one */
const refused = (
  challenge: string | undefined,
  { token = false, status = 401, query = '', sent = {} } = {},
): Line[] => [
  ...ask(1, 'POST', list, status, undefined, {
    url: `${url}${query}`,
    sent: token ? { Authorization: 'Bearer ~12345678' } : sent,
    headers: challenge === undefined ? {} : { 'WWW-Authenticate': challenge },
  }),
  end(1),
];

const document = { resource: url, authorization_servers: ['https://auth.example'], scopes_supported: ['a'] };

/** A metadata document that is found after a refusal. */
const found = (
  changes: object = {},
  { status = 200, headers = [['Content-Type', json]] as [string, string][], at = metadataUrl } = {},
): Line[] => [
  { kind: 'http-request', exchange: 2, method: 'GET', url: at, headers: [], endpoint: 'resource-metadata' },
  { kind: 'http-response', exchange: 2, status, headers },
  { kind: 'http-body', exchange: 2, text: JSON.stringify({ ...document, ...changes } as Json) },
  { kind: 'http-end', exchange: 2, by: 'server' },
];

const typed = (type: string): [string, string][] => [['Content-Type', type]];

const about = tableWith({ transport: 'streamable-http', url });

const noMetadata = { also: ['auth.challenge-resource-metadata'] } as const;
const bare = { when: (r: { authorization?: { bareRefusal: boolean } }) => !r.authorization?.bareRefusal };

export const examples: ExampleTable = about({
  'auth.challenge-present': {
    good: [
      refused(plain),
      { lines: refused(`Basic realm="x", ${plain}`), shows: 'several' },
      { lines: refused(plain.replace('Bearer', 'bearer'), { token: true }), shows: 'lower-case' },
      { lines: refused(plain.replace('Bearer', 'DPoP'), { token: true }), shows: 'dpop' },
    ],
    legal: [
      { lines: refused(undefined, { status: 403 }), shows: 'forbidden' },
      {
        lines: refused(undefined, { query: '?access_token=a' }),
        when: r => r.authorization?.bareRefusal === true,
        shows: 'token-in-query',
      },
    ],
    bad: [
      { lines: refused(undefined, { token: true }), ...noMetadata, shows: 'none' },
      { lines: refused('Bearer', { token: true }), ...noMetadata, shows: 'no-params' },
      { lines: refused('Basic realm="x"', { token: true }), ...noMetadata, shows: 'other-scheme' },
      { lines: refused(undefined), ...noMetadata, ...bare, shows: 'none-without-token' },
    ],
  },
  'auth.challenge-syntax': {
    good: [
      refused(plain.replace('"a"', '"files:read files:write"')),
      { lines: refused(`Bearer realm="a, \\"b\\"", x=1 , ${plain.replace('Bearer ', '')}`), shows: 'quoted' },
    ],
    legal: [{ lines: refused(undefined, { status: 403 }), isUnobserved: true }],
    bad: [
      { lines: refused(`${plain}, scope="b"`), shows: 'twice' },
      { lines: refused(`${plain}, error="éx"`, { token: true }), shows: 'character' },
      { lines: refused(`${plain}, error="xé"`, { token: true }), shows: 'character' },
      { lines: refused(plain.replace('"a"', '"a  b"')), shows: 'scope-separators' },
      { lines: refused('Bearer scope="a'), ...noMetadata, shows: 'quotes-open' },
      {
        lines: refused(`Bearer scope="a", resource_metadata=${metadataUrl}`),
        ...noMetadata,
        shows: 'unquoted',
      },
    ],
  },
  'auth.challenge-no-error-without-credentials': {
    good: [refused(plain)],
    legal: [
      { lines: refused(`${plain}, error="invalid_token"`, { token: true }), shows: 'token' },
      refused(`${plain}, error="invalid_token"`, { query: '?token=a' }),
      {
        lines: refused(undefined),
        when: r => r.authorization?.bareRefusal === true,
        isUnobserved: true,
      },
      refused(`${plain}, error="invalid_token"`, { sent: { Cookie: 'session=a' } }),
    ],
    bad: [
      ...['error', 'error_description', 'error_uri'].map(name => ({
        lines: refused(`${plain}, ${name}="invalid_token"`),
        shows: 'error',
      })),
    ],
  },
  'auth.challenge-resource-metadata': {
    good: [refused(plain)],
    legal: [
      {
        lines: refused('Bearer error="insufficient_scope"', { status: 403, token: true }),
        shows: 'forbidden',
      },
    ],
    bad: [
      { lines: refused('Bearer scope="a"'), shows: 'no-url' },
      { lines: refused('Bearer scope="a", resource_metadata="/metadata"'), shows: 'relative' },
    ],
  },
  'auth.validated-before-processing': {
    good: [
      refused(plain),
      refused(plain, { status: 403, token: true }),
      [...refused(plain).slice(0, -1), body(1, error(1, -32001)), end(1)],
    ],
    bad: [
      { lines: [...refused(plain).slice(0, -1), body(1, result(1, { tools: [] })), end(1)], shows: 'result' },
      {
        lines: [
          ...ask(1, 'POST', list, 401, 'text/event-stream', { headers: { 'WWW-Authenticate': plain } }),
          ...event(1, notification('notifications/message', { level: 'info', data: 'x' })),
          end(1),
        ],
        shows: 'stream',
      },
    ],
  },
  'auth.prm-format': {
    good: [
      found(),
      {
        lines: found({ x_unknown: { a: 1 } }, { headers: typed('application/json; charset=utf-8') }),
        shows: 'more',
      },
    ],
    legal: [
      { lines: found({}, { status: 404 }), shows: 'not-found' },
      { lines: found({ scopes_supported: [] }), shows: 'empty' },
    ],
    bad: [
      { lines: found({ scopes_supported: 'a' }), shows: 'list-as-text' },
      { lines: found({ bearer_methods_supported: [7] }), shows: 'list-of-numbers' },
      { lines: found({}, { headers: typed('text/html') }), shows: 'other-type' },
      found({}, { headers: [] }),
      found().map(line => ('kind' in line && line.kind === 'http-body' ? { ...line, text: '<html>' } : line)),
      { lines: found({}, { status: 203 }), shows: 'other-status' },
    ],
  },
  'auth.prm-resource': {
    good: [
      found(),
      { lines: found({ resource: 'HTTP://LOCALHOST/mcp' }), shows: 'upper-case' },
      { lines: found({ resource: 'http://localhost' }), shows: 'origin' },
    ],
    legal: [
      { lines: [...found(), ...other({ resource: 'https://other.example' })], shows: 'other-document' },
      [
        ...refused(plain.replace(metadataUrl, elsewhere)),
        ...found({}, { at: elsewhere }),
        ...other({ resource: 'https://other.example' }),
      ],
      { lines: [...found(), ...other({ resource: 'https://other.example' })], url: `${url}/` },
    ],
    bad: [
      found({ resource: 'https://other.example' }, { at: elsewhere }),
      found({ resource: [url] }),
      found({ resource: 'mcp' }),
      { lines: found({ resource: 'https://localhost/mcp' }), shows: 'other-origin' },
      { lines: found({ resource: 'http://localhost/other' }), shows: 'sibling' },
      { lines: found({ resource: 'http://localhost/mc' }), shows: 'part-of-segment' },
      { lines: found({ resource: undefined }), shows: 'missing' },
      { lines: found({ resource: `${url}#a` }), shows: 'fragment' },
    ],
  },
  'auth.resource-trailing-slash': {
    good: [found()],
    legal: [{ lines: found({ resource: `${url}/` }), url: `${url}/` }],
    bad: [
      { lines: found({ resource: `${url}/` }), shows: 'metadata' },
      {
        subject: 'client',
        lines: [
          {
            kind: 'http-request',
            exchange: 2,
            method: 'GET',
            url: `https://auth.example/authorize?${new URLSearchParams({
              response_type: 'code',
              client_id: 'c',
              state: 'abcdefghijklmnopqrstuvwxyz',
              code_challenge: 'x'.repeat(43),
              code_challenge_method: 'S256',
              resource: `${url}/`,
            })}`,
            headers: [],
            endpoint: 'authorization',
          },
          end(2),
        ],
        shows: 'request',
      },
    ],
  },
  'auth.prm-authorization-servers': {
    good: [
      found(),
      {
        lines: found({ authorization_servers: ['https://a.example', 'https://b.example/t'] }),
        shows: 'several',
      },
    ],
    bad: [
      { lines: found({ authorization_servers: undefined }), shows: 'missing' },
      { lines: found({ authorization_servers: [] }), shows: 'empty' },
      {
        lines: found({ authorization_servers: 'https://auth.example' }),
        also: ['auth.prm-format'],
        shows: 'no-list',
      },
      {
        lines: found({ authorization_servers: [7] }),
        also: ['auth.prm-format', 'auth.prm-issuer-form'],
      },
    ],
  },
  'auth.prm-issuer-form': {
    good: [
      found(),
      {
        lines: found({ authorization_servers: ['https://auth.example/tenant', 'http://127.0.0.1:9/'] }),
        shows: 'path',
      },
    ],
    bad: [
      { lines: found({ authorization_servers: ['/auth'] }), shows: 'relative' },
      { lines: found({ authorization_servers: ['https://auth.example?tenant=1'] }), shows: 'query' },
      { lines: found({ authorization_servers: ['https://auth.example/#a'] }), shows: 'fragment' },
      { lines: found({ authorization_servers: ['http://auth.example'] }), shows: 'http' },
      found({ authorization_servers: ['ftp://localhost'] }),
      {
        lines: found({ authorization_servers: ['https://a.example', ['https://b.example']] }),
        also: ['auth.prm-format'],
      },
      {
        lines: found({
          authorization_servers: ['https://auth.example/.well-known/oauth-authorization-server'],
        }),
        shows: 'document',
      },
    ],
  },
});

/** The document at the root of the origin is about another server. */
function other(changes: object): Line[] {
  return found(changes, { at: 'http://localhost/.well-known/oauth-protected-resource' }).map(line => ({
    ...(line as { kind: 'http-end'; exchange: number; by: 'server' }),
    exchange: 3,
  }));
}

const aboutStateless = tableWith({ era: 'modern', transport: 'streamable-http', url });

/** Rows of revisions without a handshake. */
export const statelessExamples: ExampleTable = aboutStateless({
  'auth.no-offline-access': {
    good: [
      refused(plain),
      found(),
      { lines: refused(plain.replace('"a"', '"a offline"')), shows: 'similar' },
    ],
    legal: [
      { lines: found({ scopes_supported: undefined }), isUnobserved: true, shows: 'no-list' },
      refused(`Bearer resource_metadata="${metadataUrl}"`),
    ],
    bad: [
      { lines: refused(plain.replace('"a"', '"a offline_access"')), shows: 'challenge' },
      { lines: found({ scopes_supported: ['offline_access'] }), shows: 'metadata' },
    ],
  },
});
