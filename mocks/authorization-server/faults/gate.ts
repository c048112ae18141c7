/** Faults of the gate before a protected server. */

import { isObject, type JsonObject, parseObject, without } from '../../../spec/json-rpc.js';
import type { RequirementId } from '../../../spec/requirement.js';
import type { Revision } from '../../../spec/revisions.js';
import {
  fault as anyFault,
  quirk as anyQuirk,
  type Deviation,
  type Middleware,
  notification,
  onBlock,
} from '../../fault.js';
import { listsAllTasks, servesAllTasks } from '../../server/faults/across-sessions.js';
import { hasHandshake, isStateless } from '../../server/faults/shared.js';
import { json } from '../answers.js';
import { type GatePolicy, lawfulGate, type Presented, type Refusal } from '../gate.js';
import type { Policy } from '../policy.js';

/**
 * A named deviation of the gate before the mock server, or of that server (its `middleware`) with several
 * users.
 */
export interface GateDeviation extends Deviation {
  readonly gate: Partial<GatePolicy>;
  /** Changes in the colocated authorization server. */
  readonly authority?: Partial<Policy>;
  /**
   * Visible only to a harness that has a token and sends requests without it: otherwise nothing shows that a
   * gate exists.
   */
  readonly needsToken?: boolean;
}

interface Meaning {
  readonly what: string;
  readonly breaks: readonly [RequirementId, ...RequirementId[]];
  readonly shows?: readonly string[];
  readonly where?: (revision: Revision) => boolean;
  readonly needsToken?: boolean;
  readonly authority?: Partial<Policy>;
}

const fault = (id: string, meaning: Meaning, gate: Partial<GatePolicy>): GateDeviation => ({
  ...anyFault(id, meaning),
  gate,
});
/** A fault of the server behind the gate, visible only to a harness with tokens of several users. */
const behind = (id: string, meaning: Meaning, ...middleware: readonly Middleware[]): GateDeviation => ({
  ...anyFault(id, meaning, ...middleware),
  gate: {},
});
const quirk = (id: string, meaning: Omit<Meaning, 'breaks'>, gate: Partial<GatePolicy>): GateDeviation => ({
  ...anyQuirk(id, meaning),
  gate,
});

const status = (of: Refusal, code: number): Partial<GatePolicy> => ({
  status: why => (why === of ? code : lawfulGate.status(why)),
});

const challenge = (change: GatePolicy['challenge']): Partial<GatePolicy> => ({ challenge: change });
const metadata = (change: GatePolicy['metadata']): Partial<GatePolicy> => ({ metadata: change });
const understand = (change: GatePolicy['understand']): Partial<GatePolicy> => ({ understand: change });

/** The claims of a token, accepted without a check of the signature. */
function believed(token: string): Presented | undefined {
  const [, payload, signature] = token.split('.');
  try {
    const claims: unknown = JSON.parse(Buffer.from(payload ?? '', 'base64url').toString('utf8'));
    if (!isObject(claims) || signature === undefined) return undefined;
    return {
      user: String(claims.sub),
      audience: [claims.aud ?? []].flat().map(String),
      scope: String(claims.scope ?? 'mcp:read').split(' '),
      expires: Number(claims.exp ?? 0),
    };
  } catch {
    return undefined;
  }
}

const headerOf = (token: string): string =>
  Buffer.from(token.split('.')[0] ?? '', 'base64url').toString('utf8');

/** Requirements about metadata do not apply to revisions without resource metadata. */
const hasMetadata = (revision: Revision): boolean => revision.authorization?.resourceMetadata === true;

const statuses: readonly GateDeviation[] = [
  fault(
    'rs-forbids-strangers',
    {
      what: 'The response to a request without a token has status 403 instead of 401.',
      breaks: ['auth.401-no-token'],
      shows: ['auth.401-no-token#other-status'],
      needsToken: true,
    },
    status('no token', 403),
  ),
  fault(
    'rs-refuses-with-200',
    {
      what: 'The response to a request without a token is an error with status 200 instead of 401.',
      breaks: ['auth.401-no-token'],
      shows: ['auth.401-no-token#error-with-200'],
      needsToken: true,
    },
    {
      refuse: (reply, why, message) =>
        why === 'no token' && message?.id !== undefined
          ? json(200, { jsonrpc: '2.0', id: message.id, error: { code: -32_600, message: 'Unauthorized.' } })
          : reply,
    },
  ),
  fault(
    'rs-scheme-of-its-own',
    {
      what: 'The response to a request without a token names a non-standard scheme, and the server has no metadata.',
      breaks: ['auth.http-conform', 'base.auth-http'],
      shows: ['base.auth-http#scheme-without-metadata', 'auth.http-conform#other-scheme'],
      needsToken: true,
      authority: { metadata: () => undefined },
    },
    { metadata: () => undefined, write: () => 'ApiKey realm="mock"' },
  ),
];

const challenges: readonly GateDeviation[] = [
  fault(
    'rs-no-challenge',
    {
      what: 'The response to a rejected request has no WWW-Authenticate header.',
      breaks: [
        'auth.challenge-present',
        'auth.challenge-resource-metadata',
        'auth.challenge-invalid-token-error',
        'auth.challenge-scope',
        'auth.403-challenge',
      ],
      shows: [
        'auth.403-challenge#none',
        'auth.challenge-invalid-token-error#no-challenge',
        'auth.challenge-present#none',
        'auth.challenge-resource-metadata#no-challenge',
        'auth.challenge-scope#no-challenge',
      ],
    },
    challenge(() => undefined),
  ),
  fault(
    'rs-bare-scheme',
    {
      what: 'The response to an invalid token has the challenge Bearer without parameters.',
      breaks: [
        'auth.challenge-present',
        'auth.challenge-invalid-token-error',
        'auth.challenge-resource-metadata',
      ],
      shows: [
        'auth.challenge-invalid-token-error#no-error',
        'auth.challenge-present#no-params',
        'auth.challenge-resource-metadata#no-challenge',
      ],
    },
    {
      challenge: (params, why) => (why === 'bad token' ? {} : params),
      write: params => (Object.keys(params).length === 0 ? 'Bearer' : lawfulGate.write(params)),
    },
  ),
  fault(
    'rs-challenge-without-metadata',
    {
      what: 'The WWW-Authenticate header of a 401 response has no resource_metadata.',
      breaks: ['auth.challenge-resource-metadata'],
      shows: ['auth.challenge-resource-metadata#no-url'],
      where: revision => !revision.authorization?.bareRefusal,
    },
    challenge((params, why) => (why === 'scope' ? params : without(params, 'resource_metadata'))),
  ),
  fault(
    'rs-challenge-unquoted',
    {
      what: 'The resource_metadata URL in the WWW-Authenticate header is not quoted.',
      breaks: ['auth.challenge-syntax', 'auth.challenge-resource-metadata'],
      shows: ['auth.challenge-resource-metadata#unquoted', 'auth.challenge-syntax#unquoted'],
    },
    {
      write: ({ resource_metadata: url, ...params }) =>
        `${lawfulGate.write(params)}, resource_metadata=${url}`,
    },
  ),
  fault(
    'rs-challenge-repeats',
    {
      what: 'The WWW-Authenticate header contains scope twice.',
      breaks: ['auth.challenge-syntax'],
      shows: ['auth.challenge-syntax#twice'],
    },
    { write: params => `${lawfulGate.write(params)}, scope="again"` },
  ),
  fault(
    'rs-error-for-strangers',
    {
      what: 'The response to a request without a token has the error invalid_token.',
      breaks: ['auth.challenge-no-error-without-credentials'],
      shows: ['auth.challenge-no-error-without-credentials#error'],
    },
    challenge((params, why) => (why === 'no token' ? { error: 'invalid_token', ...params } : params)),
  ),
  fault(
    'rs-no-reason',
    {
      what: 'The response to an invalid token does not have the error invalid_token.',
      breaks: ['auth.challenge-invalid-token-error'],
      shows: ['auth.challenge-invalid-token-error#no-error'],
    },
    challenge((params, why) =>
      why === 'bad token' ? without(params, 'error', 'error_description') : params,
    ),
  ),
  fault(
    'rs-scope-untold',
    {
      what: 'The WWW-Authenticate header of a 401 response has no scope.',
      breaks: ['auth.challenge-scope'],
      shows: ['auth.challenge-scope#no-scope'],
    },
    challenge((params, why) => (why === 'scope' ? params : without(params, 'scope'))),
  ),
  fault(
    'rs-scope-offline',
    {
      what: 'The WWW-Authenticate header names the scope offline_access.',
      breaks: ['auth.no-offline-access'],
      shows: ['auth.no-offline-access#challenge'],
    },
    challenge(params => ({ ...params, scope: `${params.scope} offline_access` })),
  ),
  fault(
    'rs-scope-by-chance',
    {
      what: 'The WWW-Authenticate header contains different scopes in each 401 response.',
      breaks: ['auth.scope-set-consistency'],
      shows: ['auth.scope-set-consistency#by-chance'],
    },
    challenge((params, why) =>
      why === 'scope'
        ? params
        : { ...params, scope: `${params.scope} x${Math.random().toString(36).slice(2)}` },
    ),
  ),
];

const documents: readonly GateDeviation[] = [
  fault(
    'rs-metadata-missing',
    {
      what: 'The protected resource metadata does not exist, although the WWW-Authenticate header contains its URL.',
      breaks: ['auth.prm-served', 'auth.challenge-metadata-url-works', 'auth.prm-well-known'],
      shows: [
        'auth.challenge-metadata-url-works#missing',
        'auth.prm-served#missing',
        'auth.prm-well-known#missing',
      ],
    },
    metadata(() => undefined),
  ),
  fault(
    'rs-metadata-nowhere',
    {
      what: 'The protected resource metadata does not exist, and the WWW-Authenticate header contains no URL.',
      breaks: [
        'auth.prm-served',
        'auth.prm-discoverable',
        'auth.prm-well-known',
        'auth.challenge-resource-metadata',
      ],
      shows: [
        'auth.challenge-resource-metadata#no-url',
        'auth.prm-discoverable#nowhere',
        'auth.prm-served#nowhere',
        'auth.prm-well-known#missing',
      ],
    },
    {
      metadata: () => undefined,
      challenge: (params, why) => (why === 'scope' ? params : without(params, 'resource_metadata')),
    },
  ),
  fault(
    'rs-metadata-url-dead',
    {
      what: 'The resource_metadata URL in the WWW-Authenticate header does not exist.',
      breaks: ['auth.challenge-metadata-url-works'],
      shows: ['auth.challenge-metadata-url-works#other-url'],
    },
    challenge(params => ({ ...params, resource_metadata: `${params.resource_metadata}/nothing-here` })),
  ),
  fault(
    'rs-metadata-url-relative',
    {
      what: 'The resource_metadata parameter in the WWW-Authenticate header has a path instead of a URL.',
      breaks: ['auth.challenge-resource-metadata', 'auth.challenge-metadata-url-works'],
      shows: ['auth.challenge-resource-metadata#relative', 'auth.challenge-metadata-url-works#relative'],
    },
    challenge(params =>
      params.resource_metadata === undefined
        ? params
        : { ...params, resource_metadata: new URL(params.resource_metadata).pathname },
    ),
  ),
  fault(
    'rs-metadata-not-well-known',
    {
      what: 'The protected resource metadata is served only at a URL that is not well-known.',
      breaks: ['auth.prm-well-known'],
      shows: ['auth.prm-well-known#elsewhere'],
      where: revision => hasMetadata(revision) && !revision.authorization?.bareRefusal,
    },
    {
      metadataPlaces: () => ['/about-this-server.json'],
      challenge: params => ({
        ...params,
        resource_metadata: `${new URL(params.resource_metadata!).origin}/about-this-server.json`,
      }),
    },
  ),
  fault(
    'rs-metadata-offers-offline-access',
    {
      what: 'The protected resource metadata lists offline_access in scopes_supported.',
      breaks: ['auth.no-offline-access'],
      shows: ['auth.no-offline-access#metadata'],
    },
    metadata(document => ({ ...document, scopes_supported: ['mcp:read', 'offline_access'] })),
  ),
  fault(
    'rs-metadata-lists-as-text',
    {
      what: 'The protected resource metadata has a string as scopes_supported instead of an array.',
      breaks: ['auth.prm-format'],
      shows: ['auth.prm-format#list-as-text'],
    },
    metadata(document => ({ ...document, scopes_supported: 'mcp:read' })),
  ),
  fault(
    'rs-metadata-of-another',
    {
      what: 'The protected resource metadata names another server as resource.',
      breaks: ['auth.prm-resource'],
      shows: ['auth.prm-resource#other-origin'],
    },
    metadata(document => ({ ...document, resource: 'https://other.example/mcp' })),
  ),
  fault(
    'rs-metadata-of-a-sibling',
    {
      what: 'The protected resource metadata names another path of the same host as resource.',
      breaks: ['auth.prm-resource'],
      shows: ['auth.prm-resource#sibling'],
    },
    metadata(document => ({ ...document, resource: `${document.resource}-of-others` })),
  ),
  fault(
    'rs-metadata-without-resource',
    {
      what: 'The protected resource metadata has no resource.',
      breaks: ['auth.prm-resource'],
      shows: ['auth.prm-resource#missing'],
    },
    metadata(document => without(document, 'resource')),
  ),
  fault(
    'rs-metadata-with-slash',
    {
      what: 'The resource in the protected resource metadata has a trailing slash that the URL of the server lacks.',
      breaks: ['auth.resource-trailing-slash'],
      shows: ['auth.resource-trailing-slash#metadata'],
    },
    metadata(document => ({ ...document, resource: `${document.resource}/` })),
  ),
  fault(
    'rs-no-authorization-servers',
    {
      what: 'The protected resource metadata has an empty list of authorization_servers.',
      breaks: ['auth.prm-authorization-servers'],
      shows: ['auth.prm-authorization-servers#empty'],
    },
    metadata(document => ({ ...document, authorization_servers: [] })),
  ),
  fault(
    'rs-issuer-is-a-document',
    {
      what: 'The protected resource metadata lists the metadata URL of the authorization server instead of its issuer.',
      breaks: ['auth.prm-issuer-form', 'auth.prm-issuer-resolves'],
      shows: ['auth.prm-issuer-form#document', 'auth.prm-issuer-resolves#document'],
    },
    metadata(document => ({
      ...document,
      authorization_servers: [
        `${[document.authorization_servers].flat()[0]}/.well-known/oauth-authorization-server`,
      ],
    })),
  ),
  fault(
    'rs-issuer-unknown',
    {
      what: 'The authorization server in the protected resource metadata has no metadata.',
      breaks: ['auth.prm-issuer-resolves'],
      shows: ['auth.prm-issuer-resolves#unknown'],
    },
    metadata(document => ({
      ...document,
      authorization_servers: [`${[document.authorization_servers].flat()[0]}/tenant-nobody-knows`],
    })),
  ),
];

const tokens: readonly GateDeviation[] = [
  fault(
    'rs-refuses-good-tokens',
    {
      what: 'A request with a valid token of its own authorization server is rejected.',
      breaks: ['auth.header-token-accepted'],
      shows: ['auth.header-token-accepted#refused'],
    },
    understand(() => undefined),
  ),
  fault(
    'rs-takes-anything',
    {
      what: 'A request with any token is accepted.',
      breaks: [
        ...(['auth.401-invalid-token', 'auth.token-validated', 'auth.401-expired-token'] as const),
        ...(['auth.audience-checked', 'auth.foreign-token-rejected', 'auth.every-request-verified'] as const),
      ],
      shows: [
        'auth.401-expired-token#accepted',
        'auth.401-invalid-token#accepted',
        'auth.audience-checked#any-token',
        'auth.every-request-verified#any-token',
        'auth.foreign-token-rejected#any-token',
        'auth.token-validated#any-token',
      ],
    },
    {
      understand: (_, known) => known ?? { user: 'alice', audience: [], scope: ['mcp:read'], expires: 0 },
      isExpired: () => false,
      isForUs: () => true,
    },
  ),
  fault(
    'rs-takes-unsigned',
    {
      what: 'A request with an unsigned token is accepted.',
      breaks: ['auth.401-invalid-token', 'auth.token-validated'],
      shows: ['auth.401-invalid-token#unsigned', 'auth.token-validated#unsigned'],
    },
    understand((token, known) => known ?? (headerOf(token).includes('"none"') ? believed(token) : undefined)),
  ),
  fault(
    'rs-ignores-signatures',
    {
      what: 'A request with a token of any signer is accepted.',
      breaks: ['auth.401-invalid-token', 'auth.token-validated', 'auth.foreign-token-rejected'],
      shows: [
        'auth.401-invalid-token#any-signer',
        'auth.foreign-token-rejected#any-signer',
        'auth.token-validated#any-signer',
      ],
    },
    understand((token, known) => known ?? believed(token)),
  ),
  fault(
    'rs-takes-expired',
    {
      what: 'A request with an expired token is accepted.',
      breaks: ['auth.401-expired-token'],
      shows: ['auth.401-expired-token#accepted'],
    },
    { isExpired: () => false },
  ),
  fault(
    'rs-forbids-expired',
    {
      what: 'The response to an expired token has status 403 instead of 401.',
      breaks: ['auth.401-expired-token'],
      shows: ['auth.401-expired-token#other-status'],
    },
    {
      understand: (_, known) =>
        known && known.expires < 2e9 && known.expires * 1_000 < Date.now()
          ? { ...known, expires: 1e12, scope: [] }
          : known,
    },
  ),
  fault(
    'rs-forbids-wrong-tokens',
    {
      what: 'The response to an invalid token has status 403 instead of 401.',
      breaks: ['auth.400-malformed', 'auth.401-invalid-token', 'auth.401-expired-token'],
      shows: [
        'auth.400-malformed#other-refusal',
        'auth.401-expired-token#other-status',
        'auth.401-invalid-token#other-status',
      ],
    },
    status('bad token', 403),
  ),
  fault(
    'rs-takes-any-audience',
    {
      what: 'A request with a token for another server is accepted.',
      breaks: ['auth.audience-checked'],
      shows: ['auth.audience-checked#any-audience'],
    },
    { isForUs: () => true },
  ),
  fault(
    'rs-audience-by-host',
    {
      what: 'A request with a token for any other path on the same host is accepted.',
      breaks: ['auth.audience-checked'],
      shows: ['auth.audience-checked#other-path'],
    },
    {
      isForUs: (token, resource) =>
        token.audience.some(one => URL.canParse(one) && new URL(one).origin === new URL(resource).origin),
    },
  ),
  fault(
    'rs-audience-by-beginning',
    {
      what: 'A request with a token for a URL that begins like that of the server is accepted.',
      breaks: ['auth.audience-checked'],
      shows: ['auth.audience-checked#beginning'],
    },
    {
      isForUs: (token, resource) =>
        lawfulGate.isForUs(token, resource) || token.audience.some(one => one.startsWith(resource)),
    },
  ),
  fault(
    'rs-audience-if-present',
    {
      what: 'A request with a token without an audience is accepted.',
      breaks: ['auth.audience-checked'],
      shows: ['auth.audience-checked#no-audience'],
    },
    {
      isForUs: (token, resource) => token.audience.length === 0 || lawfulGate.isForUs(token, resource),
    },
  ),
  fault(
    'rs-audience-by-letter',
    {
      what: 'A request is rejected when the audience of its token differs only in the case of the host or a trailing slash.',
      breaks: ['auth.uri-case-tolerance'],
      shows: ['auth.uri-case-tolerance#server'],
    },
    { isForUs: (token, resource) => token.audience.includes(resource) },
  ),
  fault(
    'rs-takes-query-tokens',
    {
      what: 'A request with its token in the query of the URL is accepted.',
      breaks: ['auth.query-token-ignored'],
      shows: ['auth.query-token-ignored#accepted'],
    },
    { takesQueryToken: () => true },
  ),
  fault(
    'rs-scheme-by-letter',
    {
      what: 'A request with the scheme name bearer in lower case is rejected.',
      breaks: ['auth.scheme-case-insensitive'],
      shows: ['auth.scheme-case-insensitive#lower-case'],
    },
    { isBearer: scheme => scheme === 'Bearer' },
  ),
  fault(
    'rs-malformed-500',
    {
      what: 'The response to a malformed Authorization header has status 500.',
      breaks: ['auth.400-malformed'],
      shows: ['auth.400-malformed#server-error'],
    },
    status('malformed', 500),
  ),
];

const sessions: readonly GateDeviation[] = [
  fault(
    'rs-session-is-enough',
    {
      what: 'A request with a session id and without a token is accepted.',
      breaks: [
        'auth.session-not-authentication',
        'auth.every-request-verified',
        'auth.session-bound-to-user',
        'auth.403-insufficient-scope',
      ],
      shows: [
        'auth.403-insufficient-scope#session',
        'auth.every-request-verified#session',
        'auth.session-bound-to-user#no-token',
        'auth.session-not-authentication#requests',
      ],
      where: hasHandshake,
    },
    { guards: (_, hasSession) => !hasSession },
  ),
  fault(
    'rs-notifications-unguarded',
    {
      what: 'A notification without a token is accepted.',
      breaks: ['auth.session-not-authentication', 'auth.every-request-verified'],
      shows: ['auth.every-request-verified#notifications', 'auth.session-not-authentication#notifications'],
      where: hasHandshake,
    },
    { guards: ask => !ask.body.includes('"notifications/') },
  ),
  fault(
    'rs-streams-unguarded',
    {
      what: 'A GET for the stream of a session without a token is accepted.',
      breaks: ['auth.session-not-authentication', 'auth.every-request-verified'],
      shows: ['auth.every-request-verified#streams', 'auth.session-not-authentication#streams'],
      where: hasHandshake,
    },
    { guards: ask => ask.method !== 'GET' },
  ),
  fault(
    'rs-lists-unguarded',
    {
      what: 'A tools/list without a token is accepted.',
      breaks: ['auth.401-no-token', 'auth.every-request-verified'],
      shows: ['auth.401-no-token#served', 'auth.every-request-verified#lists'],
      where: isStateless,
    },
    { guards: ask => !ask.body.includes('"tools/list"') },
  ),
  fault(
    'rs-session-for-all-users',
    {
      what: 'A request with the session id of another user is accepted.',
      breaks: ['auth.session-bound-to-user'],
      shows: ['auth.session-bound-to-user#other-user'],
    },
    { maySession: () => true },
  ),
  fault(
    'rs-session-ended-by-others',
    {
      what: 'DELETE with the session id of another user ends the session.',
      breaks: ['auth.session-bound-to-user'],
      shows: ['auth.session-bound-to-user#ended-by-other'],
      where: hasHandshake,
    },
    { maySession: (owner, user, ask) => owner === user || ask.method === 'DELETE' },
  ),
];

/** An empty list of tools, with the members that a request without a handshake requires. */
const emptyList = ({ params }: JsonObject): JsonObject => {
  const isStateful = !isObject(params) || !isObject(params._meta);
  const serverInfo = { 'io.modelcontextprotocol/serverInfo': { name: 'mock', version: '1' } };
  const more = { resultType: 'complete', ttlMs: 0, cacheScope: 'private', _meta: serverInfo };
  return { tools: [], ...(!isStateful && more) };
};

const scopes: readonly GateDeviation[] = [
  fault(
    'rs-scope-unchecked',
    {
      what: 'A request with a token without the required scope is accepted.',
      breaks: ['auth.403-insufficient-scope'],
      shows: ['auth.403-insufficient-scope#unchecked'],
    },
    { hasScope: () => true },
  ),
  fault(
    'rs-scope-401',
    {
      what: 'The response to a token without the required scope has status 401 instead of 403.',
      breaks: ['auth.403-insufficient-scope'],
      shows: ['auth.403-insufficient-scope#other-status'],
    },
    status('scope', 401),
  ),
  fault(
    'rs-scope-untold-403',
    {
      what: 'The 403 response to a token without the required scope does not name the scope.',
      breaks: ['auth.403-challenge'],
      shows: ['auth.403-challenge#no-scope'],
    },
    challenge((params, why) => (why === 'scope' ? without(params, 'scope') : params)),
  ),
  fault(
    'rs-scope-not-enough',
    {
      what: 'The 403 response to a token without the required scope names a scope that is not sufficient.',
      breaks: ['auth.403-scope-needed'],
      shows: ['auth.403-scope-needed#not-enough'],
    },
    challenge((params, why) => (why === 'scope' ? { ...params, scope: 'mcp:read' } : params)),
  ),
  fault(
    'rs-data-with-refusal',
    {
      what: 'The rejection of tools/list contains a result with a list of tools.',
      breaks: ['auth.validated-before-processing'],
      shows: ['auth.validated-before-processing#result'],
    },
    {
      refuse: (reply, _, message) =>
        message?.id === undefined || message.method !== 'tools/list'
          ? reply
          : {
              ...reply,
              body: JSON.stringify({ jsonrpc: '2.0', id: message.id, result: emptyList(message) }),
            },
    },
  ),
];

/** A list of tools that is shorter for another user, and yet marked as public; other messages stay unchanged. */
function publicFor(user: string | undefined, text: string): string {
  const message = parseObject(text);
  if (!message || !isObject(message.result) || !Array.isArray(message.result.tools)) return text;
  const tools = user === 'bob' ? message.result.tools.slice(1) : message.result.tools;
  return JSON.stringify({ ...message, result: { ...message.result, tools, cacheScope: 'public' } });
}

/** Changes each message in a body, which is JSON or an event stream. */
const shorterForOthers = ({ body, status, headers }: Response, user: string | undefined): Response =>
  new Response(
    body
      ?.pipeThrough(new TextDecoderStream())
      .pipeThrough(
        new TransformStream<string, string>({
          transform: (text, out) => out.enqueue(text.replace(/\{.*\}/g, json => publicFor(user, json))),
        }),
      )
      .pipeThrough(new TextEncoderStream()) ?? null,
    { status, headers },
  );

/** All faults of the gate. */
export const gateFaults: readonly GateDeviation[] = [
  ...statuses,
  ...challenges,
  ...documents,
  ...tokens,
  ...sessions,
  ...scopes,

  fault(
    'rs-private-tools-public',
    {
      what: 'The list of tools depends on the user and is marked as public.',
      breaks: ['caching.scope-matches-visibility'],
      shows: ['caching.scope-matches-visibility#public-but-different'],
      where: isStateless,
    },
    { deliver: shorterForOthers },
  ),

  behind(
    'rs-tasks-of-all-users',
    {
      what: 'tasks/get, tasks/result and tasks/cancel with a known id return the task of another user.',
      breaks: ['tasks.bound-to-authorization', 'tasks.foreign-context-rejected'],
      shows: ['tasks.bound-to-authorization#gettable', 'tasks.foreign-context-rejected#served'],
    },
    ...servesAllTasks,
  ),

  fault(
    'rs-ext-tasks-of-all-users',
    {
      what: 'Without sessions, tasks/get and tasks/cancel with a known id work for every user.',
      breaks: ['ext-tasks.access-checked'],
      shows: ['ext-tasks.access-checked#result'],
      where: isStateless,
    },
    { mayTask: () => true },
  ),

  behind(
    'rs-token-logged',
    {
      what: 'notifications/message contains the Authorization header of each request.',
      breaks: ['logging.no-credentials', 'logging.remove-sensitive'],
      shows: ['logging.no-credentials#access-token', 'logging.remove-sensitive#access-token'],
      where: hasHandshake,
    },
    onBlock((block, { headers }) => {
      const header = headers.get('authorization');
      const isMessage = typeof block === 'object' && 'data' in block && block.data !== '';
      if (!isMessage || header === undefined) return block;
      const log = notification('notifications/message', { level: 'emergency', data: header });
      return [{ data: JSON.stringify(log) }, block];
    }),
  ),

  behind(
    'rs-lists-tasks-of-all-users',
    {
      what: 'tasks/list returns the tasks of all users.',
      breaks: ['tasks.bound-to-authorization', 'tasks.list-own-context'],
      shows: ['tasks.bound-to-authorization#listed', 'tasks.list-own-context#foreign'],
    },
    listsAllTasks,
  ),
];

/** Legal but unusual behaviours of the gate. */
export const gateQuirks: readonly GateDeviation[] = [
  quirk(
    'rs-scheme-lower-case',
    {
      what: 'The scheme in the WWW-Authenticate header is written in lower case.',
      shows: ['auth.challenge-present#lower-case'],
    },
    {
      write: params => lawfulGate.write(params).replace('Bearer', 'bearer'),
    },
  ),
  quirk(
    'rs-unknown-challenge-params',
    {
      what: 'The WWW-Authenticate header has unknown parameters.',
      shows: ['auth.challenge-present#unknown-params', 'auth.challenge-syntax#unknown-params'],
    },
    {
      challenge: params => ({ realm: 'a, "b" = c', x_new: '1', ...params }),
    },
  ),
  quirk(
    'rs-several-challenges',
    {
      what: 'The WWW-Authenticate header also offers other schemes.',
      shows: ['base.auth-http#further-schemes', 'auth.challenge-present#several'],
    },
    {
      write: params => `Negotiate, ${lawfulGate.write(params)}, DPoP algs="ES256"`,
    },
  ),
  quirk(
    'rs-malformed-401',
    {
      what: 'The response to a malformed Authorization header is the same as to an invalid token.',
      shows: ['auth.400-malformed#as-invalid'],
    },
    status('malformed', 401),
  ),
  quirk(
    'rs-metadata-at-the-root',
    {
      what: 'The protected resource metadata is served at the root path.',
      where: revision => revision.authorization?.bareRefusal === true,
      shows: ['auth.prm-discoverable#at-the-root', 'auth.prm-served#at-the-root'],
    },
    {
      metadataPlaces: () => ['/.well-known/oauth-protected-resource'],
      challenge: params => ({
        ...params,
        resource_metadata: `${new URL(params.resource_metadata!).origin}/.well-known/oauth-protected-resource`,
      }),
    },
  ),
  quirk(
    'rs-metadata-with-more',
    {
      what: 'The protected resource metadata has unknown members.',
      shows: ['auth.challenge-metadata-url-works#more', 'auth.prm-format#more'],
    },
    {
      metadata: document => ({
        ...document,
        x_tenant: { id: 1 },
        resource_documentation: 'https://docs.example',
      }),
    },
  ),
  quirk(
    'rs-identifier-is-the-origin',
    {
      what: 'The resource in the protected resource metadata is the origin of the server.',
      shows: ['auth.prm-resource#origin'],
    },
    {
      metadata: document => ({ ...document, resource: new URL(String(document.resource)).origin }),
      isForUs: (token, resource) =>
        token.audience.some(one => one === new URL(resource).origin) || lawfulGate.isForUs(token, resource),
    },
  ),
  quirk(
    'rs-refuses-in-words',
    {
      what: 'The error responses of the gate have a plain text body.',
      shows: ['auth.401-no-token#text', 'auth.validated-before-processing#text'],
    },
    {
      refuse: reply => ({
        ...reply,
        headers: { ...reply.headers, 'Content-Type': 'text/plain' },
        body: 'no',
      }),
    },
  ),
];
