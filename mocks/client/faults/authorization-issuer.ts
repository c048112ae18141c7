/**
 * basic/authorization in revisions without a handshake: faults of clients with authorization responses,
 * registrations, and changes of the authorization server.
 */

import type { JsonObject } from '../../../spec/json-rpc.js';
import { showing } from '../../fault.js';
import { isStateless } from '../../server/faults/shared.js';
import type { ClientDeviation } from '../fault.js';
import { authorizing } from './authorization.js';

/** An issuer as a comparison that normalises URLs sees it. */
const normalised = (uri: string): string => (URL.canParse(uri) ? new URL(uri).href : uri);

/** What a client knows of an authorization response. */
interface Response {
  readonly answer: URLSearchParams;
  readonly issuer: string;
  readonly metadata: JsonObject;
}

type Breaks = Parameters<typeof authorizing>[2];
type Also = (response: Response) => boolean;

/** A client that decides in another way whether it accepts a response. */
const deciding = (
  id: `client-auth-iss-${string}`,
  what: string,
  breaks: Breaks,
  decide: (isRight: boolean, response: Response) => boolean,
): ClientDeviation =>
  authorizing(id, what, breaks, right => ({
    acceptsIssuer: (answer, issuer, metadata) =>
      decide(right.acceptsIssuer(answer, issuer, metadata), { answer, issuer, metadata }),
  }));

/** A client that also accepts some wrong responses. */
const alsoAccepting = (id: `client-auth-iss-${string}`, what: string, breaks: Breaks, also: Also) =>
  deciding(id, what, breaks, (isRight, response) => isRight || also(response));

/** A client that also refuses some right responses. */
const alsoRefusing = (id: `client-auth-iss-${string}`, what: string, breaks: Breaks, also: Also) =>
  deciding(id, what, breaks, (isRight, response) => isRight && !also(response));

/** A client that compares `iss` in another way. */
const comparing = (
  id: `client-auth-iss-${string}`,
  what: string,
  equal: (iss: string, issuer: string) => boolean,
) =>
  alsoAccepting(id, what, ['auth.iss-exact'], ({ answer, issuer }) => equal(answer.get('iss') ?? '', issuer));

const isAnnounced = (metadata: JsonObject): boolean =>
  metadata.authorization_response_iss_parameter_supported === true;

export const authorizationIssuerFaults = [
  showing(
    [
      'auth.iss-error-response#unchecked',
      'auth.iss-exact#unchecked',
      'auth.iss-mismatch#unchecked',
      'auth.iss-mismatch-unannounced#unchecked',
      'auth.iss-missing#missing',
    ],
    alsoAccepting(
      'client-auth-iss-ignored',
      'The client ignores the iss of authorization responses.',
      [
        'auth.iss-exact',
        'auth.iss-mismatch',
        'auth.iss-mismatch-unannounced',
        'auth.iss-missing',
        'auth.iss-error-response',
      ],
      () => true,
    ),
  ),

  showing(
    ['auth.iss-mismatch-unannounced#if-announced'],
    alsoAccepting(
      'client-auth-iss-only-if-announced',
      'The client compares iss only when the metadata announces it.',
      ['auth.iss-mismatch-unannounced'],
      ({ metadata }) => !isAnnounced(metadata),
    ),
  ),

  showing(
    ['auth.iss-mismatch-unannounced#if-announced'],
    alsoAccepting(
      'client-auth-iss-not-if-denied',
      'The client ignores iss when the metadata says that it is not supported.',
      ['auth.iss-mismatch-unannounced'],
      ({ metadata }) => metadata.authorization_response_iss_parameter_supported === false,
    ),
  ),

  showing(
    ['auth.iss-missing#missing'],
    alsoAccepting(
      'client-auth-iss-may-miss',
      'The client accepts an authorization response without the announced iss.',
      ['auth.iss-missing'],
      ({ answer }) => !answer.has('iss'),
    ),
  ),

  showing(
    ['auth.iss-missing#empty'],
    alsoAccepting(
      'client-auth-iss-may-be-empty',
      'The client accepts an authorization response with an empty iss.',
      ['auth.iss-missing'],
      ({ answer }) => answer.get('iss') === '',
    ),
  ),

  showing(
    [
      'auth.iss-error-response#unchecked',
      'auth.iss-mismatch#unchecked',
      'auth.iss-mismatch-unannounced#unchecked',
    ],
    alsoAccepting(
      'client-auth-iss-any-host',
      'The client accepts every iss that is a URL without a path.',
      ['auth.iss-mismatch', 'auth.iss-mismatch-unannounced', 'auth.iss-error-response'],
      ({ answer }) => /^https?:\/\/[^/]+$/.test(answer.get('iss') ?? ''),
    ),
  ),

  showing(
    ['auth.iss-error-response#shown'],
    alsoAccepting(
      'client-auth-iss-error-unchecked',
      'The client shows an error response without a comparison of its iss.',
      ['auth.iss-error-response'],
      ({ answer }) => answer.has('error'),
    ),
  ),

  showing(
    ['auth.iss-error-response#followed'],
    authorizing(
      'client-auth-iss-error-followed',
      'The client requests the error_uri of an error response with a foreign iss.',
      ['auth.iss-error-response'],
      right => ({
        acceptsIssuer(answer, issuer, metadata) {
          const page = answer.get('error_uri');
          if (page !== null) void right.fetch(page, { redirect: 'manual' }).catch(() => {});
          return right.acceptsIssuer(answer, issuer, metadata);
        },
      }),
    ),
  ),

  showing(
    ['auth.iss-optional#demanded'],
    alsoRefusing(
      'client-auth-iss-demanded',
      'The client refuses an authorization response without iss when the metadata says that iss is not supported.',
      ['auth.iss-optional'],
      ({ answer, metadata }) =>
        metadata.authorization_response_iss_parameter_supported === false && !answer.has('iss'),
    ),
  ),

  showing(
    ['auth.iss-mismatch-unannounced#correct-refused'],
    alsoRefusing(
      'client-auth-iss-unexpected',
      'The client refuses an authorization response with a correct iss that the metadata does not announce.',
      ['auth.iss-mismatch-unannounced'],
      ({ answer, metadata }) => !isAnnounced(metadata) && answer.has('iss'),
    ),
  ),

  showing(
    ['auth.iss-exact#correct-refused'],
    alsoRefusing(
      'client-auth-iss-not-understood',
      'The client refuses every authorization response with an announced iss.',
      ['auth.iss-exact'],
      ({ answer, metadata }) => isAnnounced(metadata) && answer.has('iss'),
    ),
  ),

  showing(
    ['auth.iss-exact#slash'],
    comparing(
      'client-auth-iss-slash',
      'The client ignores a slash at the end of iss.',
      (iss, issuer) => iss.replace(/\/$/, '') === issuer,
    ),
  ),

  showing(
    ['auth.iss-exact#parsed'],
    comparing(
      'client-auth-iss-parsed',
      'The client compares iss with the issuer after both were parsed as URLs.',
      (iss, issuer) => normalised(iss) === normalised(issuer),
    ),
  ),

  showing(
    ['auth.iss-exact#case'],
    comparing(
      'client-auth-iss-any-case',
      'The client compares iss with the issuer without regard to case.',
      (iss, issuer) => iss.toLowerCase() === issuer.toLowerCase(),
    ),
  ),

  showing(
    ['auth.iss-exact#decoded'],
    comparing(
      'client-auth-iss-decoded',
      'The client compares iss with the issuer after percent-decoding.',
      (iss, issuer) => decodeURIComponent(iss) === issuer,
    ),
  ),

  showing(
    ['auth.iss-exact#host'],
    comparing(
      'client-auth-iss-host-only',
      'The client compares only the origin of iss.',
      (iss, issuer) => URL.canParse(iss) && new URL(iss).origin === new URL(issuer).origin,
    ),
  ),

  showing(
    ['auth.no-credential-reuse#reused', 'auth.registration-per-as#shared', 'auth.reregister#not-registered'],
    authorizing(
      'client-auth-credentials-for-all',
      'The client uses the credentials from its first registration at every authorization server.',
      ['auth.no-credential-reuse', 'auth.registration-per-as', 'auth.reregister'],
      () => ({ keepsUnder: () => '' }),
      isStateless,
    ),
  ),

  showing(
    ['auth.dcr-application-type#missing'],
    authorizing(
      'client-auth-no-application-type',
      'The client sends a registration request without application_type.',
      ['auth.dcr-application-type'],
      right => ({
        registration(uri) {
          const { application_type: _, ...others } = right.registration(uri);
          return others;
        },
      }),
    ),
  ),

  showing(
    ['auth.dcr-application-type#unknown'],
    authorizing(
      'client-auth-unknown-application-type',
      'The client sends a registration request with an application_type that does not exist.',
      ['auth.dcr-application-type'],
      right => ({ registration: uri => ({ ...right.registration(uri), application_type: 'desktop' }) }),
    ),
  ),

  showing(
    ['auth.dcr-application-type-native#web'],
    authorizing(
      'client-auth-web-on-loopback',
      'The client registers a redirect URI on loopback with the application_type web.',
      ['auth.dcr-application-type-native'],
      right => ({ registration: uri => ({ ...right.registration(uri), application_type: 'web' }) }),
    ),
  ),

  showing(
    ['auth.dcr-rejection-handled#endless'],
    authorizing(
      'client-auth-registers-for-ever',
      'The client sends the same registration request six times when the server refuses it.',
      ['auth.dcr-rejection-handled'],
      () => ({ mostRegistrations: 6 }),
    ),
  ),

  showing(
    ['auth.dcr-rejection-handled#goes-on'],
    authorizing(
      'client-auth-unregistered-anyway',
      'The client sends an authorization request with an invented client ID after its registration was refused.',
      ['auth.dcr-rejection-handled'],
      () => ({ identityWithout: { id: 'my-client', method: 'none' } }),
    ),
  ),

  showing(
    ['auth.dcr-rejection-reported#silent'],
    authorizing(
      'client-auth-fails-in-silence',
      'The client prints nothing and exits with code 0 when authorization fails.',
      ['auth.dcr-rejection-reported'],
      () => ({ reportsFailures: false }),
    ),
  ),

  showing(
    ['auth.client-authenticates-as-registered#other-id', 'auth.client-id-mechanism#other-id'],
    authorizing(
      'client-auth-id-of-another',
      'The client registers, and then uses another client ID.',
      ['auth.client-id-mechanism', 'auth.client-authenticates-as-registered'],
      () => ({ presents: identity => ({ ...identity, id: 'my-client' }) }),
    ),
  ),

  showing(
    ['auth.refresh-grant-type#not-listed'],
    authorizing(
      'client-auth-no-refresh-grant',
      'The client uses refresh tokens and registers without the grant type refresh_token.',
      ['auth.refresh-grant-type'],
      right => ({
        registration: uri => ({ ...right.registration(uri), grant_types: ['authorization_code'] }),
      }),
    ),
  ),

  showing(
    ['auth.refresh-not-assumed#invented'],
    authorizing(
      'client-auth-invented-refresh-token',
      'The client sends a token request with an invented refresh token when it received none.',
      ['auth.refresh-not-assumed'],
      right => ({ nextRefreshToken: (used, given) => right.nextRefreshToken(used, given) || 'my-token' }),
    ),
  ),

  showing(
    [
      'auth.refresh-confidential#shown',
      'auth.token-not-in-query#refresh-token',
      'auth.token-not-leaked#refresh-token',
    ],
    authorizing(
      'client-auth-refresh-token-shown',
      'The client sends its refresh token in further authorization requests.',
      ['auth.refresh-confidential', 'auth.token-not-leaked', 'auth.token-not-in-query'],
      right => {
        let last: string | undefined;
        return {
          nextRefreshToken(used, given) {
            last = right.nextRefreshToken(used, given);
            return last;
          },
          authorizationRequest(url) {
            if (last) url.searchParams.set('refresh_token', last);
            return right.authorizationRequest(url);
          },
        };
      },
    ),
  ),

  showing(
    ['auth.scope-union#newest-only'],
    authorizing(
      'client-auth-newest-scope-only',
      'The client requests only the scopes of the challenge when it requests more scope.',
      ['auth.scope-union'],
      () => ({ scopeAgain: (_, wanted) => wanted }),
    ),
  ),
] satisfies readonly ClientDeviation[];
