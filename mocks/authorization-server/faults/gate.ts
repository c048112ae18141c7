/** What a careless protected server does at its door. */

import { isObject, without } from '../../../spec/json-rpc.js';
import type { RequirementId } from '../../../spec/requirement.js';
import type { Revision } from '../../../spec/revisions.js';
import { fault as anyFault, quirk as anyQuirk, type Deviation, type Middleware } from '../../fault.js';
import { listsAllTasks, servesAllTasks } from '../../server/faults/across-sessions.js';
import { type GatePolicy, lawfulGate, type Presented, type Refusal } from '../gate.js';
import type { Policy } from '../policy.js';

/** A named deviation of the gate before the mock server, or of that server (its `middleware`) towards users. */
export interface GateDeviation extends Deviation {
  readonly gate: Partial<GatePolicy>;
  /** What it changes in the authorization server beside it. */
  readonly authority?: Partial<Policy>;
  /** It shows only to somebody who has a token and tries without: else nothing says that there is a door. */
  readonly needsToken?: boolean;
}

interface Meaning {
  readonly what: string;
  readonly breaks: readonly [RequirementId, ...RequirementId[]];
  readonly where?: (revision: Revision) => boolean;
  readonly needsToken?: boolean;
  readonly authority?: Partial<Policy>;
}

const fault = (id: string, meaning: Meaning, gate: Partial<GatePolicy>): GateDeviation => ({
  ...anyFault(id, meaning),
  gate,
});
/** What the server behind the gate does, which only users of their own can tell. */
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

/** The claims of a token, believed without a look at who signed it. */
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

/** Rows about metadata have nothing to look at where the revision knows none. */
const hasMetadata = (revision: Revision): boolean => revision.authorization?.resourceMetadata === true;

const statuses: readonly GateDeviation[] = [
  fault(
    'rs-forbids-strangers',
    { what: 'Whoever has no token is answered with 403.', breaks: ['auth.401-no-token'], needsToken: true },
    status('no token', 403),
  ),
  fault(
    'rs-scheme-of-its-own',
    {
      what: 'The server asks for a proof of its own kind, and has no metadata.',
      breaks: ['auth.http-conform', 'base.auth-http'],
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
      what: 'A refusal names nothing it takes to get in.',
      breaks: [
        'auth.challenge-present',
        'auth.challenge-resource-metadata',
        'auth.challenge-invalid-token-error',
        'auth.challenge-scope',
        'auth.403-challenge',
      ],
    },
    challenge(() => undefined),
  ),
  fault(
    'rs-bare-scheme',
    {
      what: 'The challenge is the bare word Bearer when a token was wrong.',
      breaks: [
        'auth.challenge-present',
        'auth.challenge-invalid-token-error',
        'auth.challenge-resource-metadata',
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
      what: 'The challenge does not name the metadata.',
      breaks: ['auth.challenge-resource-metadata'],
      where: revision => !revision.authorization?.bareRefusal,
    },
    challenge((params, why) => (why === 'scope' ? params : without(params, 'resource_metadata'))),
  ),
  fault(
    'rs-challenge-unquoted',
    {
      what: 'The URL in the challenge is not quoted.',
      breaks: ['auth.challenge-syntax', 'auth.challenge-resource-metadata'],
    },
    {
      write: ({ resource_metadata: url, ...params }) =>
        `${lawfulGate.write(params)}, resource_metadata=${url}`,
    },
  ),
  fault(
    'rs-challenge-repeats',
    { what: 'The challenge names its scope twice.', breaks: ['auth.challenge-syntax'] },
    { write: params => `${lawfulGate.write(params)}, scope="again"` },
  ),
  fault(
    'rs-error-for-strangers',
    {
      what: 'Whoever has no token is told that it is invalid.',
      breaks: ['auth.challenge-no-error-without-credentials'],
    },
    challenge((params, why) => (why === 'no token' ? { error: 'invalid_token', ...params } : params)),
  ),
  fault(
    'rs-no-reason',
    {
      what: 'A refusal of a token does not say that it is invalid.',
      breaks: ['auth.challenge-invalid-token-error'],
    },
    challenge((params, why) =>
      why === 'bad token' ? without(params, 'error', 'error_description') : params,
    ),
  ),
  fault(
    'rs-scope-untold',
    { what: 'The challenge names no scopes.', breaks: ['auth.challenge-scope'] },
    challenge((params, why) => (why === 'scope' ? params : without(params, 'scope'))),
  ),
  fault(
    'rs-scope-by-chance',
    { what: 'The challenge names other scopes each time.', breaks: ['auth.scope-set-consistency'] },
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
      what: 'There is no metadata of the server.',
      breaks: ['auth.prm-served', 'auth.challenge-metadata-url-works', 'auth.prm-well-known'],
    },
    metadata(() => undefined),
  ),
  fault(
    'rs-metadata-nowhere',
    {
      what: 'There is no metadata, and nothing says where it would be.',
      breaks: [
        'auth.prm-served',
        'auth.prm-discoverable',
        'auth.prm-well-known',
        'auth.challenge-resource-metadata',
      ],
    },
    {
      metadata: () => undefined,
      challenge: (params, why) => (why === 'scope' ? params : without(params, 'resource_metadata')),
    },
  ),
  fault(
    'rs-metadata-url-dead',
    { what: 'The URL in the challenge leads nowhere.', breaks: ['auth.challenge-metadata-url-works'] },
    challenge(params => ({ ...params, resource_metadata: `${params.resource_metadata}/nothing-here` })),
  ),
  fault(
    'rs-metadata-not-well-known',
    {
      what: 'The metadata stands at a place of its own only.',
      breaks: ['auth.prm-well-known'],
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
    'rs-metadata-lists-as-text',
    { what: 'The metadata has one scope where a list is due.', breaks: ['auth.prm-format'] },
    metadata(document => ({ ...document, scopes_supported: 'mcp:read' })),
  ),
  fault(
    'rs-metadata-of-another',
    { what: 'The metadata is about another server.', breaks: ['auth.prm-resource'] },
    metadata(document => ({ ...document, resource: 'https://other.example/mcp' })),
  ),
  fault(
    'rs-metadata-of-a-sibling',
    { what: 'The metadata is about another path of the same host.', breaks: ['auth.prm-resource'] },
    metadata(document => ({ ...document, resource: `${document.resource}-of-others` })),
  ),
  fault(
    'rs-metadata-without-resource',
    { what: 'The metadata does not say what it is about.', breaks: ['auth.prm-resource'] },
    metadata(document => without(document, 'resource')),
  ),
  fault(
    'rs-metadata-with-slash',
    {
      what: 'The identifier of the server has a slash its URL lacks.',
      breaks: ['auth.resource-trailing-slash'],
    },
    metadata(document => ({ ...document, resource: `${document.resource}/` })),
  ),
  fault(
    'rs-no-authorization-servers',
    { what: 'The metadata lists no authorization servers.', breaks: ['auth.prm-authorization-servers'] },
    metadata(document => ({ ...document, authorization_servers: [] })),
  ),
  fault(
    'rs-issuer-is-a-document',
    {
      what: 'The metadata lists the metadata of its authorization server in place of its issuer.',
      breaks: ['auth.prm-issuer-form', 'auth.prm-issuer-resolves'],
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
      what: 'The authorization server that is listed has no metadata.',
      breaks: ['auth.prm-issuer-resolves'],
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
    { what: 'A token of its own authorization server is refused.', breaks: ['auth.header-token-accepted'] },
    understand(() => undefined),
  ),
  fault(
    'rs-takes-anything',
    {
      what: 'Any token will do.',
      breaks: [
        ...(['auth.401-invalid-token', 'auth.token-validated', 'auth.401-expired-token'] as const),
        ...(['auth.audience-checked', 'auth.foreign-token-rejected', 'auth.every-request-verified'] as const),
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
      what: 'A token that is not signed is believed.',
      breaks: ['auth.401-invalid-token', 'auth.token-validated'],
    },
    understand((token, known) => known ?? (headerOf(token).includes('"none"') ? believed(token) : undefined)),
  ),
  fault(
    'rs-ignores-signatures',
    {
      what: 'What a token says is believed whoever signed it.',
      breaks: ['auth.401-invalid-token', 'auth.token-validated', 'auth.foreign-token-rejected'],
    },
    understand((token, known) => known ?? believed(token)),
  ),
  fault(
    'rs-takes-expired',
    { what: 'An expired token goes on working.', breaks: ['auth.401-expired-token'] },
    { isExpired: () => false },
  ),
  fault(
    'rs-forbids-expired',
    { what: 'An expired token is answered with 403.', breaks: ['auth.401-expired-token'] },
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
      what: 'A token nobody knows is answered with 403.',
      breaks: ['auth.400-malformed', 'auth.401-invalid-token', 'auth.401-expired-token'],
    },
    status('bad token', 403),
  ),
  fault(
    'rs-takes-any-audience',
    { what: 'Tokens for other servers are accepted.', breaks: ['auth.audience-checked'] },
    { isForUs: () => true },
  ),
  fault(
    'rs-audience-by-host',
    { what: 'Tokens for anything on the same host are accepted.', breaks: ['auth.audience-checked'] },
    {
      isForUs: (token, resource) =>
        token.audience.some(one => URL.canParse(one) && new URL(one).origin === new URL(resource).origin),
    },
  ),
  fault(
    'rs-audience-by-letter',
    { what: 'The audience of a token is compared letter by letter.', breaks: ['auth.uri-case-tolerance'] },
    { isForUs: (token, resource) => token.audience.includes(resource) },
  ),
  fault(
    'rs-takes-query-tokens',
    { what: 'A token in the URL opens the door.', breaks: ['auth.query-token-ignored'] },
    { takesQueryToken: () => true },
  ),
  fault(
    'rs-scheme-by-letter',
    { what: 'Only Bearer with a capital B is known.', breaks: ['auth.scheme-case-insensitive'] },
    { isBearer: scheme => scheme === 'Bearer' },
  ),
  fault(
    'rs-malformed-500',
    { what: 'A malformed Authorization header is answered with 500.', breaks: ['auth.400-malformed'] },
    status('malformed', 500),
  ),
];

const sessions: readonly GateDeviation[] = [
  fault(
    'rs-session-is-enough',
    {
      what: 'Within a session nobody asks for a token any more.',
      breaks: [
        'auth.session-not-authentication',
        'auth.every-request-verified',
        'auth.session-bound-to-user',
        'auth.403-insufficient-scope',
      ],
    },
    { guards: (_, hasSession) => !hasSession },
  ),
  fault(
    'rs-notifications-unguarded',
    {
      what: 'Notifications are taken from anybody.',
      breaks: ['auth.session-not-authentication', 'auth.every-request-verified'],
    },
    { guards: ask => !ask.body.includes('"notifications/') },
  ),
  fault(
    'rs-streams-unguarded',
    {
      what: 'Anybody may listen to the stream of a session.',
      breaks: ['auth.session-not-authentication', 'auth.every-request-verified'],
    },
    { guards: ask => ask.method !== 'GET' },
  ),
  fault(
    'rs-session-for-all-users',
    { what: 'Another user may use the session.', breaks: ['auth.session-bound-to-user'] },
    { maySession: () => true },
  ),
];

const scopes: readonly GateDeviation[] = [
  fault(
    'rs-scope-unchecked',
    { what: 'Nobody looks at the scopes of a token.', breaks: ['auth.403-insufficient-scope'] },
    { hasScope: () => true },
  ),
  fault(
    'rs-scope-401',
    { what: 'Too little scope is answered with 401.', breaks: ['auth.403-insufficient-scope'] },
    status('scope', 401),
  ),
  fault(
    'rs-scope-untold-403',
    { what: 'A refusal for too little scope does not name what it takes.', breaks: ['auth.403-challenge'] },
    challenge((params, why) => (why === 'scope' ? without(params, 'scope') : params)),
  ),
  fault(
    'rs-scope-not-enough',
    { what: 'The scope that is named is not enough.', breaks: ['auth.403-scope-needed'] },
    challenge((params, why) => (why === 'scope' ? { ...params, scope: 'mcp:read' } : params)),
  ),
  fault(
    'rs-data-with-refusal',
    { what: 'A refusal brings the tools along.', breaks: ['auth.validated-before-processing'] },
    {
      refuse: (reply, _, message) =>
        message?.id === undefined || message.method !== 'tools/list'
          ? reply
          : { ...reply, body: JSON.stringify({ jsonrpc: '2.0', id: message.id, result: { tools: [] } }) },
    },
  ),
];

/** All faults of the gate. */
export const gateFaults: readonly GateDeviation[] = [
  ...statuses,
  ...challenges,
  ...documents,
  ...tokens,
  ...sessions,
  ...scopes,

  behind(
    'rs-tasks-of-all-users',
    {
      what: 'Whoever knows the id of a task gets it.',
      breaks: ['tasks.bound-to-authorization', 'tasks.foreign-context-rejected'],
    },
    ...servesAllTasks,
  ),

  behind(
    'rs-lists-tasks-of-all-users',
    {
      what: 'The list of tasks has those of every user.',
      breaks: ['tasks.bound-to-authorization', 'tasks.list-own-context'],
    },
    listsAllTasks,
  ),
];

/** Legal oddities of the gate. */
export const gateQuirks: readonly GateDeviation[] = [
  quirk(
    'rs-scheme-lower-case',
    { what: 'The challenge is written in lower case.' },
    {
      write: params => lawfulGate.write(params).replace('Bearer', 'bearer'),
    },
  ),
  quirk(
    'rs-unknown-challenge-params',
    { what: 'The challenge has parameters nobody knows.' },
    {
      challenge: params => ({ realm: 'a, "b" = c', x_new: '1', ...params }),
    },
  ),
  quirk(
    'rs-several-challenges',
    { what: 'Another scheme would do as well.' },
    {
      write: params => `Negotiate, ${lawfulGate.write(params)}, DPoP algs="ES256"`,
    },
  ),
  quirk(
    'rs-malformed-401',
    { what: 'A malformed header is answered like a wrong token.' },
    status('malformed', 401),
  ),
  quirk(
    'rs-metadata-at-the-root',
    {
      what: 'The metadata stands at the root.',
      where: revision => revision.authorization?.bareRefusal === true,
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
    { what: 'The metadata has members nobody knows.' },
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
    { what: 'The identifier of the server is its origin.' },
    {
      metadata: document => ({ ...document, resource: new URL(String(document.resource)).origin }),
      isForUs: (token, resource) =>
        token.audience.some(one => one === new URL(resource).origin) || lawfulGate.isForUs(token, resource),
    },
  ),
  quirk(
    'rs-refuses-in-words',
    { what: 'Refusals have a body of plain text.' },
    {
      refuse: reply => ({
        ...reply,
        headers: { ...reply.headers, 'Content-Type': 'text/plain' },
        body: 'no',
      }),
    },
  ),
];
