import type { Json } from '../../../spec/json-rpc.js';
import { type ExampleTable, tableWith } from '../example.test.util.js';
import { ask, body, end, event } from '../http-events.test.util.js';
import { type Line, request, result } from '../record.test.util.js';

const json = 'application/json';
const url = 'http://localhost/mcp';
const list = request(1, 'tools/list');
const metadataUrl = 'http://localhost/.well-known/oauth-protected-resource/mcp';
const plain = `Bearer scope="a", resource_metadata="${metadataUrl}"`;

/** A refusal. @param token whether the request contained one */
const refused = (challenge: string | undefined, { token = false, status = 401, query = '' } = {}): Line[] => [
  ...ask(1, 'POST', list, status, undefined, {
    url: `${url}${query}`,
    sent: token ? { Authorization: 'Bearer ~12345678' } : {},
    headers: challenge === undefined ? {} : { 'WWW-Authenticate': challenge },
  }),
  end(1),
];

const document = { resource: url, authorization_servers: ['https://auth.example'], scopes_supported: ['a'] };

/** A metadata document that is found after a refusal. */
const found = (changes: object = {}, { status = 200, type = json, at = metadataUrl } = {}): Line[] => [
  { kind: 'http-request', exchange: 2, method: 'GET', url: at, headers: [], endpoint: 'resource-metadata' },
  { kind: 'http-response', exchange: 2, status, headers: [['Content-Type', type]] },
  { kind: 'http-body', exchange: 2, text: JSON.stringify({ ...document, ...changes } as Json) },
  { kind: 'http-end', exchange: 2, by: 'server' },
];

const about = tableWith({ transport: 'streamable-http', url });

const noMetadata = { also: ['auth.challenge-resource-metadata'] } as const;
const bare = { when: (r: { authorization?: { bareRefusal: boolean } }) => !r.authorization?.bareRefusal };

export const examples: ExampleTable = about({
  'auth.challenge-present': {
    good: [
      refused(plain),
      refused(`Basic realm="x", ${plain}`),
      refused(plain.replace('Bearer', 'bearer'), { token: true }),
    ],
    legal: [
      refused(undefined, { status: 403 }),
      {
        lines: refused(undefined, { query: '?access_token=a' }),
        when: r => r.authorization?.bareRefusal === true,
      },
    ],
    bad: [
      { lines: refused(undefined, { token: true }), ...noMetadata },
      { lines: refused('Bearer', { token: true }), ...noMetadata },
      { lines: refused('Basic realm="x"', { token: true }), ...noMetadata },
      { lines: refused(undefined), ...noMetadata, ...bare },
    ],
  },
  'auth.challenge-syntax': {
    good: [refused(plain), refused(`Bearer realm="a, \\"b\\"", x=1 , ${plain.replace('Bearer ', '')}`)],
    bad: [
      refused(`${plain}, scope="b"`),
      refused(`${plain}, error="é"`, { token: true }),
      refused(plain.replace('"a"', '"a  b"')),
      { lines: refused('Bearer scope="a'), ...noMetadata },
      { lines: refused(`Bearer scope="a", resource_metadata=${metadataUrl}`), ...noMetadata },
    ],
  },
  'auth.challenge-no-error-without-credentials': {
    good: [refused(plain)],
    legal: [refused(`${plain}, error="invalid_token"`, { token: true })],
    bad: [refused(`${plain}, error="invalid_token"`)],
  },
  'auth.challenge-resource-metadata': {
    good: [refused(plain)],
    legal: [refused('Bearer error="insufficient_scope"', { status: 403, token: true })],
    bad: [refused('Bearer scope="a"'), refused('Bearer scope="a", resource_metadata="/metadata"')],
  },
  'auth.validated-before-processing': {
    good: [refused(plain), refused(plain, { status: 403, token: true })],
    bad: [
      [...refused(plain).slice(0, -1), body(1, result(1, { tools: [] })), end(1)],
      [
        ...ask(1, 'POST', list, 401, 'text/event-stream', { headers: { 'WWW-Authenticate': plain } }),
        ...event(1, result(1, { tools: [] })),
        end(1),
      ],
    ],
  },
  'auth.prm-format': {
    good: [found(), found({ x_unknown: { a: 1 } }, { type: 'application/json; charset=utf-8' })],
    legal: [found({}, { status: 404 }), found({ scopes_supported: [] })],
    bad: [
      found({ scopes_supported: 'a' }),
      found({ bearer_methods_supported: [7] }),
      found({}, { type: 'text/html' }),
      found({}, { status: 203 }),
    ],
  },
  'auth.prm-resource': {
    good: [found(), found({ resource: 'HTTP://LOCALHOST/mcp' }), found({ resource: 'http://localhost' })],
    legal: [[...found(), ...other({ resource: 'https://other.example' })]],
    bad: [
      found({ resource: 'https://localhost/mcp' }),
      found({ resource: 'http://localhost/other' }),
      found({ resource: 'http://localhost/mc' }),
      found({ resource: undefined }),
      found({ resource: `${url}#a` }),
    ],
  },
  'auth.resource-trailing-slash': {
    good: [found()],
    bad: [found({ resource: `${url}/` })],
  },
  'auth.prm-authorization-servers': {
    good: [found(), found({ authorization_servers: ['https://a.example', 'https://b.example/t'] })],
    bad: [
      found({ authorization_servers: undefined }),
      found({ authorization_servers: [] }),
      { lines: found({ authorization_servers: 'https://auth.example' }), also: ['auth.prm-format'] },
    ],
  },
  'auth.prm-issuer-form': {
    good: [found(), found({ authorization_servers: ['https://auth.example/tenant', 'http://127.0.0.1:9/'] })],
    bad: [
      found({ authorization_servers: ['/auth'] }),
      found({ authorization_servers: ['https://auth.example?tenant=1'] }),
      found({ authorization_servers: ['https://auth.example/#a'] }),
      found({ authorization_servers: ['http://auth.example'] }),
      found({ authorization_servers: ['https://auth.example/.well-known/oauth-authorization-server'] }),
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
    good: [refused(plain), found(), refused(plain.replace('"a"', '"a offline"'))],
    legal: [found({ scopes_supported: undefined })],
    bad: [
      refused(plain.replace('"a"', '"a offline_access"')),
      found({ scopes_supported: ['offline_access'] }),
    ],
  },
});
