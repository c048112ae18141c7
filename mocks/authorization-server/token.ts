/** The token endpoint: exchanges codes and refresh tokens for access tokens (OAuth 2.1 §3.2). */

import { readJwt } from '../../harness/oauth/jwt.js';
import { assertionType } from '../../harness/oauth/machine-client.js';
import { asText, type JsonObject } from '../../spec/json-rpc.js';
import type { HttpReply } from '../server/http/reply.js';
import { json, oauthError } from './answers.js';
import type { Setting } from './authorize.js';
import { prove } from './dpop.js';
import { type IdentityProvider, identityGrant, jwtBearer } from './identity-assertion.js';
import { type Client, type Grant, unguessable } from './records.js';
import { type Ask, repeated, scopeSet } from './request.js';
import type { Signer } from './tokens.js';

export interface TokenSetting extends Setting {
  readonly identityProvider?: IdentityProvider | undefined;
  readonly signer: Signer;
  /** Tokens can be bound to keys. */
  readonly dpop: boolean;
  /** Thumbprint of the key to which the token of this request is bound. */
  readonly jkt?: string | undefined;
}

export async function token(ask: Ask, known: TokenSetting): Promise<HttpReply> {
  const setting = { ...known };
  const { params } = ask;
  const twice = repeated(params);
  if (twice) return oauthError(400, 'invalid_request', `The parameter ${twice} is repeated.`);
  const client = await authenticate(ask, setting);
  if (!client) {
    const basic = ask.headers.get('authorization')?.toLowerCase().startsWith('basic ');
    const challenge: HttpReply['headers'] = basic
      ? { 'WWW-Authenticate': 'Basic realm="token endpoint"' }
      : {};
    return oauthError(
      401,
      'invalid_client',
      'The client is unknown, or its authentication failed.',
      challenge,
    );
  }
  const proven = known.dpop ? await provenKey(ask, client, known) : undefined;
  if (proven && 'status' in proven) return proven;
  setting.jkt = proven?.jkt;
  switch (params.get('grant_type')) {
    case 'authorization_code':
      return redeem(ask, client, setting);
    case 'refresh_token':
      return refresh(ask, client, setting);
    case 'client_credentials':
      return byOwnCredentials(ask, client, setting);
    case jwtBearer: {
      const grant = await identityGrant(ask, client, setting);
      if ('status' in grant) return grant;
      const params = new URLSearchParams(ask.params);
      params.delete('scope');
      return issue({ ...ask, params }, client, grant, setting, false);
    }
    case null:
      return oauthError(400, 'invalid_request', 'grant_type is missing.');
    default:
      return oauthError(
        400,
        'unsupported_grant_type',
        'The supported grant types are authorization_code and refresh_token.',
      );
  }
}

/** The key of the proof in a token request, or the response that refuses it (RFC 9449 §5). */
async function provenKey(
  ask: Ask,
  client: Client,
  { policy, now }: TokenSetting,
): Promise<HttpReply | { jkt: string | undefined }> {
  const header = ask.headers.get('dpop');
  const mustProve = client.boundOnly === true && policy.enforcesBoundOnly();
  const refused = (why: string) => oauthError(400, policy.proofError(), `The proof is refused: ${why}.`);
  if (header === undefined) return mustProve ? refused('it is missing') : { jkt: undefined };
  const facts = { method: ask.method, url: ask.origin + ask.url.pathname, now: now() };
  const proven = await prove(header, facts, policy);
  if ('jkt' in proven) return proven;
  if ('flaw' in proven) return refused(proven.flaw);
  return oauthError(400, 'use_dpop_nonce', 'A nonce is required.', policy.nonceHeaders(proven.nonce));
}

/** The client, if it authenticates by its registered method. */
async function authenticate(ask: Ask, setting: Setting): Promise<Client | undefined> {
  const { params, headers } = ask;
  const { policy } = setting;
  const assertion = params.get('client_assertion');
  if (assertion !== null) return clientOf(assertion, ask, setting);
  const [, basic] = /^basic +(\S+)$/i.exec(headers.get('authorization') ?? '') ?? [];
  const pair = basic && Buffer.from(basic, 'base64').toString('utf8');
  const [id, secret] = pair
    ? pair.split(':', 2).map(formDecode)
    : [params.get('client_id'), params.get('client_secret')];
  const client = await setting.findClient(id ?? null);
  if (!client) return undefined;
  const method = pair ? 'client_secret_basic' : secret ? 'client_secret_post' : 'none';
  if (method === 'none' && policy.allowsMachine(client) && !policy.needsMachineCredentials()) return client;
  return client.authMethod === method && policy.secretMatches(client, secret ?? '') ? client : undefined;
}

/** The client that authenticates by an assertion (RFC 7523 §3). */
async function clientOf(text: string, { params, origin, url }: Ask, setting: Setting) {
  const { policy, issuer, now } = setting;
  const jwt = params.get('client_assertion_type') === assertionType ? readJwt(text) : undefined;
  const client = jwt && (await setting.findClient(asText(policy.assertionClient(jwt.claims))));
  if (!jwt || !client?.key) return undefined;
  const facts = { client, issuer, endpoint: origin + url.pathname, now: now() };
  const checks = Object.values(policy.assertionChecks);
  if (!checks.every(check => check(jwt.claims, facts))) return undefined;
  return (await policy.assertionVerifies(text, jwt.header, client.key)) ? client : undefined;
}

/** A token without a user (OAuth 2.1 §4.2). */
async function byOwnCredentials(ask: Ask, client: Client, setting: TokenSetting): Promise<HttpReply> {
  const { policy, scopes } = setting;
  if (!policy.allowsMachine(client))
    return oauthError(400, 'unauthorized_client', 'The client may not use this grant.');
  const asked = scopeSet(ask.params.get('scope'));
  const grant: Grant = {
    user: client.id,
    client: client.id,
    scope: asked.filter(value => scopes.includes(value)),
    resource: ask.params.getAll('resource'),
    redirectUri: '',
    family: { revoked: false },
  };
  return issue(ask, client, grant, setting, false);
}

const formDecode = (text: string): string => new URLSearchParams(`v=${text}`).get('v') ?? '';

const invalidGrant = (why: string): HttpReply => oauthError(400, 'invalid_grant', why);

async function redeem(ask: Ask, client: Client, setting: TokenSetting): Promise<HttpReply> {
  const { policy, records, now } = setting;
  const { params } = ask;
  const given = params.get('code');
  if (given === null) return oauthError(400, 'invalid_request', 'code is missing.');
  const code = records.codes.get(given);
  if (!code || code.expires <= now()) return invalidGrant('The code is unknown or expired.');
  const { grant } = code;
  if (!policy.ownGrant(grant, client)) return invalidGrant('The code was issued to another client.');
  const redirectUri = params.get('redirect_uri');
  if (redirectUri !== null && redirectUri !== grant.redirectUri)
    return invalidGrant('The redirect URI differs from the authorization request.');
  if (!policy.verifies(grant, params.get('code_verifier')))
    return invalidGrant('The code verifier is missing or invalid.');
  if (!policy.codeUsable(code)) {
    grant.family.revoked ||= policy.revokesOnReplay();
    return invalidGrant('The code was used before.');
  }
  code.spent = true;
  return issue(ask, client, grant, setting, true);
}

async function refresh(ask: Ask, client: Client, setting: TokenSetting): Promise<HttpReply> {
  const { policy, records, now } = setting;
  const given = ask.params.get('refresh_token');
  if (given === null) return oauthError(400, 'invalid_request', 'refresh_token is missing.');
  const known = records.refreshTokens.get(given);
  if (!known || known.grant.family.revoked) return invalidGrant('The refresh token is unknown or revoked.');
  if (!policy.ownGrant(known.grant, client))
    return invalidGrant('The refresh token was issued to another client.');
  if (!policy.refreshUsable(known, now())) {
    // the token or its successor was stolen
    known.grant.family.revoked = true;
    return invalidGrant('The refresh token was used before.');
  }
  if (known.jkt !== undefined && !policy.refreshableWith(known.jkt, setting.jkt))
    return invalidGrant('The refresh token is bound to another key.');
  const rotates = policy.rotates(client);
  if (rotates && !known.spent) Object.assign(known, { spent: true, spentAt: now() });
  return issue(ask, client, known.grant, setting, rotates);
}

async function issue(
  ask: Ask,
  client: Client,
  grant: Grant,
  setting: TokenSetting,
  withRefreshToken: boolean,
): Promise<HttpReply> {
  const { policy, records, now, knowsResource } = setting;
  const asked = ask.params.getAll('resource');
  const foreign = asked.some(
    r => !knowsResource(r) || (grant.resource.length > 0 && !grant.resource.includes(r)),
  );
  if (foreign)
    return oauthError(400, 'invalid_target', 'The user did not consent to tokens for this resource.');
  const narrowed = scopeSet(ask.params.get('scope'));
  if (!narrowed.every(value => grant.scope.includes(value)))
    return oauthError(400, 'invalid_scope', 'The request has more scopes than the user consented to.');
  const scope = narrowed.length > 0 ? narrowed : grant.scope;
  const named = policy.audience(grant, asked);
  const audience = named.length === 0 && setting.defaultResource ? [setting.defaultResource] : named;
  const expires = now() + policy.accessLifetime();
  const { jkt } = setting;
  const bound = jkt === undefined ? {} : policy.confirmation(jkt);
  const all = { ...claims(grant, setting, audience, scope, expires), ...bound };
  const value = await setting.signer.sign(all, 'at+jwt');
  records.accessTokens.set(value, { value, grant, audience, scope, expires, jkt });
  const answer: JsonObject = {
    access_token: value,
    token_type: policy.tokenType(jkt !== undefined),
    expires_in: policy.accessLifetime(),
    scope: scope.join(' '),
  };
  if (withRefreshToken && policy.issuesRefreshTokens(client))
    // a public client has no other means to show that the token is its own
    answer.refresh_token = newRefreshToken(grant, setting, client.authMethod === 'none' ? jkt : undefined);
  if (grant.scope.includes('openid')) answer.id_token = await identity(grant, setting);
  return json(200, policy.tokens(answer, ask));
}

function newRefreshToken(grant: Grant, { records }: Setting, jkt?: string): string {
  const value = unguessable('ct_rt_');
  records.refreshTokens.set(value, { value, grant, jkt, spent: false, spentAt: 0 });
  return value;
}

function claims(
  { user, client }: Grant,
  { issuer, now }: Setting,
  audience: readonly string[],
  scope: readonly string[],
  exp: number,
): JsonObject {
  const aud = audience.length === 1 ? audience[0]! : audience.length > 1 ? [...audience] : issuer;
  const iat = now();
  return {
    iss: issuer,
    sub: user,
    aud,
    client_id: client,
    scope: scope.join(' '),
    iat,
    nbf: iat,
    exp,
    jti: unguessable(''),
  };
}

function identity({ user, client, nonce }: Grant, { issuer, now, signer }: TokenSetting): Promise<string> {
  const iat = now();
  return signer.sign(
    { iss: issuer, sub: user, aud: client, iat, exp: iat + 300, ...(nonce && { nonce }) },
    'JWT',
  );
}
