/** The state of the mock authorization server: clients, users' sessions, codes and tokens. */

import { type KeyObject, randomBytes } from 'node:crypto';

export interface Client {
  readonly id: string;
  /** Absent for a public client. */
  readonly secret?: string;
  readonly authMethod: 'none' | 'client_secret_basic' | 'client_secret_post' | 'private_key_jwt';
  /** The public key of a client that authenticates by assertions. */
  readonly key?: KeyObject;
  readonly redirectUris: readonly string[];
  readonly name: string;
  readonly grantTypes: readonly string[];
  /** The client gets bound tokens only. */
  readonly boundOnly?: boolean;
}

/** The content of a user's consent. */
export interface Grant {
  readonly user: string;
  readonly client: string;
  readonly scope: readonly string[];
  /** Requested resource indicators (RFC 8707). */
  readonly resource: readonly string[];
  readonly redirectUri: string;
  readonly challenge?: string;
  readonly challengeMethod?: string;
  readonly nonce?: string;
  /** All grants from one consent; revoked together. */
  readonly family: Family;
}

interface Family {
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
  /** Thumbprint of the key that the token is bound to. */
  readonly jkt?: string | undefined;
  /** Seconds since the epoch; 0 while the token is unspent. */
  spentAt: number;
}

export interface AccessToken {
  readonly value: string;
  readonly grant: Grant;
  /** The audience; empty when the client named no resource. */
  readonly audience: readonly string[];
  readonly scope: readonly string[];
  /** Thumbprint of the key that the token is bound to. */
  readonly jkt?: string | undefined;
  /** Seconds since the epoch. */
  readonly expires: number;
}

/** A user agent, identified by its cookie. */
export interface UserSession {
  readonly id: string;
  /** Contained in every form, so that no other site can send one. */
  readonly csrf: string;
  user?: string;
  /** Clients allowed by the user of this user agent. */
  readonly approved: Set<string>;
}

/** Random values with a prefix that leak checks recognise, unique in every run. */
export const unguessable = (prefix: string): string => `${prefix}${randomBytes(18).toString('base64url')}`;

export class Records {
  readonly clients = new Map<string, Client>();
  readonly sessions = new Map<string, UserSession>();
  readonly codes = new Map<string, Code>();
  readonly refreshTokens = new Map<string, RefreshToken>();
  /** The jti of ID-JAGs that were accepted. */
  readonly assertions = new Set<string>();
  readonly accessTokens = new Map<string, AccessToken>();

  newSession(): UserSession {
    const session = { id: unguessable('ct_us_'), csrf: unguessable('ct_form_'), approved: new Set<string>() };
    this.sessions.set(session.id, session);
    return session;
  }
}
