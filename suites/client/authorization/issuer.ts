/** basic/authorization: the `iss` parameter of authorization responses (RFC 9207 §2.4). */

import type { AuthorityState } from '../../../harness/protected-server/script.js';
import { expectEntry, protectedScenario } from './protected-scenario.js';

interface Response {
  readonly slug: string;
  /** The metadata member `authorization_response_iss_parameter_supported`. */
  readonly announced: boolean | undefined;
  /** The `iss` of the response; undefined: none. */
  readonly iss: (authority: AuthorityState) => string | undefined;
  readonly row: Row;
  readonly official?: string;
  /** The issuer has a path. */
  readonly hasPath?: true;
}

type Row =
  | 'auth.iss-exact'
  | 'auth.iss-mismatch'
  | 'auth.iss-mismatch-unannounced'
  | 'auth.iss-missing'
  | 'auth.iss-optional';

const foreign = 'https://another-issuer.example';
const same = ({ issuer }: AuthorityState): string => issuer;

/** A path that some kinds of normalisation change. */
const path = '/Tenant';

/** The protection of a scenario: what the metadata announces, and the redirect to the client. */
const responding = (
  { announced, iss, hasPath }: Pick<Response, 'announced' | 'iss' | 'hasPath'>,
  redirect?: (back: URL, authority: AuthorityState) => void,
) => ({
  authorities: {
    main: {
      ...(hasPath && { path }),
      metadata: () => ({ authorization_response_iss_parameter_supported: announced }),
      redirect(back: URL, _: URLSearchParams, authority: AuthorityState) {
        const value = iss(authority);
        if (value !== undefined) back.searchParams.set('iss', value);
        redirect?.(back, authority);
        return back;
      },
    },
  },
});

const accepted: readonly Response[] = [
  { slug: 'equal', announced: true, iss: same, row: 'auth.iss-exact', official: 'auth/iss-supported' },
  { slug: 'equal-unannounced', announced: undefined, iss: same, row: 'auth.iss-mismatch-unannounced' },
  {
    slug: 'none',
    announced: false,
    iss: () => undefined,
    row: 'auth.iss-optional',
    official: 'auth/iss-not-advertised',
  },
];

const refused: readonly Response[] = [
  {
    slug: 'foreign',
    announced: true,
    iss: () => foreign,
    row: 'auth.iss-mismatch',
    official: 'auth/iss-supported-wrong-issuer',
  },
  {
    slug: 'foreign-unannounced',
    announced: undefined,
    iss: () => foreign,
    row: 'auth.iss-mismatch-unannounced',
    official: 'auth/iss-unexpected',
  },
  { slug: 'foreign-denied', announced: false, iss: () => foreign, row: 'auth.iss-mismatch-unannounced' },
  {
    slug: 'missing',
    announced: true,
    iss: () => undefined,
    row: 'auth.iss-missing',
    official: 'auth/iss-supported-missing',
  },
  { slug: 'empty', announced: true, iss: () => '', row: 'auth.iss-missing' },
  {
    slug: 'slash',
    announced: true,
    iss: ({ issuer }) => `${issuer}/`,
    row: 'auth.iss-exact',
    official: 'auth/iss-normalized',
  },
  {
    slug: 'scheme-in-upper-case',
    announced: true,
    iss: ({ issuer }) => issuer.replace(/^http/, 'HTTP'),
    row: 'auth.iss-exact',
  },
  {
    slug: 'path-in-lower-case',
    announced: true,
    iss: ({ issuer }) => issuer.toLowerCase(),
    row: 'auth.iss-exact',
    hasPath: true,
  },
  {
    slug: 'path-encoded',
    announced: true,
    iss: ({ issuer }) => issuer.replace(/Tenant$/, '%54enant'),
    row: 'auth.iss-exact',
    hasPath: true,
  },
];

/** A text that only this error response contains. */
const description = 'authorization-refused-7d41c9';
const errorPath = '/x7/error';

export const scenarios = [
  ...accepted.map(({ row, slug, official, ...response }) =>
    protectedScenario(`client/authorization/issuer/${slug}`, {
      title: 'a client accepts an authorization response that the iss rules allow',
      verifies: [row],
      ...(official && { official }),
      protection: responding(response),
      judge: outcome =>
        expectEntry(outcome, row, 'the client accepts the authorization response and gets a token'),
    }),
  ),

  ...refused.map(({ row, slug, official, ...response }) =>
    protectedScenario(`client/authorization/issuer/${slug}`, {
      title: 'a client sends no token request after an authorization response with a wrong or missing iss',
      verifies: [row],
      ...(official && { official }),
      protection: responding(response),
      judge({ expect, main }) {
        const [asked] = main.authorizations;
        if (!asked) return;
        const used = main.tokenRequests.find(({ params }) => params.get('code') === asked.code);
        const iss = response.iss(main);
        expect.that(row, {
          ok: used === undefined,
          expected: `no token request after a response with ${iss === undefined ? 'no iss' : `iss=${iss}`}`,
          evidence: [asked.exchange, used?.exchange],
          actual: `a token request; the issuer is ${main.issuer}, and the metadata ${announcement(response.announced)}`,
        });
      },
    }),
  ),

  protectedScenario('client/authorization/issuer/error', {
    title: 'a client neither shows nor uses an error response with a foreign iss',
    verifies: ['auth.iss-error-response'],
    protection: responding({ announced: true, iss: () => foreign }, (back, { origin }) => {
      back.searchParams.delete('code');
      back.searchParams.set('error', 'access_denied');
      back.searchParams.set('error_description', description);
      back.searchParams.set('error_uri', origin + errorPath);
    }),
    judge({ protectedServer, expect, main }) {
      const [asked] = main.authorizations;
      if (!asked) return;
      // a log of the whole redirect URL shows no error to the user
      const said = protectedServer.said.replaceAll(`error_description=${description}`, '');
      const [followed] = protectedServer.requests('main', errorPath);
      expect.that('auth.iss-error-response', {
        ok: !said.includes(description) && followed === undefined,
        expected: 'no output with the error_description, and no request for the error_uri',
        evidence: [asked.exchange, followed?.exchange],
        actual: followed
          ? 'a request for the error_uri'
          : 'the error_description is in the output of the client',
      });
    },
  }),
];

const announcement = (announced: boolean | undefined): string =>
  announced === undefined
    ? 'has no authorization_response_iss_parameter_supported'
    : `has authorization_response_iss_parameter_supported: ${announced}`;
