/** Legal variations of authorization servers that bind tokens to keys. */

import { demanding } from '../dpop.js';
import { type AuthorizationDeviation, authorizationQuirk } from '../fault.js';

export const dpopQuirks: readonly AuthorizationDeviation[] = [
  authorizationQuirk(
    'as-dpop-nonce',
    { what: 'The token endpoint demands a nonce.', shows: ['ext-dpop.as-nonce-supplied#required'] },
    demanding('ct_nonce_of_the_mock'),
  ),
];
