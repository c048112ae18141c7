/** basic/authorization for protected servers: responses to requests without a valid token. */

import { bearerOf, bearerParam } from '../../harness/oauth/challenge.js';
import { madeUpTokens, tampered } from '../../harness/oauth/forged-tokens.js';
import { NotObserved } from '../../harness/peer/deferred.js';
import { handshakeMethods } from '../../harness/record/handshake.js';
import type { HttpExchange } from '../../harness/record/http-exchange.js';
import { type HttpContext, scenario } from '../../harness/scenario/scenario.js';
import type { JsonObject } from '../../spec/json-rpc.js';
import { succeeded } from '../rules/derived/http.js';
import { challengesOf } from '../rules/server/authorization.js';
import { opening, withoutSession } from './http.js';
import { isBusy } from './unrelated-refusals.js';

/** The parts of the context that are enough to reach the authentication gate. */
export type AuthorizationContext = Pick<HttpContext, 'peer' | 'http' | 'access'>;

/** Without a handshake, a session and notifications of the client over HTTP. */
export const isModern = ({ revision }: HttpContext['peer']): boolean => revision.era === 'modern';

/** Another request without parameters of its own, to be sent by hand. */
export function asking(
  { peer }: Pick<HttpContext, 'peer'>,
  id: string,
  method: string,
  given?: JsonObject,
): JsonObject {
  const params = peer.era.dress(peer, given);
  return { jsonrpc: '2.0', id, method, ...(params && { params }) };
}

/** Sends the request that was refused without a token, with another Authorization header or none. */
export async function requestWithToken(
  at: AuthorizationContext,
  authorization: string | null,
  query = '',
  more: Readonly<Record<string, string | null>> = {},
): Promise<HttpExchange> {
  const { peer, http, access } = at;
  if (!access.guardsOpening && peer.declared === undefined) await peer.open();
  const body = access.guardsOpening ? opening(peer, 'knock') : asking(at, 'knock', access.guarded);
  const alone = access.guardsOpening ? { 'Mcp-Session-Id': null } : {};
  return http.fetch({
    body,
    headers: { ...alone, Authorization: authorization, ...more },
    ...(query && { url: `${http.url}${http.url.includes('?') ? '&' : '?'}${query}` }),
  });
}

/** Access: a server may refuse with an error in a response whose status is 200. */
export const isAdmitted = (e: HttpExchange): boolean => succeeded(e) && !e.hasError;

const initialized: JsonObject = { jsonrpc: '2.0', method: handshakeMethods.notification };

/**
 * Opens a session with a token: the headers of its requests. Undefined when the server refuses the session.
 */
export async function enter(
  { http, peer }: Pick<HttpContext, 'http' | 'peer'>,
  token: string,
): Promise<Record<string, string | null> | undefined> {
  const Authorization = `Bearer ${token}`;
  const body = opening(peer, 'enters');
  if (isModern(peer))
    return isAdmitted(await http.fetch({ body, headers: { Authorization } })) ? { Authorization } : undefined;
  const opened = await http.fetch({
    body,
    headers: { ...withoutSession, Authorization },
  });
  const headers = { Authorization, 'Mcp-Session-Id': opened.header('mcp-session-id') ?? null };
  const isOpen = isAdmitted(opened) && isAdmitted(await http.fetch({ body: initialized, headers }));
  return isOpen ? headers : undefined;
}

const withoutAccess = { isolation: 'uninitialized', withoutAccess: true } as const;

export const scenarios = [
  scenario.http('server/authorization/as-described', {
    title: 'a server that requires a token sends a Bearer challenge or publishes its metadata',
    verifies: ['auth.http-conform', 'base.auth-http'],
    ...withoutAccess,
    async run(at) {
      const { expect, access } = at;
      const rows = ['auth.http-conform', 'base.auth-http'] as const;
      if (access.closedTo === undefined)
        return expect.notObserved(rows, 'the server requires no authorization');
      const e = await requestWithToken(at, null);
      const told = e.header('www-authenticate') ?? 'no challenge';
      const actual = `${e.outcome}, ${told}, no metadata`;
      for (const row of rows)
        expect.that(row, {
          ok: !access.otherwise,
          expected: 'a Bearer challenge, or metadata of the server',
          evidence: [e],
          actual,
        });
    },
  }),

  scenario.http('server/authorization/without-token', {
    title: 'a request without a token is refused with 401 and a challenge',
    verifies: [
      'auth.401-no-token',
      'auth.challenge-present',
      'auth.challenge-syntax',
      'auth.challenge-no-error-without-credentials',
      'auth.challenge-resource-metadata',
      'auth.validated-before-processing',
    ],
    ...withoutAccess,
    async run(at) {
      const { expect } = at;
      const e = await requestWithToken(at, null);
      expect('auth.401-no-token', e).status(401);
      const all = challengesOf(e);
      if (e.status === 401 && bearerOf(all).length > 0) return;
      // no refusal, or a refusal without a challenge: there is no challenge to check
      const why = 'the response has no challenge';
      if (at.peer.revision.authorization?.bareRefusal) expect.notObserved('auth.challenge-present', why);
      expect.notObserved('auth.challenge-no-error-without-credentials', why);
      if (all.challenges.length === 0 && all.flaw === undefined)
        expect.notObserved('auth.challenge-syntax', why);
      if (e.status === 401) return;
      expect.notObserved(['auth.challenge-present', 'auth.challenge-resource-metadata'], why);
      expect.notObserved(
        'auth.validated-before-processing',
        'the request without a token is not refused with 401',
      );
    },
  }),

  scenario.http('server/authorization/other-requests-without-token', {
    title: 'no HTTP method and no kind of message is accepted without a token',
    verifies: ['auth.401-no-token'],
    ...withoutAccess,
    async run(at) {
      const { http, access, expect, peer } = at;
      if (!access.guardsOpening)
        throw new NotObserved(`the server accepts ${peer.era.opensWith} without a token`);
      const headers = { Authorization: null };
      const asks = [
        { body: asking(at, 'list', 'tools/list'), headers },
        // without a handshake a client sends no notification over HTTP
        ...(isModern(peer) ? [] : [{ body: initialized, headers }]),
        { method: 'GET', headers },
        { method: 'DELETE', headers },
      ];
      for (const ask of asks) {
        const e = await http.fetch(ask);
        if (e.isStream) http.drop(e, { resume: false });
        // a server may detect the missing session before the missing token
        const right = e.status !== undefined && [400, 401, 404, 405].includes(e.status);
        const what = 'body' in ask ? ask.body.method : ask.method;
        expect.that('auth.401-no-token', {
          ok: right,
          expected: `status 401 for ${what}`,
          evidence: [e],
          actual: e.outcome,
        });
      }
    },
  }),

  scenario.http('server/authorization/asked-again', {
    title: 'the challenge names the required scopes, the same in each response',
    verifies: ['auth.challenge-scope', 'auth.scope-set-consistency'],
    ...withoutAccess,
    async run(at) {
      const { expect, access, http } = at;
      const exchanges = [
        await requestWithToken(at, null),
        await requestWithToken(at, null),
        await requestWithToken(at, null),
      ];
      if (!exchanges.every(({ status = 0 }) => status >= 400))
        throw new NotObserved('the request without a token is refused without a status of an error');
      const scopes = exchanges.map(e => bearerParam(challengesOf(e), 'scope'));
      const [first] = scopes;
      if (first === undefined)
        expect.notObserved('auth.scope-set-consistency', 'the challenge names no scopes');
      if (first === undefined && !(await hasScopes(access, http.url)))
        return expect.notObserved(
          'auth.challenge-scope',
          'neither the challenge nor the metadata names scopes',
        );
      expect.that('auth.challenge-scope', {
        ok: first !== undefined,
        expected: 'a scope parameter',
        evidence: [exchanges[0]],
        actual: 'none',
      });
      if (first === undefined) return;
      const sets = scopes.map(scope => scope?.split(' ').sort().join(' '));
      const same = sets.every(set => set === sets[0]);
      expect.that('auth.scope-set-consistency', {
        ok: same,
        expected: `scope ${first} in each challenge`,
        evidence: exchanges,
        actual: scopes.join(' | '),
      });
    },
  }),

  scenario.http('server/authorization/made-up-tokens', {
    title: 'tokens that were never issued are refused with 401 and error="invalid_token"',
    verifies: ['auth.401-invalid-token', 'auth.challenge-invalid-token-error', 'auth.token-validated'],
    ...withoutAccess,
    async run(at) {
      const { expect, access, http } = at;
      const own = access.token && { 'a token with an invalid signature': tampered(access.token) };
      for (const [what, token] of Object.entries({ ...madeUpTokens(http.url), ...own })) {
        const e = await requestWithToken(at, `Bearer ${token}`);
        if (isBusy(e))
          return expect.inconclusive('auth.401-invalid-token', `the server is busy: ${e.outcome}`);
        expect.that('auth.401-invalid-token', {
          ok: e.status === 401,
          expected: `status 401 for ${what}`,
          evidence: [e],
          actual: e.outcome,
        });
        expect.that('auth.token-validated', {
          ok: !isAdmitted(e),
          expected: `no access with ${what}`,
          evidence: [e],
          actual: e.outcome,
        });
        if (e.status !== 401) continue;
        const error = bearerParam(challengesOf(e), 'error');
        const row = 'auth.challenge-invalid-token-error';
        expect.that(row, {
          ok: error === 'invalid_token',
          expected: 'error="invalid_token"',
          evidence: [e],
          actual: error ?? 'no error',
        });
      }
    },
  }),

  scenario.http('server/authorization/malformed', {
    title: 'a malformed Authorization header is refused with 400 or 401',
    verifies: ['auth.400-malformed'],
    ...withoutAccess,
    async run(at) {
      const { expect } = at;
      for (const header of ['Bearer', 'Bearer one two', 'Basic ???']) {
        const e = await requestWithToken(at, header);
        const right = e.status === 400 || e.status === 401;
        const where = `status 400 or 401 for "${header}"`;
        expect.that('auth.400-malformed', {
          ok: right || isBusy(e),
          expected: where,
          evidence: [e],
          actual: e.outcome,
        });
      }
    },
  }),
];

/** Whether the metadata lists scopes. */
async function hasScopes({ web }: HttpContext['access'], url: string): Promise<boolean> {
  const { origin, pathname } = new URL(url);
  const place = `${origin}/.well-known/oauth-protected-resource${pathname.replace(/\/$/, '')}`;
  const answer = await web.ask({ endpoint: 'resource-metadata', url: place });
  return Array.isArray(answer.json?.scopes_supported) && answer.json.scopes_supported.length > 0;
}
