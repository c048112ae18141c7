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

/**
 * Chunks of output that follow one another within `gapMs` are one text, of `ms` at most: a process may write it in many parts, of
 * which the first and the last ones show it.
 */
const oneText = { gapMs: 20, ms: 200, first: 4, last: 4 };

/** The last output of a process before its exit. @param after the number of an event: output before it is left out */
export function lastOutput(conversation: Conversation, after = 0): Stderr[] {
  const end = conversation.exit?.seq ?? Number.POSITIVE_INFINITY;
  const { gapMs, ms, first, last } = oneText;
  const all = conversation.eventsOf('stderr').filter(e => e.seq > after && e.seq < end);
  const output = all.filter(e => e.at >= all.at(-1)!.at - ms);
  const start = output.findLastIndex((e, n) => n > 0 && e.at - output[n - 1]!.at > gapMs);
  const text = output.slice(Math.max(start, 0));
  return text.length <= first + last ? text : [...text.slice(0, first), ...text.slice(-last)];
}
