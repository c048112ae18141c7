/** The facts about a dated revision of MCP. */

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
