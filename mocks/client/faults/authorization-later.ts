/** basic/authorization: faults of clients in refreshes and later flows, and with their secrets. */

import { showing } from '../../fault.js';
import type { AuthorizationBehaviour, TokenAsk } from '../authorization-behaviour.js';
import type { ClientDeviation } from '../fault.js';
import { authorizing } from './authorization.js';

type Changes = Partial<AuthorizationBehaviour>;

const isRefresh = ({ params }: TokenAsk): boolean => params.get('grant_type') === 'refresh_token';

/** Changes each request with a refresh token. */
const refreshing = (change: (ask: TokenAsk) => TokenAsk): Pick<AuthorizationBehaviour, 'tokenRequest'> => ({
  tokenRequest: ask => (isRefresh(ask) ? change(ask) : ask),
});

/** Sets a parameter of a request with a refresh token. */
const setting = (name: string, value: () => string): Changes =>
  refreshing(ask => {
    ask.params.set(name, value());
    return ask;
  });

export const laterAuthorizationFaults = [
  showing(
    ['auth.client-secret-not-in-url#token'],
    authorizing(
      'client-auth-secret-in-token-url',
      'The client also sends its secret in the URL of the token request.',
      ['auth.client-secret-not-in-url'],
      right => ({
        authenticates(ask, identity) {
          right.authenticates(ask, identity);
          if (identity.secret === undefined) return;
          const url = new URL(ask.url);
          url.searchParams.set('client_secret', identity.secret);
          ask.url = url.href;
        },
      }),
    ),
  ),

  showing(
    ['auth.client-secret-not-in-url#authorization'],
    authorizing(
      'client-auth-secret-in-authorization-url',
      'The client sends its secret in the authorization request.',
      ['auth.client-secret-not-in-url'],
      () => {
        let secret: string | undefined;
        return {
          presents(identity) {
            secret = identity.secret;
            return identity;
          },
          authorizationRequest(url) {
            if (secret !== undefined) url.searchParams.set('client_secret', secret);
            return url;
          },
        };
      },
    ),
  ),

  showing(
    ['auth.pkce-verifier-hidden#shown'],
    authorizing(
      'client-auth-verifier-shown',
      'The client sends the code_verifier in the authorization request.',
      ['auth.pkce-verifier-hidden'],
      right => {
        let verifier = '';
        return {
          pkce() {
            const pair = right.pkce();
            verifier = pair.verifier;
            return pair;
          },
          authorizationRequest(url) {
            url.searchParams.set('code_verifier', verifier);
            return url;
          },
        };
      },
    ),
  ),

  showing(
    ['auth.pkce-values#later'],
    authorizing(
      'client-auth-wrong-verifier-later',
      'The client sends a code_verifier that does not match the code_challenge in its second flow.',
      ['auth.pkce-values'],
      right => {
        let flows = 0;
        return {
          pkce() {
            const pair = right.pkce();
            flows++;
            return flows === 1 ? pair : { ...pair, verifier: right.pkce().verifier };
          },
        };
      },
    ),
  ),

  showing(
    ['auth.client-id-mechanism#other-id-later', 'auth.client-authenticates-as-registered#other-id-later'],
    authorizing(
      'client-auth-other-id-later',
      'The client sends another client ID in its second authorization request.',
      ['auth.client-id-mechanism', 'auth.client-authenticates-as-registered'],
      () => {
        let flows = 0;
        return {
          authorizationRequest(url) {
            flows++;
            if (flows > 1 && !url.searchParams.get('client_id')?.startsWith('https:'))
              url.searchParams.set('client_id', 'my-client');
            return url;
          },
        };
      },
    ),
  ),

  showing(
    ['auth.client-authenticates-as-registered#other-id-later'],
    authorizing(
      'client-auth-other-id-in-refresh',
      'The client sends another client ID in a refresh request.',
      ['auth.client-authenticates-as-registered'],
      () => setting('client_id', () => 'my-client'),
    ),
  ),

  showing(
    ['auth.client-authenticates-as-registered#refresh-without-secret'],
    authorizing(
      'client-auth-refresh-without-secret',
      'The client sends a refresh request without its client secret.',
      ['auth.client-authenticates-as-registered'],
      right => ({
        authenticates: (ask, identity) =>
          right.authenticates(ask, isRefresh(ask) ? { ...identity, method: 'none' } : identity),
      }),
    ),
  ),

  showing(
    ['auth.client-authenticates-as-registered#refresh-without-secret'],
    authorizing(
      'client-auth-refresh-without-basic',
      'The client sends a refresh request without the Authorization header of its registered method.',
      ['auth.client-authenticates-as-registered'],
      right => ({
        authenticates: (ask, identity) =>
          right.authenticates(
            ask,
            isRefresh(ask) && identity.method === 'client_secret_basic'
              ? { ...identity, method: 'none' }
              : identity,
          ),
      }),
    ),
  ),

  showing(
    ['auth.resource-token-request#missing-in-refresh'],
    authorizing(
      'client-auth-no-resource-in-refresh',
      'The client sends no resource in a refresh request.',
      ['auth.resource-token-request'],
      () =>
        refreshing(ask => {
          ask.params.delete('resource');
          return ask;
        }),
    ),
  ),

  showing(
    ['auth.resource-specific#later'],
    authorizing(
      'client-auth-resource-origin-in-refresh',
      'The client sends the origin of the server as resource of a refresh request.',
      ['auth.resource-specific'],
      right => {
        let origin = '';
        return {
          resource(server, document) {
            origin = server.origin;
            return right.resource(server, document);
          },
          ...setting('resource', () => origin),
        };
      },
    ),
  ),

  showing(
    ['auth.refresh-request#json'],
    authorizing(
      'client-auth-json-refresh',
      'The client sends a refresh request as JSON.',
      ['auth.refresh-request'],
      () =>
        refreshing(ask => ({
          ...ask,
          headers: { ...ask.headers, 'content-type': 'application/json' },
          body: JSON.stringify(Object.fromEntries(ask.params)),
        })),
    ),
  ),

  showing(
    ['auth.refresh-request#get'],
    authorizing(
      'client-auth-refresh-by-get',
      'The client sends a refresh request by GET.',
      ['auth.refresh-request', 'auth.token-not-in-query', 'auth.client-secret-not-in-url'],
      () => refreshing(ask => ({ ...ask, method: 'GET', url: `${ask.url}?${ask.params}` })),
    ),
  ),

  showing(
    ['auth.refresh-request#access-token'],
    authorizing(
      'client-auth-access-token-as-refresh-token',
      'The client sends its access token as refresh token.',
      ['auth.refresh-request'],
      right => {
        let last = '';
        return {
          carries(ask, token, first) {
            last = token;
            return right.carries(ask, token, first);
          },
          ...setting('refresh_token', () => last),
        };
      },
    ),
  ),

  showing(
    ['auth.refresh-scope#wider'],
    authorizing(
      'client-auth-wider-refresh',
      'The client requests a further scope in a refresh request.',
      ['auth.refresh-scope'],
      () => setting('scope', () => 'z:further'),
    ),
  ),
] satisfies readonly ClientDeviation[];
