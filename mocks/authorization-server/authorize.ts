/** The authorization endpoint, the page that asks the user, and the redirect that follows (OAuth 2.1 §4.1). */

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
  /** Where the form of the consent page goes. */
  readonly consentUrl: string;
  readonly scopes: readonly string[];
  /** Whether tokens can be had for what a resource indicator names. */
  readonly knowsResource: (resource: string) => boolean;
  readonly findClient: (id: string | null) => Promise<Client | undefined>;
  /** What tokens are good for when no resource is named; default: the issuer itself. */
  readonly defaultResource?: string;
  /** Where the third party sends users back to. */
  readonly callbackUrl: string;
  /** Present when users are sent on to a third party. */
  readonly proxy: ForwardingProxy | undefined;
  /** Seconds since the epoch. */
  readonly now: () => number;
}

/** A request of a client that is known, back to a redirect URI that is its own. */
interface Known {
  readonly ask: Ask;
  readonly client: Client;
  readonly redirectUri: string;
  /** The query of the authorization request, also when it comes out of the form. */
  readonly params: URLSearchParams;
  readonly session: UserSession;
}

/** Browsers do not tell apart the ports of a host, so the name does. */
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

/** What the user answered on the page. */
export async function consent(ask: Ask, setting: Setting): Promise<HttpReply> {
  const { policy, records } = setting;
  const { session } = sessionOf(ask, records);
  if (policy.needsFormToken() && ask.params.get('csrf') !== session.csrf)
    return page(403, 'This form is not ours', '<p>Please begin again.</p>');
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

/** Back from the third party. */
export async function callback(ask: Ask, { proxy, records, callbackUrl }: Setting): Promise<HttpReply> {
  const session = records.sessions.get(ask.cookies.get(cookieName(ask)) ?? '');
  return proxy ? proxy.arrive(ask, callbackUrl, session) : notFound;
}

/** To the client, or to the third party first. */
function goOn(known: Known, setting: Setting, user: string, afterForm: boolean): HttpReply {
  const { proxy, callbackUrl } = setting;
  if (!proxy) return grant(known, setting, user, afterForm);
  return proxy.forward(known.session, callbackUrl, () => grant(known, setting, user, false));
}

/** The session of a user agent, made when it has none yet. */
function sessionOf(ask: Ask, records: Records): { session: UserSession; cookie?: string } {
  const known = records.sessions.get(ask.cookies.get(cookieName(ask)) ?? '');
  if (known) return { session: known };
  const session = records.newSession();
  const secure = ask.url.protocol === 'https:' ? '; Secure' : '';
  return { session, cookie: `${cookieName(ask)}=${session.id}; Path=/; HttpOnly; SameSite=Lax${secure}` };
}

/** Nobody is sent to a redirect URI that is not the client's (OAuth 2.1 §4.1.2.1). */
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

/** Why a request cannot be granted, as an error code. */
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

/** Who names no scope gets the least there is. */
const askedScope = (params: URLSearchParams, scopes: readonly string[]): readonly string[] =>
  params.get('scope') ? scopeSet(params.get('scope')) : scopes.slice(0, 1);

/** A client the user does not know gets nothing by itself, not even an error (OAuth 2.1 §7.12.2). */
function refuse(error: string, known: Known, setting: Setting): HttpReply {
  if (known.session.approved.has(known.client.id) || setting.policy.redirectsErrorsAtOnce())
    return sendBack(known, { error }, setting, false);
  return page(400, 'This cannot be granted', `<p>The request of the client is refused: ${error}.</p>`);
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
  return page(200, 'Let this client in?', text + form);
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
