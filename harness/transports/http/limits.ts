/** No conversation of ours needs more; beyond it reading stops. */

export const limits = {
  /** Bytes of one body, or of one block of a stream. */
  body: 64 * 2 ** 20,
  /** Bytes of all answers on one link. */
  bytes: 512 * 2 ** 20,
  /** Blocks of all streams of one link. */
  blocks: 200_000,
  /** Blocks that hold no message. */
  idleBlocks: 20_000,
  /** Of a body that is no message only so many characters are kept. */
  kept: 4_096,
  /** Bytes of the head of an answer. */
  head: 64 * 1024,
  /** How often in a row a stream is opened again without a message on it: a listening one, one with answers to come. */
  reopenIdle: 3,
  polls: 100,
  /** How often any stream of a link is opened again. */
  reopen: 5_000,
  /** When our end is the server, for one listener: connections at a time, requests in all, links in all. */
  connections: 1_000,
  requests: 20_000,
  links: 200,
};
