/** Legal oddities of clients on their way to a token: whoever flags one of these is wrong. */

import { randomBytes } from 'node:crypto';
import { type AuthorizationHabits, sha256 } from '../authorization.js';
import { type ClientDeviation, clientQuirk, onHabits } from '../fault.js';

/** A client of which some decisions about authorization are others, and right all the same. */
const authorizing = (
  id: `client-auth-${string}`,
  what: string,
  change: (right: AuthorizationHabits) => Partial<AuthorizationHabits>,
): ClientDeviation =>
  clientQuirk(
    id,
    { what, over: ['streamable-http'] },
    onHabits(({ authorization }) => {
      Object.assign(authorization, change({ ...authorization }));
    }),
  );

const isMetadata = (address: unknown): boolean => String(address).includes('/.well-known/');

type More = (address: URL) => readonly { readonly url: URL; readonly method: string }[];

/** Asks for something more with each document, and does not look at what comes back. */
const besides =
  (when: 'before' | 'after', more: More) =>
  ({ fetch: usual }: AuthorizationHabits): Pick<AuthorizationHabits, 'fetch'> => ({
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

/** All that may be asked for at an origin. */
const wellKnown = ['oauth-protected-resource', 'oauth-authorization-server', 'openid-configuration'];

/** Parameters nobody knows, or nobody needs. */
const unknown = { nonce: 'n-0S6_WzA2Mj', x_trace: '7', ui_locales: 'fr-CA fr en', access_type: 'offline' };

const withPort = (uri: string, port: string): string => {
  const url = new URL(uri);
  url.port = port;
  return url.href;
};

export const clientAuthorizationQuirks: readonly ClientDeviation[] = [
  authorizing(
    'client-auth-asks-head-first',
    'The client sees with HEAD whether there is a document before it asks for it.',
    besides('before', url => [{ url, method: 'HEAD' }]),
  ),

  authorizing(
    'client-auth-asks-everywhere',
    'The client asks for everything else that may be well-known at an origin, and uses what it should.',
    besides('after', ({ origin }) =>
      wellKnown.map(name => ({ url: new URL(`/.well-known/${name}`, origin), method: 'GET' })),
    ),
  ),

  authorizing(
    'client-auth-asks-each-time-anew',
    'The client registers for every authorization, and keeps no client ID.',
    () => {
      let times = 0;
      return { keepsUnder: issuer => `${issuer} ${++times}` };
    },
  ),

  authorizing(
    'client-auth-scheme-in-lower-case',
    'The client writes the authentication scheme in lower case (RFC 9110 §11.1).',
    () => ({
      carries: (ask, token) => ({ ...ask, headers: { ...ask.headers, authorization: `bearer ${token}` } }),
    }),
  ),

  authorizing(
    'client-auth-offline-access',
    'The client asks for a scope that brings refresh tokens, beside those it is told to ask for.',
    ({ scope }) => ({
      scope: (...known) => {
        const usual = scope(...known);
        return usual === undefined ? undefined : `${usual} offline_access`;
      },
    }),
  ),

  authorizing('client-auth-spaces-in-percent', 'The client writes the spaces between scopes as %20.', () => ({
    authorizationRequest(url) {
      url.search = url.search.replaceAll('+', '%20');
      return url;
    },
  })),

  authorizing(
    'client-auth-unknown-parameters',
    'The client sends parameters that no authorization server need know.',
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

  authorizing(
    'client-auth-another-port',
    'The client listens on another loopback port than the one it registered (OAuth 2.1 §8.4.2).',
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

  authorizing(
    'client-auth-token-without-redirect',
    'The client does not repeat its redirect URI at the token endpoint, as OAuth 2.1 has it.',
    () => ({
      tokenRequest(ask) {
        ask.params.delete('redirect_uri');
        return ask;
      },
    }),
  ),

  authorizing(
    'client-auth-id-beside-basic',
    'The client names itself in the form as well when it proves in the header who it is.',
    ({ authenticates }) => ({
      authenticates(ask, identity) {
        authenticates(ask, identity);
        ask.params.set('client_id', identity.id);
      },
    }),
  ),

  authorizing(
    'client-auth-never-refreshes',
    'The client asks its user again instead of using a refresh token.',
    () => ({ refreshes: false }),
  ),

  authorizing(
    'client-auth-longest-verifier',
    'The client has a code verifier of 128 characters, with all that are allowed beside letters and digits.',
    () => ({
      pkce() {
        const verifier = `-._~${randomBytes(93).toString('base64url')}`;
        return { verifier, challenge: sha256(verifier) };
      },
    }),
  ),

  authorizing(
    'client-auth-registers-much',
    'The client registers with all it can tell about itself, and several redirect URIs.',
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
];
