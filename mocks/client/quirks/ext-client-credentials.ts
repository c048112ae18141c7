/** Legal variations of clients that get a token by their own credentials. */

import type { AuthorizationBehaviour } from '../authorization-behaviour.js';
import { clientAssertion } from '../client-assertion.js';
import { type ClientDeviation, clientQuirk, onBehaviour } from '../fault.js';

const machine = (
  id: string,
  what: string,
  shows: string,
  change: (right: AuthorizationBehaviour) => Partial<AuthorizationBehaviour>,
): ClientDeviation =>
  clientQuirk(
    `client-credentials-${id}`,
    { what, shows: [`ext-client-credentials.${shows}`], over: ['streamable-http'] },
    onBehaviour(({ authorization }) => {
      Object.assign(authorization, change({ ...authorization }));
    }),
  );

/** Legal variations of clients with an ID token of the enterprise. */
export const enterpriseQuirks: readonly ClientDeviation[] = [
  clientQuirk(
    'client-enterprise-no-resource',
    {
      what: 'The token exchange has no resource.',
      shows: ['ext-enterprise.exchange-resource#absent'],
      over: ['streamable-http'],
    },
    onBehaviour(({ authorization }) => {
      authorization.exchangeRequest = ask => {
        ask.params.delete('resource');
        return ask;
      };
    }),
  ),
];

export const clientCredentialsQuirks: readonly ClientDeviation[] = [
  machine(
    'aud-endpoint',
    'The aud of the client_assertion is a list with the token endpoint.',
    'assertion-aud#token-endpoint',
    () => ({
      assertion: identity =>
        clientAssertion(identity, {
          claims: { aud: [`${identity.audience}/x7/tk`, 'https://other.example'] },
        }),
    }),
  ),
  machine('no-jti', 'The client_assertion has no jti.', 'assertion-jti#absent', () => ({
    assertion: identity => clientAssertion(identity, { claims: { jti: undefined } }),
  })),
  machine(
    'secret-in-body',
    'The client sends its secret in the body.',
    'client-authenticates#secret-in-body',
    right => ({
      authenticates: (ask, identity) =>
        right.authenticates.call(right, ask, {
          ...identity,
          ...(identity.method === 'client_secret_basic' && { method: 'client_secret_post' as const }),
        }),
    }),
  ),
  machine(
    'client-id-too',
    'The client sends its client ID beside the client_assertion.',
    'client-id-same#present',
    right => ({
      authenticates(ask, identity) {
        right.authenticates.call(right, ask, identity);
        if (identity.method === 'private_key_jwt') ask.params.set('client_id', identity.id);
      },
    }),
  ),
];
