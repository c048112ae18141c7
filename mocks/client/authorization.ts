/** Authorization of the reference client after a rejected request (basic/authorization). */

import type { Challenges } from '../../harness/oauth/challenge.js';
import { type JsonObject, parseObject } from '../../spec/json-rpc.js';
import {
  type Arranged,
  type AuthorityView,
  type AuthorizationBehaviour,
  type Found,
  type Identity,
  random,
  type TokenAsk,
} from './authorization-behaviour.js';
import { Dpop } from './dpop.js';
import type { HttpAsk, HttpHead } from './http-message.js';
import { exchangeOf, jwtBearer } from './identity-assertion.js';

/** The reason why the client gets no token. */
class NotAuthorized extends Error {}

interface Kept {
  identity?: Identity;
}

interface Held {
  readonly token: string;
  readonly refreshToken: string | undefined;
  readonly scope: string | undefined;
  /** The token is bound to a key. */
  readonly bound: boolean;
  readonly authority: AuthorityView;
  readonly identity: Identity;
  readonly resource: string;
}

type Known = Pick<Held, 'authority' | 'identity' | 'scope' | 'resource'>;

interface AuthorizationOptions {
  readonly habits: AuthorizationBehaviour;
  readonly arranged: Arranged;
  readonly signal: AbortSignal;
  /** Receives each URL that is opened for the user. */
  readonly onOpen: (address: string) => void;
}

export class Authorization {
  private held: Held | undefined;
  private first: string | undefined;
  private document: Found;
  private readonly kept = new Map<string, Kept>();
  private pending: Promise<void> | undefined;
  /** Operations for which more scopes were not sufficient. */
  private readonly inVain = new Set<string>();
  private readonly dpop: Dpop;

  constructor(
    private readonly server: URL,
    private readonly options: AuthorizationOptions,
  ) {
    this.dpop = new Dpop(options.habits.dpop);
  }

  /** The maximum number of authorizations after this rejection. */
  mostTriesOf(ask: HttpAsk, { status }: HttpHead): number {
    const { reacts, mostTries, remembersFailures } = this.options.habits;
    if (!reacts) return 0;
    return status === 403 && remembersFailures && this.inVain.has(operationIn(ask)) ? 0 : mostTries;
  }

  /** Remembers that no authorization was sufficient for a request. */
  conclude(ask: HttpAsk, { status }: HttpHead): void {
    if (status === 403) this.inVain.add(operationIn(ask));
  }

  /** A request with the token, if there is one. */
  carry(ask: HttpAsk): HttpAsk {
    const { held, first } = this;
    if (held?.bound) return this.dpop.carry(ask, held.token);
    return held ? this.options.habits.carries(ask, held.token, first!) : ask;
  }

  /** Whether a response is a rejection that a new token can resolve. */
  concerns({ status, headers }: HttpHead): boolean {
    if (status === 401) return true;
    const { habits } = this.options;
    if (status !== 403 || !habits.stepsUp) return false;
    return paramIn(habits.reads(linesOf(headers)), 'error') === 'insufficient_scope';
  }

  /**
   * Gets another token.
   * @param head the rejection
   * @param again the token from the previous rejection was rejected too
   * @throws {NotAuthorized} when the client gets no token
   */
  async react(head: HttpHead, again: boolean): Promise<void> {
    if (this.dpop.repeats('server', this.server, head)) return;
    // several requests may be rejected at once
    this.pending ??= this.obtain(head, again).finally(() => {
      this.pending = undefined;
    });
    await this.pending;
  }

  private async obtain({ status, headers }: HttpHead, again: boolean): Promise<void> {
    const { habits } = this.options;
    if (status === 401 && this.held?.refreshToken !== undefined && habits.refreshes && !again) {
      if (await this.refresh(this.held, this.held.refreshToken)) return;
      this.held = { ...this.held, refreshToken: undefined };
    }
    const challenges = habits.reads(linesOf(headers));
    const named = paramIn(challenges, 'resource_metadata');
    const challenged = paramIn(challenges, 'scope');
    if (!this.document || habits.asksAgain) this.document = await this.findDocument(named);
    const authority = await this.findAuthority(this.document);
    const identity = await this.identify(authority);
    const supported = this.document?.scopes_supported;
    const before = status === 403 ? this.held?.scope : undefined;
    const wanted = habits.scope(
      challenged,
      Array.isArray(supported) ? supported.map(String) : undefined,
      authority.metadata,
    );
    const scope = before === undefined ? wanted : habits.scopeAgain(before, wanted);
    const resource = habits.resource(this.server, this.document);
    const known = { authority, identity, scope, resource };
    if (habits.usesIdentityAssertion(authority.metadata, this.options.arranged))
      this.hold(await this.byIdentityAssertion(known));
    else if (habits.usesOwnCredentials(authority.metadata, this.options.arranged))
      this.hold(await this.byOwnCredentials(known));
    else this.hold(await this.flow(authority, identity, scope, resource));
  }

  private hold(held: Held): void {
    this.held = held;
    this.first ??= held.token;
  }

  private async findDocument(named: string | undefined): Promise<Found> {
    const { habits } = this.options;
    for (const address of habits.resourceMetadataUrls(this.server, named)) {
      const { status, json } = URL.canParse(address)
        ? await this.get(address)
        : { status: 404, json: undefined };
      if (!json && !habits.goesOnAfter(status)) break;
      if (!json) continue;
      if (habits.acceptsResource(json, this.server)) return json;
      throw new NotAuthorized(`The metadata at ${address} belongs to ${JSON.stringify(json.resource)}.`);
    }
    return undefined;
  }

  private async findAuthority(document: Found): Promise<AuthorityView> {
    const { habits } = this.options;
    // a server without metadata is its own authorization server, as in the first revision with authorization
    const issuer = document ? habits.issuerIn(document) : habits.ownIssuer(this.server);
    if (!URL.canParse(issuer))
      throw new NotAuthorized(`"${issuer}" is not the URL of an authorization server.`);
    for (const url of habits.metadataUrls(new URL(issuer))) {
      const { status, json } = await this.get(url.href);
      if (!json) {
        if (habits.goesOnAfter(status)) continue;
        break;
      }
      if (!habits.acceptsMetadata(json, issuer)) continue;
      if (habits.acceptsPkce(json)) return { issuer, metadata: json };
    }
    if (document || !habits.takesDefaults) throw new NotAuthorized(`${issuer} has no usable metadata.`);
    const at = (path: string) => new URL(path, issuer).href;
    const metadata: JsonObject = {
      authorization_endpoint: at('/authorize'),
      token_endpoint: at('/token'),
      registration_endpoint: at('/register'),
    };
    return { issuer, metadata };
  }

  private async identify({ issuer, metadata }: AuthorityView): Promise<Identity> {
    const { habits, arranged } = this.options;
    const kept = this.kept.get(habits.keepsUnder(issuer)) ?? {};
    this.kept.set(habits.keepsUnder(issuer), kept);
    const {
      client_id: id,
      client_secret: secret,
      private_key_pem: key,
      signing_algorithm: algorithm,
    } = arranged;
    if (typeof id === 'string' && typeof key === 'string' && habits.usesArranged)
      return { id, method: 'private_key_jwt', key, algorithm: String(algorithm), audience: issuer };
    if (typeof id === 'string' && habits.usesArranged)
      return typeof secret === 'string'
        ? { id, secret, method: 'client_secret_basic' }
        : { id, method: 'none' };
    if (habits.usesDocument(metadata)) {
      habits.publish(habits.documentUrl, habits.document(habits.documentUrl, habits.redirectUri));
      return { id: habits.documentUrl, method: 'none' };
    }
    if (kept.identity) return kept.identity;
    if (!habits.registers(metadata))
      throw new NotAuthorized('The authorization server offers no supported way to identify the client.');
    kept.identity = habits.presents(await this.registerRepeatedly(metadata));
    return kept.identity;
  }

  private async registerRepeatedly(metadata: JsonObject): Promise<Identity> {
    const { mostRegistrations, identityWithout } = this.options.habits;
    for (let times = 1; ; times++) {
      try {
        return await this.register(metadata);
      } catch (error) {
        if (times < mostRegistrations) continue;
        if (identityWithout) return identityWithout;
        throw error;
      }
    }
  }

  private async register(metadata: JsonObject): Promise<Identity> {
    const { habits } = this.options;
    const json = await this.post(
      habits.registrationAsk({
        method: 'POST',
        url: habits.endpoint(metadata, 'registration_endpoint'),
        headers: { 'content-type': 'application/json' },
        params: new URLSearchParams(),
        body: JSON.stringify(habits.registration(habits.redirectUri)),
      }),
    );
    const { client_id: id, client_secret: secret, token_endpoint_auth_method: method } = json;
    if (typeof id !== 'string') throw new NotAuthorized('The registration response has no client ID.');
    if (typeof secret !== 'string' || method === 'none') return { id, method: 'none' };
    return { id, secret, method: method === 'client_secret_post' ? method : 'client_secret_basic' };
  }

  private async flow(
    authority: AuthorityView,
    identity: Identity,
    scope: string | undefined,
    resource: string,
  ): Promise<Held> {
    const { habits } = this.options;
    const { metadata } = authority;
    const address = habits.endpoint(metadata, 'authorization_endpoint');
    if (!URL.canParse(address)) {
      if (habits.opensUnparsed) this.options.onOpen(address);
      throw new NotAuthorized(`"${address}" is not a valid URL.`);
    }
    const { verifier, challenge } = habits.pkce();
    const url = new URL(address);
    const params = {
      response_type: 'code',
      client_id: identity.id,
      redirect_uri: habits.redirectUri,
      code_challenge: challenge,
      code_challenge_method: 'S256',
      state: random(16),
      resource,
      ...(scope !== undefined && { scope }),
    };
    for (const [name, value] of Object.entries(params)) url.searchParams.set(name, value);
    const sent = habits.authorizationRequest(url);
    if (!habits.opens(sent)) throw new NotAuthorized(`A URL with the scheme ${sent.protocol} is not opened.`);
    habits.opener(sent.href, this.options.onOpen);
    const answer = await this.ask({ method: 'GET', url: sent.href, headers: {} });
    const back = answer.headers.get('location');
    if (back === null || !URL.canParse(back))
      throw new NotAuthorized('The authorization request was not redirected back to the client.');
    const said = new URL(back).searchParams;
    if (!habits.acceptsIssuer(said, authority.issuer, metadata))
      throw new NotAuthorized('The authorization response is not from the issuer.');
    if (!habits.acceptsAnswer(said, sent.searchParams))
      throw new NotAuthorized('The state of the authorization response differs from the request.');
    const code = said.get('code');
    if (code === null)
      throw new NotAuthorized(
        `The authorization response has no code: ${said.get('error_description') ?? said.get('error') ?? 'nothing said'}.`,
      );
    return this.redeem(
      {
        grant_type: 'authorization_code',
        code,
        redirect_uri: habits.redirectUri,
        code_verifier: verifier,
        resource,
      },
      { authority, identity, scope, resource },
    );
  }

  /** Gets a token by an ID-JAG of the enterprise. */
  private async byIdentityAssertion(known: Known): Promise<Held> {
    const { habits, arranged } = this.options;
    const about = { audience: known.authority.issuer, resource: known.resource, scope: known.scope };
    const json = await this.post(habits.exchangeRequest(exchangeOf(arranged, about)));
    return this.redeem({ grant_type: jwtBearer, assertion: String(json.access_token) }, known);
  }

  /** Gets a token without a user (OAuth 2.1 §4.2). */
  private byOwnCredentials(known: Known): Promise<Held> {
    const { scope, resource } = known;
    return this.redeem(
      { grant_type: 'client_credentials', resource, ...(scope !== undefined && { scope }) },
      known,
    );
  }

  private async redeem(params: Record<string, string>, known: Known): Promise<Held> {
    const { habits } = this.options;
    const ask: TokenAsk = {
      method: 'POST',
      url: habits.endpoint(known.authority.metadata, 'token_endpoint'),
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      params: new URLSearchParams(params),
    };
    habits.authenticates(ask, known.identity);
    const json = await this.post(habits.tokenRequest(ask), habits.dpop.uses(known.authority.metadata));
    const { access_token: token, refresh_token: refreshToken, scope, token_type: type } = json;
    if (typeof token !== 'string') throw new NotAuthorized('The token response has no access token.');
    return {
      ...known,
      token,
      bound: /^dpop$/i.test(String(type)),
      refreshToken: habits.nextRefreshToken(params.refresh_token ?? '', refreshToken) || undefined,
      scope: typeof scope === 'string' ? scope : known.scope,
    };
  }

  private async refresh(held: Held, refreshToken: string): Promise<boolean> {
    const { resource } = held;
    try {
      this.hold(
        await this.redeem({ grant_type: 'refresh_token', refresh_token: refreshToken, resource }, held),
      );
      return true;
    } catch (error) {
      if (error instanceof NotAuthorized) return false;
      throw error;
    }
  }

  private async get(url: string): Promise<{ status: number; json: Found }> {
    const answer = await this.ask({ method: 'GET', url, headers: this.options.habits.documentHeaders });
    const json = answer.status === 200 ? parseObject(answer.text) : undefined;
    return { status: answer.status, json: json && this.options.habits.understands(json) };
  }

  /** @param proves with a proof of the key to which the token will be bound */
  private async post(asked: TokenAsk, proves = false): Promise<JsonObject> {
    const { method, url, params, body } = asked;
    const headers = { ...asked.headers, ...(proves && this.dpop.forToken(asked)) };
    const sent = method === 'GET' ? undefined : (body ?? params.toString());
    const answer = await this.ask({ method, url, headers, ...(sent !== undefined && { body: sent }) });
    const json = parseObject(answer.text);
    if (proves && this.dpop.repeats('token', url, answer, answer.text)) return this.post(asked, true);
    if (answer.status >= 300 || !json)
      throw new NotAuthorized(`${answer.status} ${answer.text.slice(0, 200)}`);
    return json;
  }

  private async ask({ method, url, headers, body }: HttpAsk) {
    try {
      const answer = await this.options.habits.fetch(url, {
        method,
        headers,
        ...(body !== undefined && { body }),
        redirect: 'manual',
        signal: this.options.signal,
      });
      return { status: answer.status, headers: answer.headers, text: await answer.text() };
    } catch (error) {
      throw new NotAuthorized(`${url} does not respond: ${String(error)}`);
    }
  }
}

/** The key of the operation in a request, without the id of the request. */
function operationIn({ method, url, body }: HttpAsk): string {
  const { id: _, ...message } = parseObject(body ?? '') ?? {};
  return `${method} ${url} ${JSON.stringify(message)}`;
}

/** The lines of the challenge; `fetch` in browsers joins them. */
const linesOf = (headers: Headers): string[] => {
  const all = headers.get('www-authenticate');
  return all === null ? [] : [all];
};

function paramIn(all: Challenges, name: string): string | undefined {
  for (const { scheme, params } of all.challenges) {
    if (!/^(bearer|dpop)$/i.test(scheme)) continue;
    const found = params.find(([key]) => key === name);
    if (found) return found[1];
  }
  return undefined;
}
