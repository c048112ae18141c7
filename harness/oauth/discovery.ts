/** Locations and content of the metadata of an authorization server. */

import type { JsonObject } from '../../spec/json-rpc.js';
import type { AuthorizationFacts } from '../../spec/revisions.js';
import type { Web, WebAnswer } from '../transports/http/side-request.js';

type MetadataKind = 'oauth' | 'openid';

export interface Candidate {
  readonly kind: MetadataKind;
  readonly url: URL;
  readonly answer: WebAnswer;
}

/** The endpoints and the metadata of an authorization server; without metadata the endpoints are guesses. */
export interface ServerMetadata {
  readonly document: JsonObject;
  readonly authorization: URL | undefined;
  readonly token: URL | undefined;
  readonly registration: URL | undefined;
  /** True if no metadata was published: the endpoints are the default paths. */
  readonly byDefault: boolean;
}

/** The URLs of an issuer's metadata, in the order in which clients request them (RFC 8414 §3.1 and §5). */
export function metadataUrls(issuer: URL): { kind: MetadataKind; url: URL }[] {
  const path = issuer.pathname.replace(/\/$/, '');
  const at = (kind: MetadataKind, where: string) => ({ kind, url: new URL(where, issuer.origin) });
  return [
    at('oauth', `/.well-known/oauth-authorization-server${path}`),
    at('openid', `/.well-known/openid-configuration${path}`),
    ...(path === '' ? [] : [at('openid', `${path}/.well-known/openid-configuration`)]),
  ];
}

/** Requests every URL, including the kinds that a revision does not define, as a fallback. */
export async function lookForMetadata(web: Web, issuer: URL): Promise<Candidate[]> {
  const found: Candidate[] = [];
  for (const { kind, url } of metadataUrls(issuer)) {
    const answer = await web.ask({ endpoint: 'metadata', url, headers: { Accept: 'application/json' } });
    found.push({ kind, url, answer });
  }
  return found;
}

export const isPublished = ({ answer }: Candidate): boolean =>
  answer.status === 200 && answer.json !== undefined;

/** The endpoints to use; undefined when nothing was found and the revision defines no default paths. */
export function endpointsFrom(
  candidates: readonly Candidate[],
  issuer: URL,
  facts: Pick<AuthorizationFacts, 'metadata' | 'defaultPaths'>,
): ServerMetadata | undefined {
  const found =
    candidates.find(c => facts.metadata.includes(c.kind) && isPublished(c)) ?? candidates.find(isPublished);
  const document = found?.answer.json;
  if (document)
    return {
      document,
      authorization: urlIn(document, 'authorization_endpoint'),
      token: urlIn(document, 'token_endpoint'),
      registration: urlIn(document, 'registration_endpoint'),
      byDefault: false,
    };
  if (!facts.defaultPaths) return undefined;
  const at = (path: string) => new URL(path, issuer.origin);
  return {
    document: {},
    authorization: at('/authorize'),
    token: at('/token'),
    registration: at('/register'),
    byDefault: true,
  };
}

const urlIn = (document: JsonObject, member: string): URL | undefined => webAddress(document[member]);

/** An address that can be requested; undefined for other texts, such as `file:///x`, and other values. */
export function webAddress(text: unknown, base?: URL): URL | undefined {
  if (typeof text !== 'string' || !URL.canParse(text, base?.href)) return undefined;
  const url = new URL(text, base);
  return /^https?:$/.test(url.protocol) ? url : undefined;
}

/** Whether an identifier is valid for a server: its URL, or one above it. */
export function namesServer(resource: unknown, { origin, pathname }: URL): boolean {
  if (typeof resource !== 'string' || !URL.canParse(resource)) return false;
  const named = new URL(resource);
  return named.origin === origin && `${pathname}/`.startsWith(named.pathname.replace(/\/?$/, '/'));
}

/** Whether an address is on this host, independent of the hosts file. */
export const isLoopback = ({ hostname }: Pick<URL, 'hostname'>): boolean =>
  ['127.0.0.1', 'localhost', '[::1]'].includes(hostname);
