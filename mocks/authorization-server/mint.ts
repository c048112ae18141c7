/**
 * Issues arbitrary tokens on request: a server that trusts the mock is tested with tokens that a correct
 * issuer never issues.
 */

import { SignJWT } from 'jose/jwt/sign';
import { generateKeyPair } from 'jose/key/generate/keypair';
import { asText, isObject, type JsonObject, parseObject } from '../../spec/json-rpc.js';
import type { HttpReply } from '../server/http/reply.js';
import { json, oauthError } from './answers.js';
import { unguessable } from './records.js';
import type { Ask } from './request.js';
import { scopeSet } from './request.js';
import type { TokenSetting } from './token.js';

/**
 * Takes claims as JSON: `aud`, `scope`, `sub`, `exp` (seconds from now), `cnf` (for a token
 * that is bound to a key) and, for a token of another issuer signed by
 * another key, `iss`.
 */
export async function mint(ask: Ask, setting: TokenSetting): Promise<HttpReply> {
  const wanted = parseObject(ask.body);
  if (!wanted) return oauthError(400, 'invalid_request', 'The body must be an object of claims.');
  const { issuer, now, signer, records } = setting;
  const { sub = 'alice', scope = '', exp = 3_600, iss = issuer } = wanted;
  const audience = wanted.aud === undefined ? [] : [wanted.aud].flat().map(String);
  const iat = now();
  const expires = iat + Number(exp);
  const claims: JsonObject = {
    ...{ iss, sub, scope, client_id: 'mcp-conform', iat, nbf: iat, exp: expires, jti: unguessable('') },
    ...(wanted.aud !== undefined && { aud: wanted.aud }),
    ...(isObject(wanted.cnf) && { cnf: wanted.cnf }),
  };
  const foreign = iss !== issuer;
  const jkt = isObject(wanted.cnf) ? asText(wanted.cnf.jkt) : undefined;
  const value = foreign ? await forge(claims) : await signer.sign(claims, 'at+jwt');
  if (!foreign) {
    const grant = {
      ...{ user: String(sub), client: 'mcp-conform', scope: scopeSet(String(scope)), resource: audience },
      ...{ redirectUri: '', family: { revoked: false } },
    };
    records.accessTokens.set(value, { value, grant, audience, scope: grant.scope, expires, jkt });
  }
  return json(200, {
    access_token: value,
    token_type: jkt === undefined ? 'Bearer' : 'DPoP',
    expires_in: Number(exp),
  });
}

/** A signature by an unknown key. */
async function forge(claims: JsonObject): Promise<string> {
  const { privateKey } = await generateKeyPair('ES256');
  return new SignJWT(claims).setProtectedHeader({ alg: 'ES256', typ: 'at+jwt', kid: 'k1' }).sign(privateKey);
}
