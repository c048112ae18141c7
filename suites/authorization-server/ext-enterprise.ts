/** io.modelcontextprotocol/enterprise-managed-authorization, for authorization servers: tokens for ID-JAGs. */

import type { OAuth } from '../../harness/oauth/client.js';
import { publicPem, signJwt } from '../../harness/oauth/jwt.js';
import {
  anotherKey,
  assertionClaims,
  assertionHeader,
  assertionOf,
  assertionType,
  type IdentityProvider,
  jwtBearer,
  type MachineClient,
} from '../../harness/oauth/machine-client.js';
import { scenario } from '../../harness/scenario/scenario.js';
import type { WebAnswer } from '../../harness/transports/http/side-request.js';
import { asText, type JsonObject, without } from '../../spec/json-rpc.js';
import { claimsOf, grantedScopes } from './jwt.js';
import { expectRefused, gotTokens, shown } from './token-answer.js';

const profile = 'urn:ietf:params:oauth:grant-profile:id-jag';
const needs = ['endpoints', 'machine', 'identity provider'] as const;

interface Enterprise {
  readonly oauth: OAuth;
  readonly machine: MachineClient;
  readonly idp: IdentityProvider;
  readonly resource: string;
}

/** The claims of an ID-JAG that is valid for five minutes. */
function claimsFor({ oauth, machine, idp, resource }: Enterprise, scope?: string): JsonObject {
  const { iat, exp, jti } = assertionClaims('', '');
  return {
    iss: idp.issuer,
    sub: 'alice',
    aud: asText(oauth.metadata.document.issuer),
    client_id: machine.id,
    resource,
    ...(scope !== undefined && { scope }),
    ...{ iat: iat!, exp: exp!, jti: jti! },
  };
}

const headerFor = ({ idp }: Enterprise): JsonObject => ({
  ...assertionHeader(idp.key),
  typ: 'oauth-id-jag+jwt',
});

const signed = (about: Enterprise, claims: JsonObject, header = headerFor(about)): string =>
  signJwt(header, claims, about.idp.key.key);

/** Presents an ID-JAG, with the credentials of the client. */
function present(
  { oauth, machine }: Enterprise,
  assertion: string,
  { scope, deliberate = false }: { readonly scope?: string; readonly deliberate?: boolean } = {},
): Promise<WebAnswer> {
  const form = new URLSearchParams({ grant_type: jwtBearer, assertion, ...(scope && { scope }) });
  const { id, secret, key } = machine;
  if (secret === undefined && key) {
    form.set('client_assertion_type', assertionType);
    form.set('client_assertion', assertionOf(machine, key, asText(oauth.metadata.document.issuer)));
  }
  return oauth.ask(form, { deliberate, ...(secret !== undefined && { basic: [id, secret] }) });
}

const rows = {
  signature: 'ext-enterprise.as-signature',
  alg: 'ext-enterprise.as-alg',
  none: 'ext-enterprise.as-alg-none',
  iss: 'ext-enterprise.as-iss',
  sub: 'ext-enterprise.as-sub',
  aud: 'ext-enterprise.as-aud',
  window: 'ext-enterprise.as-window',
  jti: 'ext-enterprise.as-jti',
  resource: 'ext-enterprise.as-resource',
  client: 'ext-enterprise.as-client',
  typ: 'ext-enterprise.as-typ',
} as const;
const invalidGrant = 'ext-enterprise.as-invalid-grant';

interface Wrong {
  readonly row: (typeof rows)[keyof typeof rows];
  readonly what: string;
  readonly text: string;
}

/** ID-JAGs that are wrong in one point, each with what is wrong. */
function wrongGrants(about: Enterprise): Wrong[] {
  const claims = () => claimsFor(about);
  const changing = (changes: JsonObject) => signed(about, { ...claims(), ...changes });
  const lacking = (name: string) => signed(about, without(claims(), name));
  const [head, , signature] = signed(about, claims()).split('.');
  const [, body] = signed(about, claims()).split('.');
  const header = headerFor(about);
  const now = Number(claims().iat);
  const { key } = about.idp;
  const mac = signJwt({ ...header, alg: 'HS256' }, claims(), publicPem(key.key));
  return [
    { row: rows.signature, what: 'a changed payload', text: `${head}.${body}.${signature}` },
    { row: rows.signature, what: 'another key', text: signJwt(header, claims(), anotherKey(key)) },
    { row: rows.alg, what: 'alg HS256 with the public key as secret', text: mac },
    { row: rows.none, what: 'alg none', text: signJwt({ ...header, alg: 'none' }, claims(), '') },
    { row: rows.iss, what: 'no iss', text: lacking('iss') },
    { row: rows.iss, what: 'another iss', text: changing({ iss: 'https://other.example' }) },
    { row: rows.sub, what: 'no sub', text: lacking('sub') },
    { row: rows.aud, what: 'no aud', text: lacking('aud') },
    { row: rows.aud, what: 'the aud of another server', text: changing({ aud: 'https://other.example' }) },
    { row: rows.window, what: 'an exp an hour ago', text: changing({ iat: now - 7_200, exp: now - 3_600 }) },
    { row: rows.window, what: 'no exp', text: lacking('exp') },
    {
      row: rows.resource,
      what: 'an unknown resource',
      text: changing({ resource: 'https://other.example/mcp' }),
    },
    { row: rows.client, what: 'another client', text: changing({ client_id: 'mcp-conform-another' }) },
    { row: rows.client, what: 'no client_id', text: lacking('client_id') },
    { row: rows.typ, what: 'typ JWT', text: signed(about, claims(), { ...header, typ: 'JWT' }) },
  ];
}

export const scenarios = [
  scenario.authorization('authorization-server/ext-enterprise/grant', {
    title: 'a client gets a token for an ID-JAG, for the resource of the ID-JAG',
    verifies: ['ext-enterprise.as-profile', 'ext-enterprise.as-grant', 'ext-enterprise.as-audience'],
    needs,
    async run({ oauth, expect, machine, identityProvider, target, candidates }) {
      const about = enterpriseOf(oauth, machine, identityProvider, target);
      const place = candidates.find(({ answer }) => answer.status === 200 && answer.json);
      const read = await oauth.web.ask({ endpoint: 'metadata', url: place?.url ?? target });
      const profiles = oauth.metadata.document.authorization_grant_profiles_supported;
      expect.that('ext-enterprise.as-profile', {
        ok: Array.isArray(profiles) && profiles.includes(profile),
        expected: `authorization_grant_profiles_supported with ${profile}`,
        evidence: [read.exchange],
        actual: profiles === undefined ? 'no such member' : JSON.stringify(profiles),
      });
      const answer = await present(about, signed(about, claimsFor(about)));
      expect.that('ext-enterprise.as-grant', {
        ok: gotTokens(answer),
        expected: 'an access token',
        evidence: [answer.exchange],
        actual: shown(answer),
      });
      const claims = claimsOf(answer.json?.access_token);
      const row = 'ext-enterprise.as-audience';
      if (!claims) return expect.notObserved(row, 'the token does not show its audience');
      const audience = [claims.aud ?? []].flat().map(one => String(one).replace(/\/$/, ''));
      expect.that(row, {
        ok: audience.includes(about.resource.replace(/\/$/, '')),
        expected: `aud ${about.resource}`,
        evidence: [answer.exchange],
        actual: `aud ${JSON.stringify(claims.aud)}`,
      });
    },
  }),

  scenario.authorization('authorization-server/ext-enterprise/scope', {
    title: 'a token for an ID-JAG has no scope beyond those of the ID-JAG',
    verifies: ['ext-enterprise.as-scope'],
    needs,
    async run({ oauth, expect, machine, identityProvider, target }) {
      const row = 'ext-enterprise.as-scope';
      const about = enterpriseOf(oauth, machine, identityProvider, target);
      const known = oauth.metadata.document.scopes_supported;
      const [one, other] = Array.isArray(known) ? known.map(asText) : [];
      if (one === undefined || other === undefined)
        return expect.notObserved(row, 'the metadata does not list two scopes');
      const text = signed(about, claimsFor(about, one));
      const answer = await present(about, text, { scope: `${one} ${other}`, deliberate: true });
      const said = answer.json?.scope;
      const granted = typeof said === 'string' ? said.split(' ') : grantedScopes(answer);
      if (gotTokens(answer) && !granted)
        return expect.notObserved(row, 'neither the response nor the token shows the granted scope');
      expect.that(row, {
        ok: !gotTokens(answer) || !granted?.includes(other),
        expected: `no scope ${other}, which the ID-JAG lacks`,
        evidence: [answer.exchange],
        actual: `scope ${granted?.join(' ')}`,
      });
    },
  }),

  scenario.authorization('authorization-server/ext-enterprise/wrong-id-jags', {
    title: 'an ID-JAG that is wrong in one point, or comes twice, gets no token',
    verifies: [...Object.values(rows), invalidGrant],
    needs,
    async run({ oauth, expect, machine, identityProvider, target }) {
      const about = enterpriseOf(oauth, machine, identityProvider, target);
      const right = signed(about, claimsFor(about));
      const accepted = await present(about, right);
      if (!gotTokens(accepted)) {
        for (const row of [...Object.values(rows), invalidGrant] as const)
          expect.inconclusive(row, `the authorization server accepts no correct ID-JAG: ${shown(accepted)}`);
        return;
      }
      const wrong = [{ row: rows.jti, what: 'the same ID-JAG again', text: right }, ...wrongGrants(about)];
      let refusals = 0;
      for (const { row, what, text } of wrong) {
        const answer = await present(about, text, { deliberate: true });
        expectRefused(expect, row, answer, `an access token for ${what}`);
        if (answer.status === undefined || gotTokens(answer)) continue;
        if (row !== rows.aud && row !== rows.resource) continue;
        refusals++;
        expect.that(invalidGrant, {
          ok: answer.json?.error === 'invalid_grant',
          expected: 'error invalid_grant',
          evidence: [answer.exchange],
          actual: `${shown(answer)} for ${what}`,
        });
      }
      if (refusals === 0) expect.notObserved(invalidGrant, 'nothing is refused');
    },
  }),
];

/** The parts of a flow; the plan makes sure that the user has named them. */
const enterpriseOf = (
  oauth: OAuth,
  machine: MachineClient | undefined,
  idp: IdentityProvider | undefined,
  target: URL,
): Enterprise => ({ oauth, machine: machine!, idp: idp!, resource: oauth.resource ?? target.href });
