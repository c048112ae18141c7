/** Sends the messages of the harness in one conversation, and only those that its role and revision allow. */

import type { JsonObject, RequestId } from '../../spec/json-rpc.js';
import type { Conversation } from '../record/conversation.js';
import { type Exchange, idKey, type Message } from '../record/message.js';
import type { Link } from '../transports/link.js';
import { NotObserved } from './deferred.js';
import type { Liveness } from './liveness.js';
import type { PendingRequests } from './pending-requests.js';
import type { MessageOptions, Pending, SendOptions } from './requests.js';

/** Part of the timeout for requests that a subject leaves unanswered while it answers later ones. */
const afterBarrier = 0.25;

interface SenderTarget {
  readonly link: Link;
  readonly conversation: Conversation;
  readonly pending: PendingRequests;
  /** The related request of the subject, for messages of the harness as a server. */
  related(during: Message | null | undefined): Message | null | undefined;
}

export class Sender {
  constructor(private readonly target: SenderTarget) {}

  write(text: string, { deliberate, during }: SendOptions): Message[] {
    const about = this.target.related(during);
    return this.target.link.send({
      text,
      ...(deliberate && { deliberate }),
      ...(about && { during: about }),
    });
  }

  start(json: JsonObject, options: MessageOptions): Pending {
    const { link, conversation, pending } = this.target;
    const text = JSON.stringify(json);
    pending.use(json);
    let sent: Message[] = [];
    if (options.via) {
      const before = conversation.messages.length;
      options.via(text);
      sent = conversation.messages.slice(before);
    } else sent = this.write(text, options);
    const request = sent.find(m => idKey(m.id) === idKey(json.id));
    if (!request && link.carrier)
      throw new NotObserved('the client has closed the stream for requests of the server');
    if (!request) throw new Error(`The message was not recorded as one message: ${text}`);
    const done = options.endless
      ? pending.untilReply(request)
      : pending.awaitReply(request, options.timeoutFactor);
    return { id: json.id as RequestId, request, done };
  }

  /**
   * Waits for the responses to all requests in manually written input.
   * @param liveness sends a later request: from its response on the others have a part of the timeout
   */
  byHand(write: () => void, liveness?: Pick<Liveness, 'barrier'>): Promise<Exchange[]> {
    const { conversation, pending } = this.target;
    const before = conversation.messages.length;
    write();
    const sent = conversation.messages.slice(before).filter(m => m.kind === 'request');
    const factor = liveness?.barrier().then(isProcessed => (isProcessed ? afterBarrier : 1));
    return Promise.all(sent.map(m => pending.awaitReply(m, factor)));
  }
}
