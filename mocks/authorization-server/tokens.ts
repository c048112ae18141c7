/** Access tokens as signed JWTs (RFC 9068), so that any server can be configured to trust the mock. */

import { SignJWT } from 'jose/jwt/sign';
import { exportJWK } from 'jose/key/export';
import { generateKeyPair } from 'jose/key/generate/keypair';
import type { JsonObject } from '../../spec/json-rpc.js';

const algorithm = 'ES256';

export class Signer {
  private readonly keys = generateKeyPair(algorithm);

  /** The public key, as published at `jwks_uri`. */
  async jwks(): Promise<JsonObject> {
    const { publicKey } = await this.keys;
    const jwk = await exportJWK(publicKey);
    return { keys: [{ ...jwk, kid: 'k1', use: 'sig', alg: algorithm } as unknown as JsonObject] };
  }

  async sign(claims: JsonObject, typ: 'at+jwt' | 'JWT'): Promise<string> {
    const { privateKey } = await this.keys;
    return new SignJWT(claims).setProtectedHeader({ alg: algorithm, typ, kid: 'k1' }).sign(privateKey);
  }
}
