/** A process that ends at its start because its port is taken: a server with a fixed port of its own runs only once. */

import type { Conversation } from './conversation.js';

/** The text of the operating system, which most runtimes pass on, and texts of programs. */
const portTaken =
  /EADDRINUSE|address (?:is )?already in use|port \S{1,40} is already in use|only one usage of each socket address/i;

/** True if the process of a server on stdio ended without any output on stdout, and wrote to stderr that a port is taken. */
export const isPortTaken = (conversation: Conversation): boolean =>
  conversation.party === 'server' &&
  conversation.transport === 'stdio' &&
  conversation.exit !== undefined &&
  conversation.frames('subject').length === 0 &&
  portTaken.test(
    conversation
      .eventsOf('stderr')
      .map(({ text }) => text)
      .join(''),
  );

/** Reason why a case that needs two processes at the same time is not judged. */
export const runsOnlyOnce =
  'the server runs only once at a time: another process of it ends at once, because its port is taken';
