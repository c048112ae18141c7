/** basic/authorization, for clients: credentials and scopes of token requests, and the same values in later flows. */

import { fail, pass } from '../../../harness/judge/finding.js';
import { rule } from '../../../harness/judge/rule.js';
import { namesServer } from '../../../harness/oauth/discovery.js';
import type { Conversation } from '../../../harness/record/conversation.js';
import type { HttpExchange } from '../../../harness/record/http-exchange.js';
import { succeeded } from '../derived/http.js';
import { answered, objectIn, redirectOf } from '../derived/oauth.js';
import {
  asked,
  canonicalFlaw,
  home,
  isRefresh,
  isUrl,
  naming,
  origin,
  queryOf,
  refreshFlaw,
  resourcesIn,
  scopesIn,
  sentBy,
  usesScheme,
} from '../derived/oauth-client.js';

export const rules = [
  rule('auth.client-secret-not-in-url', function* (conversation) {
    for (const e of naming(conversation)) {
      if (queryOf(e).get('client_secret'))
        yield fail(
          'client_secret in the body or in the Authorization header',
          [e],
          'client_secret in the URL',
        );
      else if (sentBy(e).get('client_secret') || usesScheme(e, 'Basic')) yield pass([e]);
    }
  }),

  rule('auth.pkce-verifier-hidden', function* (conversation) {
    for (const e of asked(conversation, 'authorization')) {
      if (queryOf(e).get('code_verifier'))
        yield fail('no code_verifier', [e], 'code_verifier in the authorization request');
      else if (queryOf(e).get('code_challenge')) yield pass([e]);
    }
  }),

  rule('auth.client-authenticates-as-registered', function* (conversation) {
    /** The codes and refresh tokens of the client, each with the request that got it. */
    const had: { readonly value: string; readonly e: HttpExchange; readonly id: string | null }[] = [];
    for (const { code, e } of codes(conversation))
      had.push({ value: code, e, id: queryOf(e).get('client_id') });
    for (const e of asked(conversation, 'token')) {
      const form = sentBy(e);
      const id = form.get('client_id');
      const value = form.get(isRefresh(e) ? 'refresh_token' : 'code');
      const before = had.find(one => one.value === value && isBefore(one.e, e));
      if (id !== null && before?.id)
        yield id === before.id
          ? pass([e])
          : fail(`client_id=${before.id}, as in the request before`, [before.e, e], `client_id=${id}`);
      const next = succeeded(e) ? objectIn(e)?.refresh_token : undefined;
      if (typeof next === 'string') had.push({ value: next, e, id });
    }
  }),

  rule('auth.client-id-mechanism', function* (conversation) {
    const given = asked(conversation, 'registration').flatMap(e => {
      const id = succeeded(e) ? objectIn(e)?.client_id : undefined;
      return typeof id === 'string' ? [{ e, id, at: origin(e) }] : [];
    });
    /** Authorization servers at which the client has used an ID of its registration. */
    const used = new Set<string>();
    for (const e of asked(conversation, 'authorization')) {
      const id = queryOf(e).get('client_id');
      const own = given.filter(one => one.at === origin(e) && isBefore(one.e, e));
      if (own.some(one => one.id === id)) {
        used.add(origin(e));
        yield pass([e]);
      }
      // an ID that the client had before its registration is used from the first request on
      else if (used.has(origin(e)) && id && !isUrl(id))
        yield fail(
          `client_id=${own.at(-1)!.id}, which the authorization server issued`,
          [own.at(-1)!.e, e],
          `client_id=${id}`,
        );
    }
  }),

  rule('auth.resource-specific', function* (conversation) {
    if (!URL.canParse(home(conversation))) return;
    const server = new URL(home(conversation));
    const told = answered(conversation, 'resource-metadata').flatMap(e => {
      const { resource } = objectIn(e) ?? {};
      return typeof resource === 'string' && namesServer(resource, server)
        ? [{ e, isOrigin: new URL(resource).pathname === '/' }]
        : [];
    });
    for (const e of naming(conversation)) {
      const before = told.filter(one => isBefore(one.e, e));
      const named = resourcesIn(sentBy(e)).filter(uri => !canonicalFlaw(uri) && namesServer(uri, server));
      // where the metadata names the origin, the origin is correct
      if (named.length === 0 || before.length === 0 || before.some(({ isOrigin }) => isOrigin)) continue;
      yield named.some(uri => new URL(uri).pathname !== '/')
        ? pass([e])
        : fail('the resource of the metadata', [before.at(-1)!.e, e], `resource=${named.join(', ')}`);
    }
  }),

  rule('auth.refresh-request', function* (conversation) {
    const tokens = answered(conversation, 'token').filter(succeeded);
    for (const e of asked(conversation, 'token').filter(isRefresh)) {
      const token = sentBy(e).get('refresh_token');
      const isKnown = (member: string): boolean =>
        tokens.some(one => objectIn(one)?.[member] === token && isBefore(one, e));
      const isAccessToken = token !== null && isKnown('access_token') && !isKnown('refresh_token');
      const flaw = refreshFlaw(e) ?? (isAccessToken ? 'an access token as refresh_token' : undefined);
      yield flaw === undefined
        ? pass([e])
        : fail('POST of a form with grant_type and the refresh token that was issued', [e], flaw);
    }
  }),

  rule('auth.refresh-scope', function* (conversation) {
    const requests = codes(conversation);
    /** Refresh tokens, with the scopes that the client requested or received at first. */
    const granted: {
      readonly token: string;
      readonly e: HttpExchange;
      readonly scopes: readonly string[];
    }[] = [];
    for (const e of asked(conversation, 'token')) {
      const form = sentBy(e);
      const request = requests.find(one => one.code === form.get('code') && isBefore(one.e, e));
      const used = form.get('refresh_token');
      const before = granted.find(one => isRefresh(e) && one.token === used && isBefore(one.e, e));
      if (before) {
        const wider = scopesIn(form.get('scope')).filter(scope => !before.scopes.includes(scope));
        yield wider.length === 0
          ? pass([e])
          : fail(`no scope, or scopes of "${before.scopes.join(' ')}"`, [e], `scope="${form.get('scope')}"`);
      }
      const answer = succeeded(e) ? objectIn(e) : undefined;
      const scopes = [
        ...(before?.scopes ?? []),
        ...scopesIn(request && queryOf(request.e).get('scope')),
        ...scopesIn(answer?.scope),
      ];
      // without any scope it is not known what was granted
      if (typeof answer?.refresh_token === 'string' && (request || before) && scopes.length > 0)
        granted.push({ token: answer.refresh_token, e, scopes });
    }
  }),
];

/** Authorization requests that got a code. */
const codes = (conversation: Conversation) =>
  asked(conversation, 'authorization').flatMap(e => {
    const code = redirectOf(e)?.searchParams.get('code');
    return code ? [{ code, e }] : [];
  });

/** Whether the response to a request had arrived when another one was sent. */
const isBefore = ({ end }: HttpExchange, { request }: HttpExchange): boolean =>
  end !== undefined && end.seq < request!.seq;
