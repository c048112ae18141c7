/**
 * Negotiation, before the run is planned: the revisions that a server offers, and the access of the harness
 * to a protected server.
 */

import { newestFirst, type Revision } from '../../../spec/revisions.js';
import { dpopExtension } from '../../oauth/dpop.js';
import {
  type AuthState,
  type Credentials,
  challengedMethodIn,
  discoverAuthorization,
  type Found,
  noAuth,
  obtainBoundToken,
  obtainToken,
} from '../../oauth/login.js';
import { eraOf } from '../../peer/eras/index.js';
import type { Peer } from '../../peer/peer.js';
import { declares } from '../../record/conversation.js';
import type { History } from '../../record/history.js';
import { type Exchange, errorOf, resultOf } from '../../record/message.js';
import type { Known } from '../../scenario/scenario.js';
import type { Subject } from '../../subject/subject.js';
import { CouldNotJudge } from '../could-not-judge.js';
import { learnGiven } from '../given-secrets.js';
import type { ConnectionPool, Opened } from './connections.js';
import { type Lists, lists, offered } from './probe.js';

interface NegotiationOptions {
  readonly subject: Subject;
  readonly revision?: 'latest' | 'all' | Revision;
  readonly credentials?: Credentials;
  /** Identifiers of extensions that the server has, beside those that it declares. */
  readonly extensions?: readonly string[];
}

interface NegotiationResult {
  readonly revisions: readonly Revision[];
  readonly offers: readonly string[];
  /** See `offered`. */
  readonly allOffers?: Known['allOffers'];
  /** See `offered`. */
  readonly unjudged?: readonly string[];
  /** The first conversation; undefined when access is denied. */
  readonly first: Opened | undefined;
  /** Lists of the server, if they were requested. */
  readonly listed?: Lists;
  readonly auth: AuthState;
  /** The reason why most requirements cannot be judged. */
  readonly accessDenied?: CouldNotJudge;
}

export class Negotiation {
  constructor(
    private readonly dialer: ConnectionPool,
    private readonly history: History,
    private readonly options: NegotiationOptions,
  ) {
    const { subject, credentials } = this.options;
    learnGiven(this.history.secrets, subject, credentials);
  }

  private get requestedOffers() {
    return this.options.revision ?? 'latest';
  }

  /** @throws CouldNotJudge when the subject does not respond, or does not offer the requested revision */
  async negotiate(): Promise<NegotiationResult> {
    const { subject } = this.options;
    if (!('url' in subject) || this.dialer.transport !== 'streamable-http')
      return { ...(await offered(this.dialer, this.requestedOffers)), auth: noAuth };
    const given = Object.entries(subject.headers).find(([name]) => name.toLowerCase() === 'authorization');
    return given ? this.withToken(given[1]) : this.withoutToken(new URL(subject.url));
  }

  /** With a token from the user: checks whether the server requires one. */
  private async withToken(value: string): Promise<NegotiationResult> {
    const entered = await this.offeredRevisions();
    if (entered instanceof CouldNotJudge) return this.accessDenied(entered, await this.admission(undefined));
    const refused = await this.refusedWithoutToken(entered.revisions[0]!);
    const token = /^bearer +(\S+)$/i.exec(value)?.[1];
    const authState = await this.admission(token);
    // any refusal counts: a server that is usable with a token only is a protected server
    const challengedMethod = authState.challengedMethod ?? refused;
    return { ...entered, auth: { ...authState, challengedMethod } };
  }

  /** Revisions on offer, or the reason for none when a token is missing. */
  private async offeredRevisions(): Promise<Awaited<ReturnType<typeof offered>> | CouldNotJudge> {
    try {
      return await offered(this.dialer, this.requestedOffers);
    } catch (error) {
      if (error instanceof CouldNotJudge && this.guarded !== undefined) return error;
      throw error;
    }
  }

  /** Access is denied: everything visible without access is still judged. */
  private accessDenied(why: CouldNotJudge, auth: AuthState, hint?: string): NegotiationResult {
    const locked = new CouldNotJudge(why.message, [...why.details, ...(hint ? [hint] : [])]);
    return {
      revisions: [this.requestedRevision],
      offers: [],
      first: undefined,
      auth: { ...auth, authenticated: false },
      accessDenied: locked,
    };
  }

  /** Connects without a token and goes on until the first refusal. @returns the method that is served with the token only */
  private async refusedWithoutToken(revision: Revision): Promise<string | undefined> {
    const { peer, exchange } = await this.dialer.open({ revision, case: 0, anonymous: true });
    const listed = exchange.reply && (await requestFirstList(peer, resultOf(exchange)?.capabilities));
    this.dialer.close(peer);
    if (this.guarded !== undefined) return undefined;
    const { opensWith } = eraOf(revision.era);
    if (isRefused(peer, exchange)) return (await this.isServed(revision)) ? opensWith : undefined;
    if (!listed || !isRefused(peer, listed)) return undefined;
    const { method } = listed.request;
    return method !== undefined && (await this.isServed(revision, method)) ? method : undefined;
  }

  /** Whether a conversation with the token is served: a server may refuse a second one for other reasons. */
  private async isServed(revision: Revision, method?: string): Promise<boolean> {
    const { peer, exchange } = await this.dialer.open({ revision, case: 0 });
    const opened = resultOf(exchange) !== undefined;
    const served = opened && (method === undefined || resultOf(await peer.request(method)) !== undefined);
    this.dialer.close(peer);
    return served;
  }

  private async withoutToken(server: URL): Promise<NegotiationResult> {
    const entered = await this.offeredRevisions();
    const open = !(entered instanceof CouldNotJudge);
    // a server with a public handshake often protects its lists
    const listed = open ? await lists(entered.first.peer) : undefined;
    if (open && listed && this.guarded === undefined) return { ...entered, auth: noAuth, listed };
    const got = await this.authorize(server);
    if ('token' in got) {
      if (open) this.dialer.close(entered.first.peer);
      const again = await this.offeredRevisions();
      const auth = await this.admission(got.token, got.found);
      if (!(again instanceof CouldNotJudge)) return { ...again, auth };
      const proven = await this.withBoundToken(auth);
      if (proven) return { ...proven, auth: { ...auth, token: undefined, boundOnly: true } };
      return this.accessDenied(
        again,
        auth,
        'The server refuses the token that the authorization flow returned.',
      );
    }
    const auth = await this.admission(undefined, got.found);
    if (open) return { ...entered, auth };
    const proven = await this.withBoundToken(auth);
    if (proven) return { ...proven, auth: { ...auth, boundOnly: true } };
    return this.accessDenied(entered, auth, `The authorization flow returned no token: ${got.why}.`);
  }

  /** A server that accepts bound tokens only: all requests have one, with a proof. A first request gets the nonce. */
  private async withBoundToken({ bound }: AuthState) {
    if (!bound || !('value' in bound)) return undefined;
    this.dialer.authorizeBound(bound);
    for (let tries = 0; tries < 2; tries++) {
      const entered = await this.offeredRevisions();
      if (!(entered instanceof CouldNotJudge)) return entered;
    }
    return undefined;
  }

  private get guarded(): string | undefined {
    return challengedMethodIn(this.history);
  }

  private get requestedRevision(): Revision {
    const { requestedOffers: wanted } = this;
    return typeof wanted === 'string' ? newestFirst().find(r => r.authorization)! : wanted;
  }

  private async authorize(server: URL): Promise<({ token: string } | { why: string }) & { found: Found }> {
    return this.withSideRequests(async web => {
      const found = await discoverAuthorization(server, this.history, web);
      const got = await obtainToken(found, this.options.credentials ?? {}, web);
      if ('token' in got) this.dialer.authorize(got.token);
      return { ...got, found };
    });
  }

  private async admission(token: string | undefined, known?: Found): Promise<AuthState> {
    const { subject, credentials = {} } = this.options;
    const { guarded } = this;
    const found =
      known ??
      (guarded !== undefined && 'url' in subject
        ? await this.withSideRequests(web => discoverAuthorization(new URL(subject.url), this.history, web))
        : undefined);
    const otherwise = found !== undefined && !found.asDescribed;
    const binds = found !== undefined && this.options.extensions?.includes(dpopExtension);
    const bound = binds
      ? await this.withSideRequests(web => obtainBoundToken(found, credentials, web))
      : undefined;
    return {
      challengedMethod: guarded,
      nonStandardAuth: otherwise,
      authenticated: true,
      tokens: credentials.tokens ?? {},
      token,
      mint: found?.mint,
      ...(bound && { bound }),
    };
  }

  /** Requests that belong to no conversation with the server, recorded separately. */
  private async withSideRequests<T>(
    act: (web: NonNullable<Peer['link']['http']>['web']) => Promise<T>,
  ): Promise<T> {
    const peer = this.dialer.connect({ revision: this.requestedRevision, case: 0, anonymous: true });
    try {
      return await act(peer.link.http!.web);
    } finally {
      this.dialer.close(peer);
    }
  }
}

/** A server with a public handshake often protects its first list. */
async function requestFirstList(peer: Peer, declared: unknown): Promise<Exchange | undefined> {
  const lists = { tools: 'tools/list', resources: 'resources/list', prompts: 'prompts/list' };
  for (const [capability, method] of Object.entries(lists))
    if (declares(declared as Parameters<typeof declares>[0], capability)) return peer.request(method);
  return undefined;
}

/** Refused by the status, or by an error in a response with status 200. */
function isRefused({ conversation }: Peer, exchange: Exchange): boolean {
  const post = conversation.httpOf(exchange.request);
  if (!post?.status) return false;
  return post.status >= 300 || post.hasError || errorOf(exchange) !== undefined;
}
