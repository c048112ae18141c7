/** The mock as a proxy: it redirects users to a third party, where all its clients share one client ID. */

import { createHmac, randomBytes } from 'node:crypto';
import type { HttpReply } from '../server/http/reply.js';
import { page } from './answers.js';
import { type Policy, sha256 } from './policy.js';
import type { Client, UserSession } from './records.js';
import type { Ask } from './request.js';

/** An authorization server where the proxy is a client. */
export interface ThirdParty {
  readonly authorization: string;
  readonly token: string;
  readonly clientId: string;
  readonly clientSecret: string;
  readonly scope: string;
}

/** A user who was redirected to the third party. */
interface Traveller {
  readonly session: UserSession;
  /** The verifier for the proxy's own code challenge. */
  readonly verifier: string;
  /** The authorization that the client of the proxy gets after success. */
  readonly goOn: () => HttpReply;
}

export class ForwardingProxy {
  private readonly key = randomBytes(32);
  private readonly travellers = new Map<string, Traveller>();

  /** @param thirdParty read on use: it may start later */
  constructor(
    private readonly policy: Policy,
    private readonly thirdParty: () => ThirdParty,
  ) {}

  /** Whether the user of this browser has allowed a client before. */
  remembers(ask: Ask, client: Client): boolean {
    const { name, value } = this.consent(client, ask);
    const given = ask.cookies.get(name);
    return given !== undefined && this.policy.consentHolds(given, value);
  }

  /** The consent cookie. */
  cookieFor(ask: Ask, client: Client): string {
    const { name, value } = this.consent(client, ask);
    const secure = ask.url.protocol === 'https:' ? '; Secure' : '';
    return `${name}=${value}; Max-Age=3600; ${this.policy.consentAttributes()}${secure}`;
  }

  private consent(client: Client, { url }: Ask): { name: string; value: string } {
    const subject = this.policy.consentSubject(client);
    const prefix = url.protocol === 'https:' ? '__Host-' : '';
    const value = createHmac('sha256', this.key).update(subject).digest('base64url');
    return { name: `${prefix}ct_consent_${sha256(subject).slice(0, 12)}`, value };
  }

  /** Redirects to the third party. The state exists from now on, not before. */
  forward(session: UserSession, callback: string, goOn: Traveller['goOn']): HttpReply {
    const { authorization, clientId, scope } = this.thirdParty();
    const state = this.policy.newState();
    const verifier = randomBytes(32).toString('base64url');
    this.travellers.set(state, { session, verifier, goOn });
    const target = new URL(authorization);
    target.search = new URLSearchParams({
      ...{ response_type: 'code', client_id: clientId, redirect_uri: callback, scope, state },
      ...{ code_challenge: sha256(verifier), code_challenge_method: 'S256' },
    }).toString();
    return { status: 303, headers: { Location: target.href, 'Cache-Control': 'no-store' } };
  }

  /** Handles the callback from the third party. @param session of the browser, if it has one */
  async arrive(ask: Ask, callback: string, session: UserSession | undefined): Promise<HttpReply> {
    const state = this.policy.stateOf(ask.params.get('state'), [...this.travellers.keys()]);
    const traveller = this.travellers.get(state ?? '');
    if (!traveller || !this.policy.isTraveller(traveller, session)) return refusal;
    if (!this.policy.keepsStates()) this.travellers.delete(state!);
    const code = ask.params.get('code');
    const { token, clientId, clientSecret } = this.thirdParty();
    const body = new URLSearchParams({
      ...{ grant_type: 'authorization_code', code: code ?? '', redirect_uri: callback },
      ...{ client_id: clientId, client_secret: clientSecret, code_verifier: traveller.verifier },
    });
    const answer = await fetch(token, { method: 'POST', body });
    return answer.ok ? traveller.goOn() : refusal;
  }
}

const refusal = page(400, 'The authorization was not started in this browser', '<p>Please begin again.</p>');
