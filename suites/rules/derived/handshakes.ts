/** Handshakes that a client begins while an earlier one is open. */

import type { Conversation } from '../../../harness/record/conversation.js';
import { handshakeMethods } from '../../../harness/record/handshake.js';
import type { Message } from '../../../harness/record/message.js';

/**
 * The initialize request before this one, when the client of a process has sent this one before the response to it. One that
 * never got a response may have been given up; over HTTP each initialize is a session of its own.
 */
export function openHandshakeBefore(conversation: Conversation, initialize: Message): Message | undefined {
  if (conversation.transport !== 'stdio' || initialize.by !== conversation.subject) return undefined;
  const earlier = conversation
    .requests({ by: 'subject', method: handshakeMethods.request })
    .findLast(m => m.seq < initialize.seq);
  if (!earlier) return undefined;
  // responses under one id belong to the last request that has it
  const isAnsweredLater =
    earlier.idKey === initialize.idKey
      ? conversation.repliesTo(earlier).length === 0 && conversation.repliesTo(initialize).length > 1
      : (conversation.repliesTo(earlier)[0]?.seq ?? 0) > initialize.seq;
  return isAnsweredLater ? earlier : undefined;
}
