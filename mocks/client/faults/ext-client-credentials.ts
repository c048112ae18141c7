/** io.modelcontextprotocol/oauth-client-credentials: faults of clients that get a token by their own credentials. */

import { generateKeyPairSync } from 'node:crypto';
import type { AuthorizationBehaviour, Identity, TokenAsk } from '../authorization-behaviour.js';
import { clientAssertion } from '../client-assertion.js';
import { type ClientDeviation, clientFault, onBehaviour } from '../fault.js';

type Row = 'grant' | 'client-authenticates' | 'client-id-same' | 'secret-as-arranged' | 'no-registration';
type AssertionRow = `assertion-${
  | 'type'
  | 'single'
  | 'iss'
  | 'sub'
  | 'aud'
  | 'exp'
  | 'times'
  | 'jti'
  | 'alg'
  | 'signature'}`;

/** A client with one changed decision; it shows one form of the breach of one row. */
const machine = (
  id: string,
  what: string,
  [row, form]: readonly [Row | AssertionRow, string],
  change: (right: AuthorizationBehaviour) => Partial<AuthorizationBehaviour>,
): ClientDeviation =>
  clientFault(
    `client-credentials-${id}`,
    {
      what,
      breaks: [`ext-client-credentials.${row}`],
      shows: [`ext-client-credentials.${row}#${form}`],
      over: ['streamable-http'],
    },
    onBehaviour(({ authorization }) => {
      Object.assign(authorization, change({ ...authorization }));
    }),
  );

type AssertionChanges = Parameters<typeof clientAssertion>[1];

const asserting =
  (change: (identity: Identity) => AssertionChanges) => (): Pick<AuthorizationBehaviour, 'assertion'> => ({
    assertion: identity => clientAssertion(identity, change(identity)),
  });

const claiming = (claims: Readonly<Record<string, unknown>>) => asserting(() => ({ claims }));

const seconds = (): number => Math.floor(Date.now() / 1000);

/** Changes requests with client credentials before they are sent. */
const requesting = (change: (ask: TokenAsk) => void) => (): Pick<AuthorizationBehaviour, 'tokenRequest'> => ({
  tokenRequest(ask) {
    if (ask.params.get('grant_type') === 'client_credentials') change(ask);
    return ask;
  },
});

const saml = 'urn:ietf:params:oauth:client-assertion-type:saml2-bearer';

export const clientCredentialsFaults: readonly ClientDeviation[] = [
  machine(
    'unused',
    'The client sends its user to the authorization endpoint, although it has credentials of its own.',
    ['grant', 'code'],
    () => ({ usesOwnCredentials: () => false }),
  ),
  machine(
    'unauthenticated',
    'The client requests a token with its client ID alone.',
    ['client-authenticates', 'none'],
    right => ({
      authenticates(ask, identity) {
        if (ask.params.get('grant_type') === 'client_credentials') ask.params.set('client_id', identity.id);
        else right.authenticates.call(right, ask, identity);
      },
    }),
  ),
  machine(
    'registers',
    'The client registers itself, and then uses the client ID that was arranged.',
    ['no-registration', 'registers'],
    right => ({
      usesOwnCredentials(metadata, arranged) {
        const own = right.usesOwnCredentials(metadata, arranged);
        if (own)
          void right.fetch(String(metadata.registration_endpoint), {
            method: 'POST',
            headers: { 'content-type': 'application/json' },
            body: JSON.stringify(right.registration(right.redirectUri)),
            redirect: 'manual',
          });
        return own;
      },
    }),
  ),
  machine(
    'assertion-untyped',
    'The client sends a client_assertion without client_assertion_type.',
    ['assertion-type', 'missing'],
    requesting(({ params }) => params.delete('client_assertion_type')),
  ),
  machine(
    'assertion-saml',
    'The client sends a JWT with the client_assertion_type of SAML.',
    ['assertion-type', 'other'],
    requesting(({ params }) => params.has('client_assertion') && params.set('client_assertion_type', saml)),
  ),
  machine(
    'assertion-twice',
    'The client_assertion has two JWTs, with a space between them.',
    ['assertion-single', 'two'],
    right => ({ assertion: identity => `${right.assertion(identity)} ${right.assertion(identity)}` }),
  ),
  machine(
    'assertion-opaque',
    'The client_assertion is a random text.',
    ['assertion-single', 'not-jwt'],
    () => ({ assertion: () => 'b3BhcXVlLWFzc2VydGlvbg' }),
  ),
  machine(
    'iss-missing',
    'The client_assertion has no iss.',
    ['assertion-iss', 'missing'],
    claiming({ iss: undefined }),
  ),
  machine(
    'iss-of-server',
    'The iss of the client_assertion is the address of the authorization server.',
    ['assertion-iss', 'other'],
    asserting(({ audience }) => ({ claims: { iss: audience } })),
  ),
  machine(
    'sub-missing',
    'The client_assertion has no sub.',
    ['assertion-sub', 'missing'],
    claiming({ sub: undefined }),
  ),
  machine(
    'sub-of-user',
    'The sub of the client_assertion is the name of a user.',
    ['assertion-sub', 'other'],
    claiming({ sub: 'alice' }),
  ),
  machine(
    'aud-missing',
    'The client_assertion has no aud.',
    ['assertion-aud', 'missing'],
    claiming({ aud: undefined }),
  ),
  machine(
    'aud-elsewhere',
    'The aud of the client_assertion is another authorization server.',
    ['assertion-aud', 'other'],
    claiming({ aud: 'https://other.example' }),
  ),
  machine(
    'exp-missing',
    'The client_assertion has no exp.',
    ['assertion-exp', 'missing'],
    claiming({ exp: undefined }),
  ),
  machine(
    'exp-passed',
    'The exp of the client_assertion has passed.',
    ['assertion-exp', 'passed'],
    asserting(() => ({ claims: { iat: seconds() - 3_900, exp: seconds() - 3_600 } })),
  ),
  machine(
    'exp-text',
    'The exp of the client_assertion is a date as text.',
    ['assertion-exp', 'text'],
    claiming({ exp: '2099-01-01T00:00:00Z' }),
  ),
  machine(
    'nbf-future',
    'The nbf of the client_assertion is an hour in the future.',
    ['assertion-times', 'future'],
    asserting(() => ({ claims: { nbf: seconds() + 3_600, exp: seconds() + 7_200 } })),
  ),
  machine(
    'iat-text',
    'The iat of the client_assertion is a date as text.',
    ['assertion-times', 'text'],
    claiming({ iat: '2026-01-01T00:00:00Z' }),
  ),
  machine('jti-repeated', 'Each client_assertion has the same jti.', ['assertion-jti', 'repeated'], () => {
    let count = 0;
    return {
      assertion: identity => clientAssertion(identity, { claims: { jti: 'one', x_count: ++count } }),
    };
  }),
  machine(
    'alg-none',
    'The client_assertion has alg none and no signature.',
    ['assertion-alg', 'none'],
    asserting(() => ({ header: { alg: 'none' } })),
  ),
  machine(
    'alg-unlisted',
    'The client_assertion has a MAC with HS256, which the metadata does not list.',
    ['assertion-alg', 'unlisted'],
    asserting(() => ({ header: { alg: 'HS256' }, key: 'a secret that nobody arranged' })),
  ),
  machine(
    'other-key',
    'The client_assertion is signed with another key.',
    ['assertion-signature', 'other-key'],
    asserting(() => ({
      key: generateKeyPairSync('ec', {
        namedCurve: 'P-256',
        privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
        publicKeyEncoding: { type: 'spki', format: 'pem' },
      }).privateKey,
    })),
  ),
  machine(
    'other-client-id',
    'The client sends the client ID of another client beside its client_assertion.',
    ['client-id-same', 'other'],
    requesting(({ params }) => params.has('client_assertion') && params.set('client_id', 'another-client')),
  ),
  machine(
    'other-secret',
    'The client sends a secret that was not arranged.',
    ['secret-as-arranged', 'other-secret'],
    right => ({
      authenticates: (ask, identity) =>
        right.authenticates.call(right, ask, {
          ...identity,
          ...(identity.secret && { secret: 'ct_sec_another_secret' }),
        }),
    }),
  ),
  machine(
    'other-id',
    'The client sends its secret with another client ID.',
    ['secret-as-arranged', 'other-id'],
    right => ({
      authenticates: (ask, identity) =>
        right.authenticates.call(right, ask, {
          ...identity,
          ...(identity.secret && { id: 'another-client' }),
        }),
    }),
  ),
];
