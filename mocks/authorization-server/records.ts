/** What the mock authorization server remembers: clients, users' sessions, codes and tokens. */

import { randomBytes } from 'node:crypto';

export interface Client {
  readonly id: string;
  /** Absent for a public client. */
  readonly secret?: string;
  readonly authMethod: 'none' | 'client_secret_basic' | 'client_secret_post';
  readonly redirectUris: readonly string[];
  readonly name: string;
  readonly grantTypes: readonly string[];
}

/** What a user has agreed to. */
export interface Grant {
  readonly user: string;
  readonly client: string;
  readonly scope: readonly string[];
  /** Resource indicators (RFC 8707) the client asked for. */
  readonly resource: readonly string[];
  readonly redirectUri: string;
  readonly challenge?: string;
  readonly challengeMethod?: string;
  readonly nonce?: string;
  /** All that comes from one consent; revoked together. */
  readonly family: Family;
}

export interface Family {
  revoked: boolean;
}

export interface Code {
  readonly value: string;
  readonly grant: Grant;
  readonly expires: number;
  spent: boolean;
}

export interface RefreshToken {
  readonly value: string;
  readonly grant: Grant;
  spent: boolean;
  /** Seconds since the epoch; 0 while it is not. */
  spentAt: number;
}

export interface AccessToken {
  readonly value: string;
  readonly grant: Grant;
  /** What it is good for; empty when the client named no resource. */
  readonly audience: readonly string[];
  readonly scope: readonly string[];
  /** Seconds since the epoch. */
  readonly expires: number;
}

/** A user agent, known by its cookie. */
export interface UserSession {
  readonly id: string;
  /** Goes with every form, so that no other site can send one. */
  readonly csrf: string;
  user?: string;
  /** Clients this user agent's user has let in. */
  readonly approved: Set<string>;
}

/** Values with a prefix that leak checks recognise, unique in every run. */
export const unguessable = (prefix: string): string => `${prefix}${randomBytes(18).toString('base64url')}`;

export class Records {
  readonly clients = new Map<string, Client>();
  readonly sessions = new Map<string, UserSession>();
  readonly codes = new Map<string, Code>();
  readonly refreshTokens = new Map<string, RefreshToken>();
  readonly accessTokens = new Map<string, AccessToken>();

  newSession(): UserSession {
    const session = { id: unguessable('ct_us_'), csrf: unguessable('ct_form_'), approved: new Set<string>() };
    this.sessions.set(session.id, session);
    return session;
  }
}
