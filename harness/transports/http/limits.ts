/** Limits that no conversation of the harness needs to exceed; reading stops at the limit. */

export const limits = {
  /** Blocks of all streams of one link. */
  blocks: 200_000,
  /** Blocks that hold no message. */
  idleBlocks: 20_000,
  /** Characters kept of a body that is not a message. */
  kept: 4_096,
  /** Bytes of the head of a response. */
  head: 64 * 1024,
  /** Bytes of all responses besides their heads and bodies, and besides five for each byte of these. */
  overhead: 16 * 1024 * 1024,
  /**
   * Consecutive reconnections of a stream without a message: a listening stream (`reopenIdle`), a stream with
   * responses pending (`polls`).
   */
  reopenIdle: 3,
  polls: 100,
  /** Reconnections of all streams of a link. */
  reopen: 5_000,
  /**
   * Harness as server, per listener: simultaneous connections, total requests, refused requests without
   * authorization, total links.
   */
  connections: 1_000,
  requests: 20_000,
  refused: 1_000,
  links: 200,
};
