/** The message after which the process of a subject exited, and its last output. */

import type { Conversation } from './conversation.js';
import type { Frame, Stderr } from './event.js';

/**
 * The message of the harness after which the process exited without being asked to. A subject has processed the
 * messages up to the last request that it responded to; of the later ones, a deliberately invalid message is the most
 * likely reason, else the first one.
 */
export function fatalMessage(conversation: Conversation): Frame | undefined {
  const { exit, ending } = conversation;
  if (!exit || (ending && ending.seq < exit.seq)) return undefined;
  let processed = 0;
  for (const { request, reply } of conversation.exchanges({ by: 'peer' }))
    if (reply && reply.seq < exit.seq) processed = Math.max(processed, request.seq);
  const open = conversation.frames('peer').filter(f => f.seq > processed && f.seq < exit.seq);
  return open.findLast(f => f.deliberate) ?? open[0];
}

/** Chunks of output within this time (ms), so many at most, are one text: a process may write it in several parts. */
const oneText = { ms: 20, chunks: 20 };

/** The last output of a process before its exit. @param after the number of an event: output before it is left out */
export function lastOutput(conversation: Conversation, after = 0): Stderr[] {
  const end = conversation.exit?.seq ?? Number.POSITIVE_INFINITY;
  const output = conversation.eventsOf('stderr').filter(e => e.seq > after && e.seq < end);
  const last = output.at(-1);
  return last ? output.slice(-oneText.chunks).filter(e => e.at >= last.at - oneText.ms) : [];
}
