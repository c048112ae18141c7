/** The dated revisions of MCP, in order. The only place where two revisions are compared. */

import { revision as r20241105 } from './2024-11-05/revision.js';
import { revision as r20250326 } from './2025-03-26/revision.js';
import { revision as r20250618 } from './2025-06-18/revision.js';
import { revision as r20251125 } from './2025-11-25/revision.js';
import { revision as r20260728 } from './2026-07-28/revision.js';

export type RevisionId = '2024-11-05' | '2025-03-26' | '2025-06-18' | '2025-11-25' | '2026-07-28';
export type TransportId = 'stdio' | 'http-sse' | 'streamable-http';
export type EraId = 'legacy' | 'modern';

/** The facts about a revision: all differences between revisions that are not text. */
export interface Revision {
  readonly id: RevisionId;
  readonly era: EraId;
  readonly transports: readonly TransportId[];
  /** JSON-RPC batches may be sent and must be accepted (basic/index#batching). */
  readonly batches: boolean;
  /** After the handshake every HTTP request names the revision in a header (basic/transports#protocol-version-header). */
  readonly protocolVersionHeader: boolean;
  /**
   * Event streams begin with an id, so that the server may close them and the client may resume them
   * (basic/transports).
   */
  readonly polling: boolean;
  /**
   * Capabilities that a feature needs but for which the revision has no name: a subject uses the feature
   * without a declaration.
   */
  readonly undeclarable: readonly string[];
  /** The facts about authorization; absent where the revision has none. */
  readonly authorization?: AuthorizationFacts;
}

/** The differences between the pages of the revisions on authorization (basic/authorization). */
export interface AuthorizationFacts {
  /**
   * Protected resource metadata names the authorization server; without such metadata, the authorization
   * server is at the origin of the server.
   */
  readonly resourceMetadata: boolean;
  /** Kinds of metadata by which clients find an authorization server: RFC 8414, OpenID Connect Discovery. */
  readonly metadata: readonly ('oauth' | 'openid')[];
  /** A request without a token may be refused without a challenge, if the metadata is at a well-known URL. */
  readonly bareRefusal: boolean;
  /** Without metadata, the endpoints have default paths. */
  readonly defaultPaths: boolean;
}

/** Oldest first. */
export const revisions: readonly Revision[] = [r20241105, r20250326, r20250618, r20251125];

/**
 * Revisions whose messages are defined, also those whose behaviour is not implemented yet: generators need
 * only the messages.
 */
export const definedRevisions: readonly Revision[] = [...revisions, r20260728];

/** Every dated revision in the catalogue, also those whose behaviour is not implemented yet. */
export const revisionIds: readonly RevisionId[] = [
  '2024-11-05',
  '2025-03-26',
  '2025-06-18',
  '2025-11-25',
  '2026-07-28',
];

export const latestRevision: Revision = revisions.at(-1)!;

/**
 * The revision that a server assumes for an HTTP request without a version
 * (basic/transports#protocol-version-header).
 */
export const assumedOverHttp: Revision = r20250326;

export const findRevision = (id: unknown): Revision | undefined => revisions.find(r => r.id === id);

/** The newest revision first, in the order in which the harness offers revisions to a subject. */
export const newestFirst = (): Revision[] => [...revisions].reverse();
