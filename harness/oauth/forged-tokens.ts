/** Forged tokens, which no server issued. */

import { generateKeyPairSync, randomBytes, sign } from 'node:crypto';

const encode = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');

/** Forged tokens by description. @param audience the audience claim of the tokens */
export function madeUpTokens(audience: string): Record<string, string> {
  const now = Math.floor(Date.now() / 1000);
  const times = { iat: now, nbf: now, exp: now + 600 };
  const claims = encode({ iss: new URL(audience).origin, sub: 'alice', aud: audience, ...times });
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const head = encode({ alg: 'ES256', typ: 'at+jwt', kid: 'k1' });
  const signed = `${head}.${claims}`;
  const signature = sign('sha256', Buffer.from(signed), { key: privateKey, dsaEncoding: 'ieee-p1363' });
  return {
    'a random string': randomBytes(24).toString('base64url'),
    'a JWT signed with an unknown key': `${signed}.${signature.toString('base64url')}`,
    'an unsigned JWT': `${encode({ alg: 'none', typ: 'at+jwt' })}.${claims}.`,
  };
}

/** The same token with one changed character in its signature. */
export function tampered(token: string): string {
  const at = token.lastIndexOf('.') + 2;
  const other = token[at] === 'A' ? 'B' : 'A';
  return token.slice(0, at) + other + token.slice(at + 1);
}
