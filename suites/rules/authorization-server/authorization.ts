/** basic/authorization, for authorization servers: rules about single responses. */

import { fail, pass } from '../../../harness/judge/finding.js';
import { rule } from '../../../harness/judge/rule.js';
import { isLoopback } from '../../../harness/oauth/discovery.js';
import type { Conversation } from '../../../harness/record/conversation.js';
import type { HttpExchange } from '../../../harness/record/http-exchange.js';
import { asText, type JsonObject } from '../../../spec/json-rpc.js';
import { clauseIn, requirement } from '../../../spec/requirement.js';
import { succeeded } from '../derived/http.js';
import { answered, callbacks, isJson, objectIn, paramsOf, redirectOf } from '../derived/oauth.js';

interface Published {
  readonly at: HttpExchange;
  readonly document: JsonObject;
  readonly kind: 'oauth' | 'openid';
}

/** Metadata documents of the kinds that the revision defines. */
function published(conversation: Conversation): Published[] {
  return answered(conversation, 'metadata').flatMap(at => {
    const document = at.status === 200 ? objectIn(at) : undefined;
    const kind = /\/openid-configuration(\/|$)/.test(at.request!.url) ? 'openid' : 'oauth';
    // no client looks for an OAuth document below a path
    const astray = kind === 'oauth' && !/^https?:\/\/[^/]+\/\.well-known\//.test(at.request!.url);
    const known = conversation.revision.authorization?.metadata.includes(kind) && !astray;
    return document && known ? [{ at, document, kind }] : [];
  });
}

const wellKnown = /\/\.well-known\/(oauth-authorization-server|openid-configuration)/;

/** The issuer from which a metadata URL was built (RFC 8414 §3.3); a slash at its end is ignored. */
const issuerBehind = (url: string): string => url.replace(wellKnown, '').replace(/\/$/, '');

const isEndpoint = (value: unknown): boolean =>
  typeof value === 'string' && URL.canParse(value) && !value.includes('#');

/** The flaw of a metadata document: the expected value and the actual value. */
function flawOf({ at, document }: Published): [expected: string, actual: string] | undefined {
  const { issuer, authorization_endpoint: authorization, token_endpoint: token } = document;
  const expected = issuerBehind(at.request!.url);
  if (typeof issuer !== 'string' || issuer.replace(/\/$/, '') !== expected)
    return [`issuer ${expected}`, `issuer ${JSON.stringify(issuer)}`];
  if (!isEndpoint(authorization))
    return ['an absolute authorization_endpoint', `authorization_endpoint ${JSON.stringify(authorization)}`];
  if (!isEndpoint(token)) return ['an absolute token_endpoint', `token_endpoint ${JSON.stringify(token)}`];
  if (!Array.isArray(document.response_types_supported))
    return ['response_types_supported', JSON.stringify(document.response_types_supported) ?? 'none'];
  return isJson(at) ? undefined : ['application/json', at.contentType ?? 'no content type'];
}

/** The response contains an error and no tokens, whatever its status is. */
const isRefusal = (answer: HttpExchange): boolean =>
  answer.status! >= 400 || (objectIn(answer)?.error !== undefined && !objectIn(answer)?.access_token);

/** Responses of the token endpoint that contain tokens, or are meant to. */
const grants = (conversation: Conversation): HttpExchange[] =>
  answered(conversation, 'token').filter(e => succeeded(e) && !isRefusal(e));

/** The flaw of a response that contains tokens (OAuth 2.1 §3.2.3). */
function flawOfTokens(answer: HttpExchange): [expected: string, actual: string] | undefined {
  const json = objectIn(answer);
  if (answer.status !== 200) return ['status 200', `status ${answer.status}`];
  if (!json || !isJson(answer)) return ['a JSON object', answer.contentType ?? 'no content type'];
  if (typeof json.access_token !== 'string') return ['an access_token', Object.keys(json).join(', ')];
  if (typeof json.token_type !== 'string') return ['a token_type', Object.keys(json).join(', ')];
  if (json.expires_in !== undefined && typeof json.expires_in !== 'number')
    return ['expires_in as a number', `expires_in ${JSON.stringify(json.expires_in)}`];
  for (const name of ['scope', 'refresh_token'])
    if (json[name] !== undefined && typeof json[name] !== 'string')
      return [`${name} as a string`, `${name} ${JSON.stringify(json[name])}`];
  const caching = answer.header('cache-control');
  return /\bno-store\b/i.test(caching ?? '')
    ? undefined
    : ['Cache-Control: no-store', `Cache-Control: ${caching ?? 'none'}`];
}

const texts = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((v): v is string => typeof v === 'string') : [];

/** The flaw of a successful registration response (RFC 7591 §3.2.1). */
function flawOfRegistration(answer: HttpExchange): [expected: string, actual: string] | undefined {
  const json = objectIn(answer);
  if (answer.status !== 201) return ['status 201', `status ${answer.status}`];
  if (!json || !isJson(answer)) return ['a JSON object', answer.contentType ?? 'no content type'];
  if (typeof json.client_id !== 'string') return ['a client_id', Object.keys(json).join(', ')];
  if (json.client_secret !== undefined && typeof json.client_secret_expires_at !== 'number')
    return ['client_secret_expires_at together with client_secret', 'none'];
  return texts(json.redirect_uris).length > 0
    ? undefined
    : ['the registered redirect_uris', JSON.stringify(json.redirect_uris) ?? 'none'];
}

/** Status codes of refusals for reasons outside the request. */
const busy = [429, 502, 503, 504];

function* each(
  answers: readonly HttpExchange[],
  flaw: (answer: HttpExchange) => [string, string] | undefined,
) {
  for (const answer of answers) {
    const found = flaw(answer);
    yield found ? fail(found[0], [answer], found[1]) : pass([answer]);
  }
}

/** Whether the documents of a kind list the challenge method that clients have to use. */
function* challengeMethods(conversation: Conversation, of: 'oauth' | 'openid') {
  for (const { at, document, kind } of published(conversation)) {
    if (kind !== of) continue;
    const methods = document.code_challenge_methods_supported;
    const right = texts(methods).includes('S256');
    const wanted = 'code_challenge_methods_supported with S256';
    yield right ? pass([at]) : fail(wanted, [at], JSON.stringify(methods) ?? 'none');
  }
}

export const rules = [
  rule('auth.as-metadata-document', function* (conversation) {
    for (const one of published(conversation)) {
      const found = flawOf(one);
      yield found ? fail(found[0], [one.at], found[1]) : pass([one.at]);
    }
  }),

  rule('auth.as-oidc-pkce-field', conversation => challengeMethods(conversation, 'openid')),
  rule('auth.as-pkce-field', conversation => challengeMethods(conversation, 'oauth')),

  rule('auth.as-https', function* (conversation) {
    for (const { at, document } of published(conversation)) {
      const open = Object.entries(document).filter(([name, value]) => {
        if (!/_endpoint$|^issuer$|^jwks_uri$/.test(name) || typeof value !== 'string') return false;
        const url = URL.canParse(value) ? new URL(value) : undefined;
        return url?.protocol === 'http:' && !isLoopback(url);
      });
      const [name, value] = open[0] ?? [];
      yield name === undefined ? pass([at]) : fail('https', [at], `${name} ${asText(value)}`);
    }
  }),

  rule('auth.cimd-server', function* (conversation) {
    for (const { at, document } of published(conversation)) {
      const { client_id_metadata_document_supported: supported } = document;
      const wanted = 'client_id_metadata_document_supported: true';
      yield supported === true ? pass([at]) : fail(wanted, [at], JSON.stringify(supported) ?? 'none');
    }
  }),

  rule('auth.dcr-server', function* (conversation) {
    // a revision that only permits registration requires no endpoint
    const { level } = clauseIn(requirement('auth.dcr-server'), conversation.revision.id) ?? {};
    for (const { at, document } of published(conversation)) {
      const right = typeof document.registration_endpoint === 'string';
      if (right) yield pass([at]);
      else if (level !== 'MAY') yield fail('a registration_endpoint', [at], 'none');
    }
  }),

  rule('auth.dcr-response', conversation =>
    each(answered(conversation, 'registration').filter(succeeded), flawOfRegistration),
  ),

  rule('auth.dcr-error', conversation =>
    each(
      answered(conversation, 'registration').filter(
        e => e.status! >= 400 && ![401, 403, ...busy].includes(e.status!),
      ),
      answer => {
        if (answer.status !== 400) return ['status 400', `status ${answer.status}`];
        return typeof objectIn(answer)?.error === 'string'
          ? undefined
          : ['a JSON error code', answer.body ?? 'nothing'];
      },
    ),
  ),

  rule('auth.as-token-response', conversation => each(grants(conversation), flawOfTokens)),

  rule('auth.as-token-error', conversation =>
    each(
      answered(conversation, 'token').filter(e => isRefusal(e) && !busy.includes(e.status!)),
      answer => {
        if (![400, 401].includes(answer.status!)) return ['status 400 or 401', `status ${answer.status}`];
        if (typeof objectIn(answer)?.error !== 'string')
          return ['a JSON error code', (answer.body ?? 'nothing').slice(0, 200)];
        return isJson(answer) ? undefined : ['application/json', answer.contentType ?? 'no content type'];
      },
    ),
  ),

  rule('auth.as-short-lived', function* (conversation) {
    for (const answer of grants(conversation)) {
      const seconds = objectIn(answer)?.expires_in;
      const right = typeof seconds === 'number' && seconds <= 86_400;
      yield right
        ? pass([answer])
        : fail('expires_in of at most one day', [answer], JSON.stringify(seconds) ?? 'none');
    }
  }),

  rule('auth.as-state-returned', function* (conversation) {
    for (const { asked, back, url } of callbacks(conversation)) {
      const [sent, returned] = [paramsOf(asked).get('state'), url.searchParams.get('state')];
      if (sent === null) continue;
      const right = sent === returned;
      yield right
        ? pass([asked, back])
        : fail(`state ${sent}`, [asked, back], `state ${returned ?? 'missing'}`);
    }
  }),

  rule('auth.as-no-307', function* (conversation) {
    for (const page of answered(conversation, 'page')) {
      if (page.request?.method !== 'POST' || !redirectOf(page)) continue;
      const wrong = page.status === 307 || page.status === 308;
      yield wrong ? fail('status 303 or 302', [page], `status ${page.status}`) : pass([page]);
    }
  }),

  rule('auth.as-no-cors-authorize', function* (conversation) {
    for (const answer of answered(conversation, 'authorization')) {
      if (answer.requestHeader('origin') === undefined) continue;
      const allowed = answer.header('access-control-allow-origin');
      yield allowed === undefined
        ? pass([answer])
        : fail('no Access-Control-Allow-Origin', [answer], `Access-Control-Allow-Origin: ${allowed}`);
    }
  }),
];
