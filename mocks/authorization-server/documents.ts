/**
 * Client ID metadata documents: the client ID is the URL of a document about the client
 * (draft-ietf-oauth-client-id-metadata-document).
 */

import { isObject, type JsonObject } from '../../spec/json-rpc.js';
import type { Policy } from './policy.js';
import type { Client } from './records.js';
import { clientOf } from './registration.js';
import { parseUrl } from './request.js';

/** Fetches a document; tests have a fetcher of their own, so that no request leaves this host. */
export type FetchDocument = (url: string) => Promise<Response>;

export class ClientDocuments {
  private readonly kept = new Map<string, { readonly client: Client | undefined; readonly until: number }>();

  constructor(
    private readonly get: FetchDocument,
    private readonly policy: Policy,
    private readonly now: () => number,
  ) {}

  /** The client described by the document at its client ID; undefined when there is no valid document. */
  async find(id: string): Promise<Client | undefined> {
    const url = documentUrl(id);
    if (!url || !this.policy.fetchable(url)) return undefined;
    if (!this.policy.readsDocuments()) return this.describe({}, id);
    const kept = this.kept.get(id);
    if (kept && kept.until > this.now()) return kept.client;
    const { client, cacheControl } = await this.load(id);
    const seconds = this.policy.keepsDocument(cacheControl, client !== undefined);
    if (seconds > 0) this.kept.set(id, { client, until: this.now() + seconds });
    return client;
  }

  private async load(id: string): Promise<{ client: Client | undefined; cacheControl: string | null }> {
    try {
      const response = await this.get(id);
      const text = await response.text();
      const cacheControl = response.headers.get('cache-control');
      return { client: response.status === 200 ? this.read(text, id) : undefined, cacheControl };
    } catch {
      return { client: undefined, cacheControl: null };
    }
  }

  private read(text: string, id: string): Client | undefined {
    const document: unknown = this.policy.readDocument(text);
    if (!isObject(document) || this.policy.documentFlaw(document, id)) return undefined;
    return this.describe(document, id);
  }

  private describe(document: JsonObject, id: string): Client {
    const uris = document.redirect_uris;
    const known: JsonObject = { ...document, redirect_uris: Array.isArray(uris) ? uris : [] };
    return clientOf({ ...known, token_endpoint_auth_method: 'none' }, id);
  }
}

/**
 * The URL in a client ID: https, with a path, and without parts that can hide the target; otherwise
 * undefined.
 */
function documentUrl(id: string): URL | undefined {
  const url = parseUrl(id);
  if (url?.protocol !== 'https:' || url.pathname === '/' || url.hash || url.username || url.password)
    return undefined;
  return /(^|\/)\.{1,2}(\/|$)/.test(id.replace(/^https:\/\/[^/]*/, '')) ? undefined : url;
}
