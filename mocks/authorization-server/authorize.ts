/** The authorization endpoint, the consent page, and the redirect after it (OAuth 2.1 §4.1). */

import type { HttpReply } from '../server/http/reply.js';
import { escapeHtml, notFound, page } from './answers.js';
import type { Policy } from './policy.js';
import type { ForwardingProxy } from './proxy.js';
import { type Client, type Records, type UserSession, unguessable } from './records.js';
import { type Ask, parseUrl, repeated, scopeSet } from './request.js';

export interface Setting {
  readonly policy: Policy;
  readonly records: Records;
  readonly issuer: string;
  /** The target of the consent form. */
  readonly consentUrl: string;
  readonly scopes: readonly string[];
  /** Whether the server issues tokens for a resource indicator. */
  readonly knowsResource: (resource: string) => boolean;
  readonly findClient: (id: string | null) => Promise<Client | undefined>;
  /** The audience of tokens when the request names no resource; default: the issuer. */
  readonly defaultResource?: string;
  /** The callback path for redirects from the third party. */
  readonly callbackUrl: string;
  /** Present when the server is a proxy before a third party. */
  readonly proxy: ForwardingProxy | undefined;
  /** Seconds since the epoch. */
  readonly now: () => number;
}

/** A request of a known client with one of its registered redirect URIs. */
interface Known {
  readonly ask: Ask;
  readonly client: Client;
  readonly redirectUri: string;
  /** The query of the authorization request, also when the form contains it. */
  readonly params: URLSearchParams;
  readonly session: UserSession;
}

/** Browsers share cookies between the ports of a host, so the cookie name contains the port. */
const cookieName = ({ url }: Ask): string => `ct_session_${url.port}`;

export async function authorize(ask: Ask, setting: Setting): Promise<HttpReply> {
  const { policy, records } = setting;
  const { session, cookie } = sessionOf(ask, records);
  const known = await identify(ask, ask.params, session, setting);
  if ('status' in known) return known;
  const error = flaw(known, setting);
  const asks = policy.asksUser(known.client, session) && !setting.proxy?.remembers(ask, known.client);
  const reply = error
    ? refuse(error, known, setting)
    : asks
      ? consentPage(known, setting)
      : goOn(known, setting, session.user ?? 'alice', false);
  return cookie ? { ...reply, headers: { ...reply.headers, 'Set-Cookie': cookie } } : reply;
}

/** The decision of the user on the consent page. */
export async function consent(ask: Ask, setting: Setting): Promise<HttpReply> {
  const { policy, records } = setting;
  const { session } = sessionOf(ask, records);
  if (policy.needsFormToken() && ask.params.get('csrf') !== session.csrf)
    return page(403, 'Invalid form', '<p>Please begin again.</p>');
  const known = await identify(ask, new URLSearchParams(ask.params.get('request') ?? ''), session, setting);
  if ('status' in known) return known;
  const error = ask.params.get('decision') === 'approve' ? flaw(known, setting) : 'access_denied';
  if (error) return sendBack(known, { error }, setting, true);
  session.user = ask.params.get('user') || 'alice';
  if (!setting.proxy) session.approved.add(known.client.id);
  const reply = goOn(known, setting, session.user, true);
  const cookie = setting.proxy?.cookieFor(ask, known.client);
  return cookie ? { ...reply, headers: { ...reply.headers, 'Set-Cookie': cookie } } : reply;
}

/** Handles the redirect back from the third party. */
export async function callback(ask: Ask, { proxy, records, callbackUrl }: Setting): Promise<HttpReply> {
  const session = records.sessions.get(ask.cookies.get(cookieName(ask)) ?? '');
  return proxy ? proxy.arrive(ask, callbackUrl, session) : notFound;
}

/** Redirects to the client, or to the third party first. */
function goOn(known: Known, setting: Setting, user: string, afterForm: boolean): HttpReply {
  const { proxy, callbackUrl } = setting;
  if (!proxy) return grant(known, setting, user, afterForm);
  return proxy.forward(known.session, callbackUrl, () => grant(known, setting, user, false));
}

/** The session of a user agent; created when it does not exist yet. */
function sessionOf(ask: Ask, records: Records): { session: UserSession; cookie?: string } {
  const known = records.sessions.get(ask.cookies.get(cookieName(ask)) ?? '');
  if (known) return { session: known };
  const session = records.newSession();
  const secure = ask.url.protocol === 'https:' ? '; Secure' : '';
  return { session, cookie: `${cookieName(ask)}=${session.id}; Path=/; HttpOnly; SameSite=Lax${secure}` };
}

/** The user is never redirected to an unregistered redirect URI (OAuth 2.1 §4.1.2.1). */
async function identify(
  ask: Ask,
  params: URLSearchParams,
  session: UserSession,
  setting: Setting,
): Promise<Known | HttpReply> {
  const { policy } = setting;
  const client = await setting.findClient(params.get('client_id'));
  const [only, another] = client?.redirectUris ?? [];
  const redirectUri = params.get('redirect_uri') ?? (another === undefined ? only : undefined);
  if (client && redirectUri !== undefined && policy.redirectMatches(redirectUri, client))
    return { ask, client, redirectUri, params, session };
  const target = parseUrl(redirectUri);
  if (target && policy.redirectsAnyway()) {
    target.searchParams.set('error', 'invalid_request');
    target.searchParams.set('state', params.get('state') ?? '');
    return { status: 302, headers: { Location: target.href } };
  }
  return page(400, 'Unknown client', '<p>This client or its redirect URI is not known here.</p>');
}

const parameters = [
  ...['response_type', 'client_id', 'redirect_uri', 'scope', 'state', 'resource', 'nonce', 'prompt'],
  ...['code_challenge', 'code_challenge_method', 'response_mode', 'login_hint', 'ui_locales', 'max_age'],
];

/** The reason why a request is rejected, as an error code. */
function flaw({ params, client }: Known, { policy, knowsResource, scopes }: Setting): string | undefined {
  if (repeated(params)) return 'invalid_request';
  if (policy.refusesUnknownParameters() && [...params.keys()].some(name => !parameters.includes(name)))
    return 'invalid_request';
  if (params.get('response_type') !== 'code') return 'unsupported_response_type';
  const challenge = params.get('code_challenge');
  if (challenge === null && policy.needsChallenge(client)) return 'invalid_request';
  const method = params.get('code_challenge_method') ?? 'plain';
  if (challenge !== null && !policy.challengeMethods().includes(method)) return 'invalid_request';
  if (!params.getAll('resource').every(knowsResource)) return 'invalid_target';
  const unknown = scopeSet(params.get('scope')).some(value => !scopes.includes(value));
  if (unknown && policy.refusesUnknownScopes()) return 'invalid_scope';
  return params.get('prompt') === 'none' ? 'interaction_required' : undefined;
}

/** A request without a scope gets the smallest scope. */
const askedScope = (params: URLSearchParams, scopes: readonly string[]): readonly string[] =>
  params.get('scope') ? scopeSet(params.get('scope')) : scopes.slice(0, 1);

/** A client that is unknown to the user gets no automatic redirect, not even an error (OAuth 2.1 §7.12.2). */
function refuse(error: string, known: Known, setting: Setting): HttpReply {
  if (known.session.approved.has(known.client.id) || setting.policy.redirectsErrorsAtOnce())
    return sendBack(known, { error }, setting, false);
  return page(
    400,
    'The authorization request is invalid',
    `<p>The request of the client is refused: ${error}.</p>`,
  );
}

function consentPage({ client, params, redirectUri, session }: Known, setting: Setting): HttpReply {
  const { scope, host } = { scope: scopeSet(params.get('scope')), host: new URL(redirectUri).host };
  const text = [
    `<p><b>${escapeHtml(client.name)}</b> wants to act for you`,
    scope.length > 0 ? ` with: ${escapeHtml(scope.join(', '))}` : '',
    `. You will be sent to <b>${escapeHtml(host)}</b> (${escapeHtml(redirectUri)}).</p>`,
  ].join('');
  const hidden = (name: string, value: string) =>
    `<input type="hidden" name="${name}" value="${escapeHtml(value)}">`;
  const form = [
    `<form method="post" action="${escapeHtml(setting.consentUrl)}">`,
    hidden('csrf', session.csrf),
    hidden('request', params.toString()),
    '<label>You are <input name="user" value="alice"></label>',
    '<button name="decision" value="deny">Deny</button>',
    '<button name="decision" value="approve">Approve</button></form>',
  ].join('');
  return page(200, 'Allow access for this client?', text + form);
}

function grant(known: Known, setting: Setting, user: string, afterForm: boolean): HttpReply {
  const { policy, records, scopes, now } = setting;
  const { params, client, redirectUri } = known;
  const [challenge, method, nonce] = ['code_challenge', 'code_challenge_method', 'nonce'].map(name =>
    params.get(name),
  );
  const value = unguessable('ct_code_');
  records.codes.set(value, {
    value,
    expires: now() + policy.codeLifetime(),
    spent: false,
    grant: {
      user,
      client: client.id,
      scope: policy.grantedScope(askedScope(params, scopes), scopes),
      resource: params.getAll('resource'),
      redirectUri,
      ...(challenge && { challenge, challengeMethod: method ?? 'plain' }),
      ...(nonce && { nonce }),
      family: { revoked: false },
    },
  });
  return sendBack(known, { code: value }, setting, afterForm);
}

function sendBack(
  { ask, redirectUri, params }: Known,
  answer: Record<string, string>,
  { policy, issuer }: Setting,
  afterForm: boolean,
): HttpReply {
  const target = new URL(redirectUri);
  for (const [name, value] of Object.entries(answer)) target.searchParams.set(name, value);
  const state = params.get('state');
  if (state !== null) target.searchParams.set('state', state);
  target.searchParams.set('iss', issuer);
  const Location = policy.redirect(target, ask).href;
  return { status: policy.redirectStatus(afterForm), headers: { Location, 'Cache-Control': 'no-store' } };
}
