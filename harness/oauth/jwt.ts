/**
 * JWTs of OAuth: what one says, and signed ones, also such as a library refuses to make. Signatures are checked with jose.
 */

import { constants, createHmac, createPrivateKey, createPublicKey, type KeyObject, sign } from 'node:crypto';
import { compactVerify } from 'jose/jws/compact/verify';
import { asText, type JsonObject, parseObject } from '../../spec/json-rpc.js';

interface Jwt {
  readonly header: JsonObject;
  readonly claims: JsonObject;
}

/** Header and claims of a JWT in compact serialization, without a check; undefined for another text. */
export function readJwt(text: string): Jwt | undefined {
  if (!/^[\w-]+\.[\w-]+\.[\w-]*$/.test(text)) return undefined;
  const [header, claims] = text
    .split('.')
    .slice(0, 2)
    .map(part => parseObject(Buffer.from(part, 'base64url').toString('utf8')));
  return header && claims && { header, claims };
}

const encode = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');

/** The digest of each algorithm, and what else its signature needs. */
const algorithms: Readonly<Record<string, { digest: string | null; pss?: true }>> = {
  ES256: { digest: 'sha256' },
  ES384: { digest: 'sha384' },
  ES512: { digest: 'sha512' },
  RS256: { digest: 'sha256' },
  RS384: { digest: 'sha384' },
  RS512: { digest: 'sha512' },
  PS256: { digest: 'sha256', pss: true },
  EdDSA: { digest: null },
};

/**
 * A signed JWT. @param header its `alg` decides: `none` has an empty signature, `HS256` takes a text as the secret
 * @throws {Error} for another algorithm, or a key of another kind
 */
export function signJwt(header: JsonObject, claims: JsonObject, key: KeyObject | string): string {
  const input = `${encode(header)}.${encode(claims)}`;
  const alg = asText(header.alg);
  if (alg === 'none') return `${input}.`;
  if (alg === 'HS256') return `${input}.${createHmac('sha256', key).update(input).digest('base64url')}`;
  const how = algorithms[alg];
  if (!how) throw new Error(`The algorithm "${alg}" is unknown.`);
  const padding = how.pss && {
    padding: constants.RSA_PKCS1_PSS_PADDING,
    saltLength: constants.RSA_PSS_SALTLEN_DIGEST,
  };
  const own = typeof key === 'string' ? createPrivateKey(key) : key;
  const signature = sign(how.digest, Buffer.from(input), { key: own, dsaEncoding: 'ieee-p1363', ...padding });
  return `${input}.${signature.toString('base64url')}`;
}

/** Whether the signature of a JWT verifies with a public key, by the algorithm of its header. */
export async function verifiesWith(text: string, key: KeyObject): Promise<boolean> {
  return compactVerify(text, key).then(
    () => true,
    () => false,
  );
}

/** The public part of a key, as PEM. */
export const publicPem = (key: KeyObject): string =>
  (key.type === 'public' ? key : createPublicKey(key)).export({ type: 'spki', format: 'pem' }).toString();
