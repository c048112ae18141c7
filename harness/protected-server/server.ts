/**
 * A protected server with its authorization servers, for one launch of a client under test, each on its own
 * port.
 */

import { randomBytes } from 'node:crypto';
import { existsSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type JsonObject, parseObject } from '../../spec/json-rpc.js';
import type { Revision } from '../../spec/revisions.js';
import type { HttpExchange } from '../record/http-exchange.js';
import type { Secrets } from '../record/redaction.js';
import type {
  ExtraHost,
  HttpAnswer,
  HttpCall,
  HttpIncoming,
  HttpListenOptions,
  HttpServer,
} from '../transports/http/server/behaviour.js';
import { Authority, type AuthorizationRequest, serving } from './authority.js';
import { sameFor } from './browser.js';
import type { Attempt, ProtectedServerState, Protection, Refusal, Seen, Token } from './script.js';
import { untrusted } from './untrusted.js';

/** A request to the MCP endpoint, with its result. */
interface McpAttempt extends Attempt {
  readonly refusal: Refusal | undefined;
  /** When the request arrived, in seconds since 1970. */
  readonly at: number;
  exchange: HttpExchange | undefined;
}

/** Fetches a document from the internet. @throws {Error} when the document is not available */
export type GetDocument = (
  url: string,
) => Promise<{ readonly status: number; readonly type: string | null; readonly text: string }>;

const notFound: HttpAnswer = { status: 404 };

export class ProtectedServer implements ProtectedServerState {
  /** URL of the MCP server. */
  url = new URL('http://nowhere.invalid/');
  /** Requests to the MCP endpoint. */
  readonly mcpRequests: McpAttempt[] = [];
  /** All other requests, to all hosts, in order. */
  readonly oauthRequests: Seen[] = [];
  /** URLs that the client opened in a browser. */
  readonly opened: string[] = [];
  /** Addresses that the client printed and the user followed. */
  readonly followed = new Set<string>();
  /** The client was inactive when the harness stopped waiting for it. */
  wasInactive = false;
  /** Output of the client on its standard streams. */
  said = '';
  /** The exit code of the client, if it exited by itself. */
  exitCode: number | undefined;
  /** A file that exists only if a client executed an address as a shell command. */
  readonly marker = join(tmpdir(), `mcp-conform-marker-${randomBytes(6).toString('hex')}`);
  /** Counters for the scenario. */
  readonly notes = new Map<string, number>();
  private readonly authorities: ReadonlyMap<string, Authority>;
  private readonly authorized = new Set<string>();
  private finish: () => void = () => {};
  /** Resolves when the client has exited or left. */
  readonly over = new Promise<void>(resolve => {
    this.finish = resolve;
  });

  constructor(
    readonly protection: Protection,
    readonly revision: Revision,
    secrets: Secrets,
    /**
     * Fetches documents that a client publishes about itself; undefined when only this host may be contacted.
     */
    readonly getDocument?: GetDocument,
  ) {
    const scripts = { main: {}, ...protection.authorities };
    this.authorities = new Map(
      Object.entries(scripts).map(([name, script]) => [name, new Authority(name, script, secrets, this)]),
    );
  }

  /** An authorization server, by name. */
  authority(name = 'main'): Authority {
    const found = this.authorities.get(name);
    if (!found) throw new Error(`There is no authorization server "${name}" here.`);
    return found;
  }

  /** Whether the user follows an address that the client prints: not one that the client has requested itself. */
  follows(address: string): boolean {
    const key = sameFor(address);
    const isNew = !this.authorizations().some(asked => asked.address === key);
    if (isNew) this.followed.add(key);
    return isNew;
  }

  /** The authorization requests to all authorization servers. */
  authorizations(): AuthorizationRequest[] {
    return [...this.authorities.values()].flatMap(({ authorizations }) => authorizations);
  }

  /**
   * The MCP server as its own authorization server, in the first revision with authorization; otherwise
   * undefined.
   */
  private get colocatedIssuer(): Authority | undefined {
    return this.revision.authorization?.resourceMetadata ? undefined : this.authority();
  }

  /** Behaviour of the listener of the MCP server. */
  get behaviour(): HttpListenOptions {
    return {
      path: this.protection.path ?? '/mcp',
      authGate: {
        admit: call => this.admit(call),
        endpointOf: call =>
          call.url.pathname.includes('/oauth-protected-resource') || this.documents[call.url.pathname]
            ? 'resource-metadata'
            : (this.authority().endpointOf(call) ?? 'elsewhere'),
        noted: exchange => {
          const last = this.mcpRequests.at(-1);
          if (last) last.exchange = exchange;
        },
      },
      intercept: request => this.answerOAuth(request),
    };
  }

  /** Opens the ports of the authorization servers. */
  async open(http: HttpServer): Promise<void> {
    this.url = new URL(http.url);
    for (const authority of this.authorities.values())
      authority.origin =
        authority === this.colocatedIssuer ? http.origin : await http.addHost(this.host(authority));
  }

  private host(authority: Authority): ExtraHost {
    return {
      tls: authority.script.untrusted ? untrusted : undefined,
      connected() {
        authority.connections++;
      },
      endpointOf: call => authority.endpointOf(call) ?? 'elsewhere',
      answer: request => {
        this.oauthRequests.push({ host: authority.name, request });
        return authority.answer(request) ?? notFound;
      },
    };
  }

  /** Whether the marker file exists; deletes the file. */
  takeInitialRequestMarker(): boolean {
    const there = existsSync(this.marker);
    rmSync(this.marker, { force: true });
    return there;
  }

  /** Marks the client as exited or gone to another server. */
  end(): void {
    this.finish();
  }

  /** URL of the protected resource metadata: the well-known location with the path inserted. */
  get metadataUrl(): string {
    return `${this.url.origin}${insertedPath(this.url)}`;
  }

  /** The protected resource metadata. */
  get metadata(): JsonObject {
    return {
      resource: this.url.href,
      authorization_servers: [this.authority().issuer],
      scopes_supported: ['a:read', 'b:write'],
      bearer_methods_supported: ['header'],
      resource_name: 'mcp-conform',
      ...(this.protection.strange && { x_unknown: { k: [1, null] } }),
    };
  }

  private get documents() {
    if (!this.revision.authorization?.resourceMetadata) return {};
    return this.protection.documents?.(this) ?? { [insertedPath(this.url)]: this.metadata };
  }

  /** Handles a request to the origin of the MCP server outside its endpoint. */
  private answerOAuth(request: HttpIncoming): HttpAnswer | undefined {
    const { pathname } = request.url;
    if (pathname === this.url.pathname) {
      const last = this.mcpRequests.at(-1);
      return last && this.protection.divert?.(last, this);
    }
    this.oauthRequests.push({ host: 'mcp', request });
    const document = this.documents[pathname];
    return document ? serving(document) : (this.colocatedIssuer?.answer(request) ?? notFound);
  }

  private admit(call: HttpCall): HttpAnswer | undefined {
    const attempt = { call, token: this.tokenIn(call), message: parseObject(call.body) };
    const refusal = this.refusalFor(attempt);
    this.mcpRequests.push({ ...attempt, refusal, at: Date.now() / 1000, exchange: undefined });
    const session = call.header('mcp-session-id');
    if (!refusal && session !== undefined) this.authorized.add(session);
    return refusal && this.refuse(refusal);
  }

  private refusalFor(attempt: Attempt): Refusal | undefined {
    const { token, call } = attempt;
    if (!token) {
      const forgot = call.header('authorization') === undefined;
      // the rules judge a single missing header; the run continues
      if (forgot && this.authorized.has(call.header('mcp-session-id') ?? '')) return undefined;
      return { why: forgot ? 'no token' : 'bad token' };
    }
    if (token.revoked) return { why: 'bad token' };
    return this.protection.refuse?.(attempt, this);
  }

  private refuse(refusal: Refusal): HttpAnswer {
    const { challenge = plainChallenge } = this.protection;
    const lines = this.revision.authorization?.resourceMetadata
      ? challenge(this, refusal)
      : bareChallenge(refusal);
    return {
      status: refusal.why === 'scope' ? 403 : 401,
      headers: {
        'Content-Type': 'application/json',
        ...(lines.length > 0 && { 'WWW-Authenticate': lines }),
      },
      body: '{"error":"unauthorized"}',
    };
  }

  /** All issued tokens. */
  get tokens(): Token[] {
    return [...this.authorities.values()].flatMap(authority => authority.tokens);
  }

  /** The issued token in a request, in any location. */
  private tokenIn({ url, headers, body }: HttpCall): Token | undefined {
    const text = [url.href, ...headers.map(([, value]) => value), body].join('\n');
    return this.tokens.find(({ value }) => text.includes(value));
  }

  /** Requests to the MCP endpoint that were admitted with a token. */
  get admitted(): McpAttempt[] {
    return this.mcpRequests.filter(attempt => attempt.token && !attempt.refusal);
  }

  /** Requests to a host, or to one path of it. */
  requests(host: string, path?: string): HttpIncoming[] {
    return this.oauthRequests
      .filter(one => one.host === host && (path === undefined || one.request.url.pathname === path))
      .map(({ request }) => request);
  }

  /** Whether a URL is the address of an authorization request. */
  isAuthorizationUrl(url: URL): boolean {
    const call = { method: 'GET', url, headers: [], header: () => undefined, body: '' };
    return [...this.authorities.values()].some(
      authority => authority.origin === url.origin && authority.endpointOf(call) === 'authorization',
    );
  }

  /**
   * Whether the client possibly waits for its user: it has registered, or knows the endpoints, and the
   * authorization request is the next step, but its address was neither opened nor printed.
   */
  get awaitsUser(): boolean {
    const all = [...this.authorities.values()];
    return (
      this.wasInactive &&
      this.opened.length === 0 &&
      all.some(({ name }) => this.requests(name).length > 0 || name === this.colocatedIssuer?.name) &&
      all.every(({ authorizations, tokenRequests }) => authorizations.length + tokenRequests.length === 0)
    );
  }

  /** Whether the client reacted to the 401 response. */
  get reacted(): boolean {
    return (
      this.oauthRequests.some(isAboutEntry) ||
      this.opened.length > 0 ||
      this.mcpRequests.some(({ token }) => token)
    );
  }
}

/**
 * True for a request about authorization; other requests outside the endpoint may look for the older
 * transport.
 */
const isAboutEntry = ({ host, request }: ProtectedServer['oauthRequests'][number]): boolean =>
  host !== 'mcp' || /^\/\.well-known\/|\/(authorize|token|register)$/.test(request.url.pathname);

export const insertedPath = ({ pathname }: URL): string =>
  `/.well-known/oauth-protected-resource${pathname.replace(/\/$/, '')}`;

/** Challenge for revisions without resource metadata. */
const bareChallenge = ({ why }: Refusal): string[] => [
  why === 'no token' ? 'Bearer realm="mcp-conform"' : 'Bearer realm="mcp-conform", error="invalid_token"',
];

/** Challenge of a conforming server. */
function plainChallenge(protectedServer: ProtectedServerState, refusal: Refusal): string[] {
  const errors = { 'no token': undefined, 'bad token': 'invalid_token', scope: 'insufficient_scope' };
  const error = errors[refusal.why];
  const scope = refusal.why === 'scope' ? refusal.needed.join(' ') : 'a:read';
  const params = { ...(error && { error }), resource_metadata: protectedServer.metadataUrl, scope };
  return [
    `Bearer ${Object.entries(params)
      .map(([name, value]) => `${name}="${value}"`)
      .join(', ')}`,
  ];
}
