/** The dated revisions of MCP, in order. The only place where two revisions are compared. */

import { revision as r20241105 } from './2024-11-05/revision.js';
import { revision as r20250326 } from './2025-03-26/revision.js';
import { revision as r20250618 } from './2025-06-18/revision.js';
import { revision as r20251125 } from './2025-11-25/revision.js';
import { revision as r20260728 } from './2026-07-28/revision.js';

export type RevisionId = '2024-11-05' | '2025-03-26' | '2025-06-18' | '2025-11-25' | '2026-07-28';
export type TransportId = 'stdio' | 'http-sse' | 'streamable-http';
export type EraId = 'legacy' | 'modern';

/** What a revision says about itself; everything that differs between revisions and is not text is here. */
export interface Revision {
  readonly id: RevisionId;
  readonly era: EraId;
  readonly transports: readonly TransportId[];
  /** JSON-RPC batches may be sent and must be accepted (basic/index#batching). */
  readonly batches: boolean;
  /** After the handshake every HTTP request names the revision in a header (basic/transports#protocol-version-header). */
  readonly protocolVersionHeader: boolean;
  /** Event streams begin with an id, so that the server may close them and the client come back (basic/transports). */
  readonly polling: boolean;
  /** Capabilities a feature needs although the revision has no name for it: the feature is simply tried. */
  readonly undeclarable: readonly string[];
  /** How authorization goes; absent where the revision has none. */
  readonly authorization?: AuthorizationFacts;
}

/** What differs between the revisions' pages on authorization (basic/authorization). */
export interface AuthorizationFacts {
  /** Protected resource metadata names the authorization server; without, it is the server's own origin. */
  readonly resourceMetadata: boolean;
  /** Kinds of metadata an authorization server can be found by: RFC 8414, OpenID Connect Discovery. */
  readonly metadata: readonly ('oauth' | 'openid')[];
  /** A request without a token may be refused without a challenge, if the metadata is at a well-known place. */
  readonly bareRefusal: boolean;
  /** Without metadata, endpoints stand at default paths. */
  readonly defaultPaths: boolean;
}

/** Oldest first. */
export const revisions: readonly Revision[] = [r20241105, r20250326, r20250618, r20251125];

/** Those whose messages are defined, also those whose behaviour is not implemented yet: generators want no more. */
export const definedRevisions: readonly Revision[] = [...revisions, r20260728];

/** Every dated revision the catalogue speaks of, also those whose behaviour is not implemented yet. */
export const revisionIds: readonly RevisionId[] = [
  '2024-11-05',
  '2025-03-26',
  '2025-06-18',
  '2025-11-25',
  '2026-07-28',
];

export const latestRevision: Revision = revisions.at(-1)!;

/** What a server assumes of an HTTP request that names no revision (basic/transports#protocol-version-header). */
export const assumedOverHttp: Revision = r20250326;

export const findRevision = (id: unknown): Revision | undefined => revisions.find(r => r.id === id);

/** Newest first, the order in which a subject is asked. */
export const newestFirst = (): Revision[] => [...revisions].reverse();
