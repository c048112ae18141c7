/** basic/authorization, for clients: rules about single requests, and a few about their order. */

import { fail, pass } from '../../../harness/judge/finding.js';
import { rule } from '../../../harness/judge/rule.js';
import { namesServer } from '../../../harness/oauth/discovery.js';
import type { HttpExchange } from '../../../harness/record/http-exchange.js';
import { method, succeeded } from '../derived/http.js';
import { objectIn } from '../derived/oauth.js';
import {
  accessTokens,
  asked,
  astray,
  bindsTokens,
  canonicalFlaw,
  carried,
  clientIdOf,
  grantOf,
  home,
  isNative,
  isRefresh,
  issued,
  isTextList,
  isUrl,
  naming,
  origin,
  queryOf,
  redemptionFlaw,
  redemptions,
  redirectFlaw,
  redirectTo,
  refreshTokens,
  registrationFlaw,
  repeatedIn,
  resourcesIn,
  samePlace,
  sends,
  sentBy,
  sentObject,
  shownUrl,
  usesScheme,
} from '../derived/oauth-client.js';
import { shown } from '../derived/results.js';
import { toEndpoint } from './streamable-http.js';

export const rules = [
  rule('auth.pkce', function* (conversation) {
    for (const e of asked(conversation, 'authorization'))
      yield queryOf(e).get('code_challenge') ? pass([e]) : fail('code_challenge', [e], 'none');
    for (const e of redemptions(conversation))
      yield sentBy(e).get('code_verifier') ? pass([e]) : fail('code_verifier', [e], 'none');
  }),

  rule('auth.pkce-s256', function* (conversation) {
    for (const e of asked(conversation, 'authorization')) {
      const how = queryOf(e).get('code_challenge_method');
      if (!queryOf(e).get('code_challenge')) continue;
      yield how === 'S256'
        ? pass([e])
        : fail('code_challenge_method=S256', [e], how === null ? 'none, which means plain' : how);
    }
  }),

  rule('auth.pkce-fresh', function* (conversation) {
    const seen = new Map<string, HttpExchange>();
    for (const e of asked(conversation, 'authorization')) {
      const challenge = queryOf(e).get('code_challenge');
      if (!challenge) continue;
      const before = seen.get(challenge);
      // a browser may load the same address again
      if (before && before.request!.url !== e.request!.url)
        yield fail('a new code_challenge in each request', [before, e], challenge);
      else if (!before && seen.size > 0) yield pass([e]);
      seen.set(challenge, e);
    }
  }),

  rule('auth.response-type-code', function* (conversation) {
    for (const e of asked(conversation, 'authorization')) {
      // a second question mark makes the query of the endpoint invalid: auth.client-endpoint-query-kept
      if (/\?.*\?(.*&)?response_type=code(&|$)/.test(e.request!.url)) continue;
      const [type, id] = ['response_type', 'client_id'].map(name => queryOf(e).get(name));
      yield type === 'code' && id
        ? pass([e])
        : fail('response_type=code and client_id', [e], `response_type=${type}, client_id=${id}`);
    }
  }),

  rule('auth.no-repeated-parameters', function* (conversation) {
    for (const e of naming(conversation)) {
      const twice = repeatedIn(queryOf(e)) ?? repeatedIn(new URLSearchParams(e.requestBody ?? ''));
      yield twice === undefined ? pass([e]) : fail(`${twice} once`, [e], `${twice} several times`);
    }
  }),

  rule('auth.redirect-uri-form', function* (conversation) {
    for (const e of asked(conversation, 'authorization')) {
      const uri = queryOf(e).get('redirect_uri');
      if (uri === null) continue;
      const flaw = redirectFlaw(uri);
      yield flaw === undefined ? pass([e]) : fail('a loopback URI or an https URI', [e], flaw);
    }
    for (const e of asked(conversation, 'registration')) {
      const uris = sentObject(e)?.redirect_uris;
      const flaw = Array.isArray(uris) ? uris.map(redirectFlaw).find(wrong => wrong) : undefined;
      if (flaw) yield fail('loopback URIs or https URIs', [e], flaw);
    }
  }),

  rule('auth.redirect-uri-registered', function* (conversation) {
    const told = new Map<string, readonly string[]>();
    for (const e of asked(conversation, 'registration')) {
      const answer = succeeded(e) ? objectIn(e) : undefined;
      const uris = [answer?.redirect_uris, sentObject(e)?.redirect_uris].find(isTextList);
      if (typeof answer?.client_id === 'string' && uris) told.set(answer.client_id, uris);
    }
    for (const e of asked(conversation, 'authorization')) {
      const registered = told.get(queryOf(e).get('client_id') ?? '');
      const uri = queryOf(e).get('redirect_uri');
      if (!registered || uri === null) continue;
      yield registered.some(one => samePlace(one, uri)) ? pass([e]) : fail(registered, [e], uri);
    }
  }),

  rule('auth.state-sent', function* (conversation) {
    for (const e of asked(conversation, 'authorization'))
      yield queryOf(e).get('state') ? pass([e]) : fail('a state value', [e], 'none');
  }),

  rule('auth.resource-authorization-request', function* (conversation) {
    for (const e of asked(conversation, 'authorization'))
      yield resourcesIn(queryOf(e)).length > 0 ? pass([e]) : fail('resource', [e], 'none');
  }),

  rule('auth.resource-token-request', function* (conversation) {
    for (const e of asked(conversation, 'token')) {
      // an assertion names the resource itself, and a token exchange goes to an identity provider
      if (grantOf(e)?.startsWith('urn:')) continue;
      yield resourcesIn(sentBy(e)).length > 0
        ? pass([e])
        : fail('resource', [e], `none, with grant_type=${grantOf(e)}`);
    }
  }),

  rule('auth.resource-target', function* (conversation) {
    if (!URL.canParse(home(conversation))) return;
    const server = new URL(home(conversation));
    for (const e of naming(conversation)) {
      // a token exchange goes to an identity provider
      if (grantOf(e)?.endsWith(':token-exchange')) continue;
      const named = resourcesIn(sentBy(e));
      // auth.resource-canonical reports a value that is not a URI
      if (named.length === 0 || named.some(canonicalFlaw)) continue;
      yield named.some(uri => namesServer(uri, server))
        ? pass([e])
        : fail(server.href, [e], named.join(', '));
    }
  }),

  rule('auth.resource-canonical', function* (conversation) {
    for (const e of naming(conversation))
      for (const uri of resourcesIn(sentBy(e))) {
        const flaw = canonicalFlaw(uri);
        yield flaw === undefined
          ? pass([e])
          : fail('an absolute URI without a fragment', [e], `${uri}: ${flaw}`);
      }
  }),

  rule('auth.dcr-request', function* (conversation) {
    for (const e of asked(conversation, 'registration')) {
      const flaw = registrationFlaw(e);
      yield flaw === undefined ? pass([e]) : fail('POST of a JSON object with redirect_uris', [e], flaw);
    }
  }),

  rule('auth.dcr-application-type', function* (conversation) {
    for (const e of asked(conversation, 'registration')) {
      const sent = sentObject(e);
      if (!sent) continue;
      const type = sent.application_type;
      yield type === 'native' || type === 'web'
        ? pass([e])
        : fail('application_type native or web', [e], shown(type));
    }
  }),

  rule('auth.dcr-application-type-native', function* (conversation) {
    for (const e of asked(conversation, 'registration')) {
      const { application_type: type, redirect_uris: uris } = sentObject(e) ?? {};
      if (!isTextList(uris) || uris.length === 0 || !uris.every(isNative)) continue;
      if (type === 'web') yield fail('application_type native', [e], `web, with the redirect URI ${uris[0]}`);
      else if (type === 'native') yield pass([e]);
    }
  }),

  rule('auth.refresh-grant-type', function* (conversation) {
    const registered = new Map<string, HttpExchange>();
    for (const e of asked(conversation, 'registration')) {
      const id = succeeded(e) ? objectIn(e)?.client_id : undefined;
      if (typeof id === 'string') registered.set(id, e);
    }
    for (const e of asked(conversation, 'token')) {
      const registration = registered.get(clientIdOf(e) ?? '');
      if (grantOf(e) !== 'refresh_token' || !registration) continue;
      const grants = sentObject(registration)?.grant_types;
      yield isTextList(grants) && grants.includes('refresh_token')
        ? pass([registration, e])
        : fail(
            'refresh_token in grant_types of the registration of a client that uses refresh tokens',
            [registration, e],
            grants === undefined ? 'no grant_types' : `grant_types ${shown(grants)}`,
          );
    }
  }),

  rule('auth.refresh-confidential', function* (conversation) {
    const refresh = refreshTokens(conversation);
    if (refresh.size === 0) return;
    for (const e of [...conversation.http(), ...conversation.oauth()]) {
      const found = [...refresh].find(([value]) => sends(e, value));
      if (!found) continue;
      const [, issuer] = found;
      const isHome = e.request?.endpoint === 'token' && origin(e) === issuer;
      yield isHome
        ? pass([e])
        : fail(`refresh token sent to the token endpoint of ${issuer} only`, [e], shownUrl(e));
    }
  }),

  rule('auth.token-request', function* (conversation) {
    for (const e of asked(conversation, 'token')) {
      // grants that redeem no code
      const grant = grantOf(e);
      if (isRefresh(e) || grant === 'client_credentials' || grant?.startsWith('urn:')) continue;
      const flaw = redemptionFlaw(e);
      yield flaw === undefined
        ? pass([e])
        : fail('POST of a form with grant_type, code and the identity of the client', [e], flaw);
    }
  }),

  rule('auth.client-single-auth-method', function* (conversation) {
    for (const e of asked(conversation, 'token')) {
      const form = sentBy(e);
      const ways = [
        ...(usesScheme(e, 'Basic') ? ['Basic'] : []),
        ...(form.get('client_secret') === null ? [] : ['client_secret in the body']),
        ...(form.get('client_assertion') === null ? [] : ['client_assertion']),
      ];
      yield ways.length <= 1 ? pass([e]) : fail('one authentication method', [e], ways.join(' and '));
    }
  }),

  rule('auth.token-in-header', function* (conversation) {
    const tokens = accessTokens(conversation);
    const binds = bindsTokens(conversation);
    if (tokens.size === 0) return;
    for (const e of toEndpoint(conversation, 'POST', 'GET', 'DELETE')) {
      const where = astray(e, tokens);
      const isBound = usesScheme(e, 'DPoP');
      const token = isBound && !binds ? undefined : carried(e);
      const sent = e.requestHeader('authorization');
      // a token in the URL is a worse fault, reported by auth.token-not-in-query
      if (where !== undefined && where !== 'the URL')
        yield fail('the token in the Authorization header', [e], `the token is in ${where}`);
      else if (token !== undefined && tokens.has(token)) yield pass([e]);
      // a token that the server accepts was issued, possibly in an earlier session
      else if (token !== undefined && e.status !== 401) continue;
      else if (sent !== undefined) yield fail('Authorization: Bearer with the token as issued', [e], sent);
    }
  }),

  rule('auth.token-every-request', function* (conversation) {
    const tokens = accessTokens(conversation);
    const sessions = new Set<string>();
    let refused = false;
    for (const e of toEndpoint(conversation, 'POST', 'GET', 'DELETE')) {
      // without sessions every request to the server belongs together
      const session = conversation.isStateless ? '' : e.requestHeader('mcp-session-id');
      const has = e.requestHeader('authorization') !== undefined || astray(e, tokens) !== undefined;
      if (has) refused = false;
      // after a 401 response the client may have discarded the token
      if (!has && session !== undefined && sessions.has(session) && !refused)
        yield fail('the token in every request', [e], `${method(e)} without it`);
      else if (has && session !== undefined) {
        sessions.add(session);
        yield pass([e]);
      }
      const issued = e.header('mcp-session-id');
      if (has && issued !== undefined) sessions.add(issued);
      if (e.status === 401) refused = true;
    }
  }),

  rule('auth.token-not-in-query', function* (conversation) {
    const access = accessTokens(conversation);
    const tokens = new Set([...access, ...issued(conversation, 'refresh_token')]);
    if (tokens.size === 0) return;
    for (const e of [...conversation.http(), ...conversation.oauth()]) {
      if (!e.request) continue;
      const referrer = e.requestHeader('referer') ?? '';
      const inUrl = [...tokens].find(token => e.request!.url.includes(token) || referrer.includes(token));
      if (inUrl !== undefined)
        yield access.has(inUrl)
          ? fail(
              'the access token in the Authorization header only',
              [e],
              `${shownUrl(e)} with it in the URL`,
            )
          : fail(
              'the refresh token in the body of token requests only',
              [e],
              `${shownUrl(e)} with it in the URL`,
            );
      else if (carried(e) !== undefined) yield pass([e]);
    }
  }),

  rule('auth.token-not-leaked', function* (conversation) {
    const access = accessTokens(conversation);
    const refresh = refreshTokens(conversation);
    if (access.size === 0) return;
    // another path of the same server is not a foreign origin
    const own = new Set(conversation.http().map(origin));
    for (const e of conversation.oauth()) {
      const token = carried(e);
      const issuer = e.request!.endpoint === 'token' ? origin(e) : undefined;
      const stray = [...refresh].find(([value, by]) => astray(e, new Set([value])) && by !== issuer);
      if (token !== undefined && access.has(token) && !own.has(origin(e))) {
        const redirect = redirectTo(conversation, e);
        const evidence = [redirect?.response, e.request, e.response];
        const where = `${shownUrl(e)}${redirect ? ', after a redirect' : ''}`;
        yield fail('access token sent to the MCP server only', evidence, where);
      } else if (stray) yield fail(`refresh token sent to ${stray[1]} only`, [e], shownUrl(e));
    }
    for (const e of conversation.http())
      if (astray(e, new Set(refresh.keys())) !== undefined)
        yield fail('refresh token sent to the token endpoint only', [e], shownUrl(e));
      else if (carried(e) !== undefined) yield pass([e]);
  }),

  rule('auth.refresh-rotation-followed', function* (conversation) {
    const replaced = new Map<string, HttpExchange>();
    for (const e of asked(conversation, 'token')) {
      const used = grantOf(e) === 'refresh_token' ? sentBy(e).get('refresh_token') : null;
      if (used === null) continue;
      const by = replaced.get(used);
      // a request that was in flight when the new token arrived is not a violation
      if (by && (by.end?.seq ?? Number.POSITIVE_INFINITY) < e.request!.seq)
        yield fail('the newest refresh token', [by, e], 'the refresh token that was replaced');
      else if (replaced.size > 0) yield pass([e]);
      const next = succeeded(e) ? objectIn(e)?.refresh_token : undefined;
      if (typeof next === 'string' && next !== used) replaced.set(used, e);
    }
  }),

  rule('auth.cimd-url-form', function* (conversation) {
    for (const e of asked(conversation, 'authorization')) {
      const id = queryOf(e).get('client_id');
      if (!isUrl(id) || !URL.canParse(id)) continue;
      const { protocol, pathname } = new URL(id);
      yield protocol === 'https:' && pathname !== '/' ? pass([e]) : fail('https and a path', [e], id);
    }
  }),

  rule('auth.cimd-url-clean', function* (conversation) {
    for (const e of asked(conversation, 'authorization')) {
      const id = queryOf(e).get('client_id');
      if (!isUrl(id) || !URL.canParse(id)) continue;
      const path = id.replace(/^[^:]+:\/\/[^/?#]*/, '').replace(/[?#].*/s, '');
      const { username, password } = new URL(id);
      const flaw = id.includes('#') || username + password !== '' || /\/(\.|%2e){1,2}(\/|$)/i.test(path);
      yield flaw ? fail('no fragment, no user name, no dot segments', [e], id) : pass([e]);
    }
  }),

  rule('auth.cimd-no-shared-secret', function* (conversation) {
    for (const e of asked(conversation, 'token')) {
      const form = sentBy(e);
      // the record does not show whether the secret of HTTP Basic is empty: the case about documents does
      if (!isUrl(form.get('client_id')) || usesScheme(e, 'Basic')) continue;
      yield form.get('client_secret') ? fail('no shared secret', [e], 'a secret') : pass([e]);
    }
  }),

  rule('auth.legacy-version-header', function* (conversation) {
    for (const e of conversation.oauth()) {
      if (e.request!.endpoint !== 'metadata') continue;
      yield e.requestHeader('mcp-protocol-version') === undefined
        ? fail('MCP-Protocol-Version', [e], 'no such header')
        : pass([e]);
    }
  }),
];
