/** basic/authorization, for protected servers: rules about single refusals and metadata documents. */

import { fail, pass } from '../../../harness/judge/finding.js';
import { rule } from '../../../harness/judge/rule.js';
import { bearerOf, bearerParam, type Challenges, parseChallenges } from '../../../harness/oauth/challenge.js';
import { isLoopback } from '../../../harness/oauth/discovery.js';
import type { Conversation } from '../../../harness/record/conversation.js';
import type { HttpExchange } from '../../../harness/record/http-exchange.js';
import type { JsonObject } from '../../../spec/json-rpc.js';
import { succeeded } from '../derived/http.js';
import { answered, isJson, objectIn } from '../derived/oauth.js';
import { slashesSent } from '../derived/oauth-client.js';
import { shown } from '../derived/results.js';

const statusIs = (conversation: Conversation, ...statuses: number[]): HttpExchange[] =>
  conversation.http().filter(e => statuses.some(status => status === e.status));

/** The challenges of a refusal. */
export const challengesOf = ({ response }: HttpExchange): Challenges =>
  parseChallenges(
    (response?.headers ?? [])
      .filter(([name]) => name.toLowerCase() === 'www-authenticate')
      .map(([, value]) => value),
  );

/** Whether a request contains nothing that a server could accept as credentials. */
const hasNoCredentials = (exchange: HttpExchange): boolean =>
  exchange.requestHeader('authorization') === undefined &&
  exchange.requestHeader('cookie') === undefined &&
  !/[?&](access_)?token=/.test(exchange.request?.url ?? '');

const challenge = (exchange: HttpExchange): string =>
  exchange.header('www-authenticate') === undefined
    ? 'no WWW-Authenticate'
    : `WWW-Authenticate: ${exchange.header('www-authenticate')}`;

/** Parameters that are allowed at most once (OAuth 2.1 §5.3.1, RFC 9728 §5.1). */
const once = ['realm', 'scope', 'error', 'error_description', 'error_uri', 'resource_metadata'];

function syntaxFlaw(all: Challenges): string | undefined {
  if (all.flaw !== undefined) return `a challenge with valid syntax, up to ${all.flaw}`;
  for (const { params } of bearerOf(all)) {
    const names = params.map(([name]) => name);
    const twice = once.find(name => names.indexOf(name) !== names.lastIndexOf(name));
    if (twice) return `${twice} once`;
    for (const [name, value] of params) {
      if (name === 'scope' && !/^[\x21\x23-\x5b\x5d-\x7e]+( [\x21\x23-\x5b\x5d-\x7e]+)*$/.test(value))
        return 'scopes of visible characters, separated by one space';
      if (name === 'error' && !/^[\x20-\x21\x23-\x5b\x5d-\x7e]+$/.test(value))
        return 'an error code of ASCII characters';
    }
  }
  return undefined;
}

/**
 * The documents about this server, at the places where a client looks for them; the origin may also have
 * documents about other servers.
 */
function ownDocuments(conversation: Conversation): { at: HttpExchange; document: JsonObject; url: string }[] {
  const url = conversation.opened?.url;
  if (url === undefined) return [];
  const found = answered(conversation, 'resource-metadata').flatMap(at => {
    const document = succeeded(at) ? objectIn(at) : undefined;
    return document ? [{ at, document, url }] : [];
  });
  const named = new Set(
    statusIs(conversation, 401).map(e => bearerParam(challengesOf(e), 'resource_metadata')),
  );
  const inserted = insertedAt(url);
  const own = found.filter(({ at }) => named.has(at.request!.url) || at.request!.url === inserted);
  return own.length > 0 ? own : found;
}

const insertedAt = (url: string): string => {
  const { origin, pathname } = new URL(url);
  return `${origin}/.well-known/oauth-protected-resource${pathname.replace(/\/$/, '')}`;
};

const isTextList = (value: unknown): boolean =>
  Array.isArray(value) && value.every(one => typeof one === 'string');

const lists = ['authorization_servers', 'scopes_supported', 'bearer_methods_supported'] as const;

/** Origin and path, the same for all spellings of an identifier; undefined for other values. */
function identifier(text: unknown): { origin: string; path: string } | undefined {
  if (typeof text !== 'string' || !URL.canParse(text) || text.includes('#')) return undefined;
  const { origin, pathname } = new URL(text);
  return { origin, path: pathname.replace(/\/$/, '') };
}

const isParent = (path: string, of: string): boolean => path === of || of.startsWith(`${path}/`);

/** The flaw of an issuer identifier (RFC 8414 §2), as the expected form. */
function issuerFlaw(text: unknown): string | undefined {
  if (typeof text !== 'string' || !URL.canParse(text)) return 'an absolute URL';
  const url = new URL(text);
  if (/[?#]/.test(text)) return 'no query and no fragment';
  if (url.pathname.includes('/.well-known/')) return 'an issuer, not the URL of its metadata document';
  return url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback(url)) ? undefined : 'https';
}

export const rules = [
  rule('auth.challenge-present', function* (conversation) {
    const optional = conversation.revision.authorization?.bareRefusal;
    for (const refusal of statusIs(conversation, 401)) {
      const right = bearerOf(challengesOf(refusal)).some(c => c.params.length > 0);
      if (right) yield pass([refusal]);
      // a token in the query or in a cookie counts as missing: a server reads the Authorization header only
      else if (!optional || refusal.requestHeader('authorization') !== undefined)
        yield fail('a Bearer challenge with parameters', [refusal], challenge(refusal));
    }
  }),

  rule('auth.challenge-syntax', function* (conversation) {
    for (const refusal of conversation.http()) {
      if (refusal.header('www-authenticate') === undefined) continue;
      const wanted = syntaxFlaw(challengesOf(refusal));
      yield wanted === undefined ? pass([refusal]) : fail(wanted, [refusal], challenge(refusal));
    }
  }),

  rule('auth.challenge-no-error-without-credentials', function* (conversation) {
    for (const refusal of statusIs(conversation, 401).filter(hasNoCredentials)) {
      const all = challengesOf(refusal);
      if (bearerOf(all).length === 0) continue;
      const error = ['error', 'error_description', 'error_uri'].find(
        name => bearerParam(all, name) !== undefined,
      );
      yield error === undefined ? pass([refusal]) : fail(`no ${error}`, [refusal], challenge(refusal));
    }
  }),

  rule('auth.challenge-resource-metadata', function* (conversation) {
    for (const refusal of statusIs(conversation, 401)) {
      const url = bearerParam(challengesOf(refusal), 'resource_metadata');
      const right = url !== undefined && URL.canParse(url);
      yield right
        ? pass([refusal])
        : fail('resource_metadata with an absolute URL', [refusal], challenge(refusal));
    }
  }),

  rule('auth.validated-before-processing', function* (conversation) {
    for (const refusal of statusIs(conversation, 401, 403)) {
      const data = refusal.received.find(m => m.kind === 'result');
      const flow = refusal.isStream && refusal.events.some(e => e.data);
      if (!data && !flow) yield pass([refusal]);
      else
        yield fail(
          'a refusing response without data',
          [refusal, data],
          data ? 'a result' : 'a stream with data',
        );
    }
  }),

  rule('auth.prm-format', function* (conversation) {
    for (const at of answered(conversation, 'resource-metadata').filter(succeeded)) {
      const document = objectIn(at);
      const odd = lists.find(name => document?.[name] !== undefined && !isTextList(document[name]));
      if (at.status !== 200) yield fail('status 200', [at], `status ${at.status}`);
      else if (!document || !isJson(at))
        yield fail('a JSON object', [at], at.contentType ?? 'no content type');
      else if (odd) yield fail(`${odd} as a list of strings`, [at], JSON.stringify(document[odd]));
      else yield pass([at]);
    }
  }),

  rule('auth.no-offline-access', function* (conversation) {
    const has = (scopes: unknown): boolean => Array.isArray(scopes) && scopes.includes('offline_access');
    for (const refusal of statusIs(conversation, 401, 403)) {
      const scope = bearerParam(challengesOf(refusal), 'scope');
      if (scope === undefined) continue;
      yield has(scope.split(' '))
        ? fail('no offline_access in the scope of a challenge', [refusal], challenge(refusal))
        : pass([refusal]);
    }
    for (const { at, document } of ownDocuments(conversation))
      if (document.scopes_supported !== undefined)
        yield has(document.scopes_supported)
          ? fail('no offline_access', [at], `scopes_supported ${JSON.stringify(document.scopes_supported)}`)
          : pass([at]);
  }),

  rule('auth.prm-resource', function* (conversation) {
    for (const { at, document, url } of ownDocuments(conversation)) {
      const [named, server] = [identifier(document.resource), identifier(url)];
      // the URL of a parent path is valid too, although strict clients require the exact URL (RFC 9728 §3.3)
      const right = named && server && named.origin === server.origin && isParent(named.path, server.path);
      yield right
        ? pass([at])
        : fail(`resource ${url}`, [at], `resource ${JSON.stringify(document.resource) ?? 'missing'}`);
    }
  }),

  rule('auth.resource-trailing-slash', function* (conversation) {
    if (conversation.subject === 'client') {
      yield* slashesSent(conversation);
      return;
    }
    for (const { at, document, url } of ownDocuments(conversation)) {
      const { resource } = document;
      if (typeof resource !== 'string' || url.endsWith('/')) continue;
      yield resource.endsWith('/') ? fail('no slash at the end', [at], `resource ${resource}`) : pass([at]);
    }
  }),

  rule('auth.prm-authorization-servers', function* (conversation) {
    for (const { at, document } of ownDocuments(conversation)) {
      const { authorization_servers: servers } = document;
      const right = Array.isArray(servers) && servers.some(one => typeof one === 'string');
      yield right ? pass([at]) : fail('at least one authorization server', [at], shown(servers));
    }
  }),

  rule('auth.prm-issuer-form', function* (conversation) {
    for (const { at, document } of ownDocuments(conversation)) {
      const servers = Array.isArray(document.authorization_servers) ? document.authorization_servers : [];
      for (const server of servers) {
        const wanted = issuerFlaw(server);
        yield wanted === undefined ? pass([at]) : fail(wanted, [at], JSON.stringify(server));
      }
    }
  }),
];
