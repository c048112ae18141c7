/**
 * Legal but unusual behaviours of clients during authorization: a finding about one of these is a false
 * positive.
 */

import { randomBytes } from 'node:crypto';
import { showing } from '../../fault.js';
import { type AuthorizationBehaviour, sha256 } from '../authorization-behaviour.js';
import { type ClientDeviation, clientQuirk, onBehaviour, onHttp } from '../fault.js';

/** A client with some changed authorization decisions that are all legal. */
const authorizing = (
  id: `client-auth-${string}`,
  what: string,
  change: (right: AuthorizationBehaviour) => Partial<AuthorizationBehaviour>,
): ClientDeviation =>
  clientQuirk(
    id,
    { what, over: ['streamable-http'] },
    onBehaviour(({ authorization }) => {
      Object.assign(authorization, change({ ...authorization }));
    }),
  );

const isMetadata = (address: unknown): boolean => String(address).includes('/.well-known/');

type More = (address: URL) => readonly { readonly url: URL; readonly method: string }[];

/** Sends extra requests with each metadata request and ignores their responses. */
const besides =
  (when: 'before' | 'after', more: More) =>
  ({ fetch: usual }: AuthorizationBehaviour): Pick<AuthorizationBehaviour, 'fetch'> => ({
    async fetch(...given) {
      const asks = isMetadata(given[0]) ? more(new URL(String(given[0]))) : [];
      const others = () =>
        Promise.allSettled(
          asks.map(async ({ url, method }) => (await usual(url, { method, redirect: 'manual' })).text()),
        );
      if (when === 'before') await others();
      const answer = await usual(...given);
      if (when === 'after') await others();
      return answer;
    },
  });

/** All well-known documents that can exist at an origin. */
const wellKnown = ['oauth-protected-resource', 'oauth-authorization-server', 'openid-configuration'];

/** Unknown or unnecessary parameters. */
const unknown = { nonce: 'n-0S6_WzA2Mj', x_trace: '7', ui_locales: 'fr-CA fr en', access_type: 'offline' };

const withPort = (uri: string, port: string): string => {
  const url = new URL(uri);
  url.port = port;
  return url.href;
};

export const clientAuthorizationQuirks: readonly ClientDeviation[] = [
  showing(
    ['auth.client-prm-fallback#head-first'],
    authorizing(
      'client-auth-asks-head-first',
      'The client sends a HEAD request for a metadata document before it requests the document with GET.',
      besides('before', url => [{ url, method: 'HEAD' }]),
    ),
  ),

  showing(
    ['auth.client-as-order-with-path#everywhere'],
    authorizing(
      'client-auth-asks-everywhere',
      'The client also requests all other well-known documents of an origin, and uses the correct one.',
      besides('after', ({ origin }) =>
        wellKnown.map(name => ({ url: new URL(`/.well-known/${name}`, origin), method: 'GET' })),
      ),
    ),
  ),

  clientQuirk(
    'client-auth-looks-ahead',
    {
      what: 'The client requests the resource metadata at the root before its first request to the server.',
      over: ['streamable-http'],
      shows: ['auth.client-challenge-url-first#looks-ahead'],
    },
    onHttp(async (ask, context) => {
      const first = context.count() === 1;
      if (first)
        await fetch(new URL('/.well-known/oauth-protected-resource', ask.url))
          .then(answer => answer.text())
          .catch(() => {});
      return ask;
    }),
  ),

  showing(
    ['auth.client-id-mechanism#registers-anew'],
    authorizing(
      'client-auth-asks-each-time-anew',
      'The client registers again for every authorization and keeps no client ID.',
      () => {
        let times = 0;
        return { keepsUnder: issuer => `${issuer} ${++times}` };
      },
    ),
  ),

  showing(
    ['auth.scheme-case-insensitive#client-in-lower-case', 'auth.token-in-header#lower-case'],
    authorizing(
      'client-auth-scheme-in-lower-case',
      'The client writes the authentication scheme of the Authorization header in lower case (RFC 9110 §11.1).',
      () => ({
        carries: (ask, token) => ({ ...ask, headers: { ...ask.headers, authorization: `bearer ${token}` } }),
      }),
    ),
  ),

  showing(
    [
      'auth.scope-from-challenge#offline-access',
      'auth.scope-least-privilege#offline-access',
      'auth.scope-omitted#offline-access',
    ],
    authorizing(
      'client-auth-offline-access',
      'The client adds the scope offline_access to the requested scopes.',
      ({ scope }) => ({
        scope: (...known) => {
          const usual = scope(...known);
          return usual === undefined ? undefined : `${usual} offline_access`;
        },
      }),
    ),
  ),

  showing(
    ['auth.scope-authoritative#spaces'],
    authorizing(
      'client-auth-spaces-in-percent',
      'The client writes the spaces between scopes as %20 in the authorization request.',
      () => ({
        authorizationRequest(url) {
          url.search = url.search.replaceAll('+', '%20');
          return url;
        },
      }),
    ),
  ),

  showing(
    ['auth.token-request#unknown'],
    authorizing(
      'client-auth-unknown-parameters',
      'The client sends unknown parameters in the authorization request and the token request.',
      () => ({
        authorizationRequest(url) {
          for (const [name, value] of Object.entries(unknown)) url.searchParams.set(name, value);
          return url;
        },
        tokenRequest(ask) {
          ask.params.set('x_trace', '7');
          return ask;
        },
      }),
    ),
  ),

  showing(
    ['auth.redirect-uri-form#other-port', 'auth.redirect-uri-registered#other-port'],
    authorizing(
      'client-auth-another-port',
      'The client uses another loopback port in its redirect URI than the registered one (OAuth 2.1 §8.4.2).',
      () => ({
        authorizationRequest(url) {
          const home = url.searchParams.get('redirect_uri');
          if (home !== null) url.searchParams.set('redirect_uri', withPort(home, '4711'));
          return url;
        },
        tokenRequest(ask) {
          const home = ask.params.get('redirect_uri');
          if (home !== null) ask.params.set('redirect_uri', withPort(home, '4711'));
          return ask;
        },
      }),
    ),
  ),

  showing(
    ['auth.token-request#no-redirect'],
    authorizing(
      'client-auth-token-without-redirect',
      'The client omits redirect_uri in the token request, as in OAuth 2.1.',
      () => ({
        tokenRequest(ask) {
          ask.params.delete('redirect_uri');
          return ask;
        },
      }),
    ),
  ),

  showing(
    [
      'auth.client-authenticates-as-registered#id-beside-basic',
      'auth.client-single-auth-method#id-beside-basic',
    ],
    authorizing(
      'client-auth-id-beside-basic',
      'The client sends client_id in the form of the token request in addition to the Authorization header.',
      ({ authenticates }) => ({
        authenticates(ask, identity) {
          authenticates(ask, identity);
          ask.params.set('client_id', identity.id);
        },
      }),
    ),
  ),

  showing(
    ['auth.cimd-no-shared-secret#empty'],
    authorizing(
      'client-auth-document-empty-secret',
      'The client uses a metadata document and sends its ID with an empty secret in the Authorization header.',
      right => ({
        authenticates: (ask, identity) =>
          right.authenticates(
            ask,
            identity.id.startsWith('https:') ? { ...identity, method: 'client_secret_basic' } : identity,
          ),
      }),
    ),
  ),

  showing(
    ['auth.refresh-not-assumed#never', 'auth.refresh-rotation-followed#never'],
    authorizing(
      'client-auth-never-refreshes',
      'The client starts a new authorization instead of using a refresh token.',
      () => ({ refreshes: false }),
    ),
  ),

  showing(
    ['auth.pkce#longest', 'auth.pkce-values#longest'],
    authorizing(
      'client-auth-longest-verifier',
      'The client has a code verifier of 128 characters that contains all allowed punctuation characters.',
      () => ({
        pkce() {
          const verifier = `-._~${randomBytes(93).toString('base64url')}`;
          return { verifier, challenge: sha256(verifier) };
        },
      }),
    ),
  ),

  showing(
    ['auth.dcr-request#much'],
    authorizing(
      'client-auth-registers-much',
      'The client registers with all optional metadata and several redirect URIs.',
      ({ registration }) => ({
        redirectUri: 'http://localhost:3000/callback',
        registration: redirectUri => ({
          ...registration(redirectUri),
          redirect_uris: ['https://client.example/callback', redirectUri, 'http://[::1]:3000/callback'],
          client_uri: 'https://client.example',
          logo_uri: 'https://client.example/logo.png',
          contacts: ['somebody@client.example'],
          software_id: '4NRB1-0XZABZI9E6-5SM3R',
          software_version: '2.1',
          scope: 'a:read b:write',
        }),
      }),
    ),
  ),
];
