/** Legal variations of authorization servers that bind tokens to keys. */

import { demanding } from '../dpop.js';
import { type AuthorizationDeviation, authorizationQuirk } from '../fault.js';

export const dpopQuirks: readonly AuthorizationDeviation[] = [
  authorizationQuirk(
    'as-dpop-nonce',
    { what: 'The token endpoint demands a nonce.', shows: ['ext-dpop.as-nonce-supplied#required'] },
    demanding('ct_nonce_of_the_mock'),
  ),
  authorizationQuirk(
    'as-dpop-nonce-for-iat',
    {
      what: 'The token endpoint demands a nonce, and does not compare iat with the time.',
      shows: ['ext-dpop.as-proof-iat#nonce'],
    },
    {
      ...demanding('ct_nonce_of_the_mock'),
      proofChecks: {
        ...demanding('ct_nonce_of_the_mock').proofChecks,
        iat: ({ claims }) => typeof claims.iat === 'number',
      },
    },
  ),
];
