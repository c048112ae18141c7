/** io.modelcontextprotocol/enterprise-managed-authorization: faults of clients. */

import type { RequirementId } from '../../../spec/requirement.js';
import type { AuthorizationBehaviour, TokenAsk } from '../authorization-behaviour.js';
import { type ClientDeviation, clientFault, onBehaviour } from '../fault.js';
import { jwtBearer } from '../identity-assertion.js';

type Row = Extract<RequirementId, `ext-enterprise.${string}`> extends `ext-enterprise.${infer R}` ? R : never;

/** A client with one changed decision; it shows one form of the breach of one row. */
const enterprise = (
  id: string,
  what: string,
  [row, form]: readonly [Row, string],
  change: (right: AuthorizationBehaviour) => Partial<AuthorizationBehaviour>,
): ClientDeviation =>
  clientFault(
    `client-enterprise-${id}`,
    {
      what,
      breaks: [`ext-enterprise.${row}` as RequirementId],
      shows: [`ext-enterprise.${row}#${form}`],
      over: ['streamable-http'],
    },
    onBehaviour(({ authorization }) => {
      Object.assign(authorization, change({ ...authorization }));
    }),
  );

const type = 'urn:ietf:params:oauth:token-type:';

/** Changes parameters of the token exchange; null removes one. */
const exchanging =
  (changes: (params: URLSearchParams) => Readonly<Record<string, string | null>>) =>
  (): Pick<AuthorizationBehaviour, 'exchangeRequest'> => ({
    exchangeRequest(ask) {
      for (const [name, value] of Object.entries(changes(ask.params)))
        if (value === null) ask.params.delete(name);
        else ask.params.set(name, value);
      return ask;
    },
  });

/** Changes the request with the ID-JAG. */
const presenting = (change: (ask: TokenAsk) => void) => (): Pick<AuthorizationBehaviour, 'tokenRequest'> => ({
  tokenRequest(ask) {
    if (ask.params.get('grant_type') === jwtBearer) change(ask);
    return ask;
  },
});

export const enterpriseFaults: readonly ClientDeviation[] = [
  enterprise(
    'unused',
    'The client sends its user to the authorization endpoint, although it has an ID token of the enterprise.',
    ['flow', 'code'],
    () => ({ usesIdentityAssertion: () => false }),
  ),
  enterprise(
    'exchange-untyped',
    'The token exchange has no requested_token_type.',
    ['exchange-request', 'no-type'],
    exchanging(() => ({ requested_token_type: null })),
  ),
  enterprise(
    'exchange-access-token',
    'The token exchange requests an access token.',
    ['exchange-request', 'access-token'],
    exchanging(() => ({ requested_token_type: `${type}access_token` })),
  ),
  enterprise(
    'subject-untyped',
    'The token exchange has no subject_token_type.',
    ['exchange-subject', 'no-type'],
    exchanging(() => ({ subject_token_type: null })),
  ),
  enterprise(
    'subject-access-token',
    'The token exchange names the ID token an access token.',
    ['exchange-subject', 'jwt-type'],
    exchanging(() => ({ subject_token_type: `${type}access_token` })),
  ),
  enterprise(
    'no-audience',
    'The token exchange has no audience.',
    ['exchange-audience', 'missing'],
    exchanging(() => ({ audience: null })),
  ),
  enterprise(
    'server-as-audience',
    'The audience of the token exchange is the MCP server.',
    ['exchange-audience', 'server'],
    exchanging(params => ({ audience: params.get('resource') })),
  ),
  enterprise(
    'other-resource',
    'The resource of the token exchange is the authorization server.',
    ['exchange-resource', 'other'],
    exchanging(params => ({ resource: params.get('audience') })),
  ),
  enterprise(
    'other-parameter',
    'The client sends the ID-JAG as subject_token to the authorization server.',
    ['bearer-request', 'other-parameter'],
    presenting(({ params }) => {
      params.set('subject_token', params.get('assertion') ?? '');
      params.delete('assertion');
    }),
  ),
  enterprise(
    'id-token-as-assertion',
    'The client sends the ID token as assertion.',
    ['assertion-unchanged', 'id-token'],
    right => {
      let idToken = '';
      return {
        exchangeRequest(ask) {
          idToken = ask.params.get('subject_token') ?? '';
          return right.exchangeRequest(ask);
        },
        ...presenting(({ params }) => params.set('assertion', idToken))(),
      };
    },
  ),
  enterprise(
    'unauthenticated',
    'The client sends its ID-JAG with its client ID alone.',
    ['client-authenticates', 'none'],
    right => ({
      authenticates(ask, identity) {
        const isBearer = ask.params.get('grant_type') === jwtBearer;
        right.authenticates.call(right, ask, isBearer ? { id: identity.id, method: 'none' } : identity);
      },
    }),
  ),
  enterprise(
    'assertion-in-url',
    'The client sends the ID-JAG in the query of the token request too.',
    ['not-in-url', 'query'],
    presenting(ask => {
      ask.url += `?assertion=${ask.params.get('assertion')}`;
    }),
  ),
  enterprise(
    'assertion-to-server',
    'The client sends the ID-JAG to the MCP server, in a header of its own.',
    ['not-leaked', 'to-server'],
    right => {
      let assertion: string | null = null;
      return {
        ...presenting(({ params }) => {
          assertion = params.get('assertion');
        })(),
        carries(ask, token, first) {
          const sent = right.carries(ask, token, first);
          return assertion === null ? sent : { ...sent, headers: { ...sent.headers, 'x-id-jag': assertion } };
        },
      };
    },
  ),
];
