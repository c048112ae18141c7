/** Waits for messages that the subject owes and that are not responses: acknowledgements of subscriptions, and notifications. */

import type { RequestId } from '../../spec/json-rpc.js';
import { envelopeKeys, metaOf } from '../record/envelope.js';
import { idKey, type Message } from '../record/message.js';
import type { Timing } from '../time/timing.js';
import type { UnansweredCounts } from './pending-requests.js';
import type { MessageWait, Waits } from './waits.js';

export const acknowledged = 'notifications/subscriptions/acknowledged';

/** Number of subscriptions, and of notifications, that are waited for in full although none arrives. */
const patience = { listens: 1, notices: 2 };

type Expected = keyof typeof patience;

interface ExpectedTarget {
  readonly timing: Timing;
  readonly waits: Waits;
  /** Shared by all conversations with a subject. */
  readonly unanswered: UnansweredCounts;
}

export class ExpectedMessages {
  constructor(private readonly target: ExpectedTarget) {}

  /**
   * The first message about a subscription; undefined at the timeout, which is shorter after a subscription
   * without any message.
   * @param refused resolves when HTTP refuses the subscription without a message
   */
  ofSubscription(request: Message, refused?: Promise<unknown>): Promise<Message | undefined> {
    const key = idKey(request.id);
    return this.wait(
      'listens',
      m =>
        idKey(m.id) === key ||
        (m.method === acknowledged && idKey(metaOf(m)[envelopeKeys.subscriptionId]) === key),
      // what the later ones do is judged by no rule
      this.isHurried('listens') ? this.target.timing.quiet * 5 : undefined,
      { request: request.id as RequestId, ...(refused && { over: refused }) },
    );
  }

  /**
   * The next notification of a method; undefined at the timeout, which is shorter after notifications that did not
   * arrive.
   * @param isBrief a short wait in any case, because the notification is not owed, or another failure explains its
   *   absence
   */
  notification(method: string, { isBrief = false } = {}): Promise<Message | undefined> {
    const { answer, quiet } = this.target.timing;
    const hurried = this.isHurried('notices') ? Math.max(answer / 5, quiet * 10) : undefined;
    return this.wait('notices', m => m.method === method, isBrief ? quiet * 10 : hurried);
  }

  private isHurried(kind: Expected): boolean {
    return (this.target.unanswered[kind] ?? 0) >= patience[kind];
  }

  private wait(
    kind: Expected,
    fits: (message: Message) => boolean,
    ms: number | undefined,
    options: Pick<MessageWait, 'request' | 'over'> = {},
  ): Promise<Message | undefined> {
    const { waits, unanswered } = this.target;
    return waits.message(fits, {
      ...(ms !== undefined && { ms }),
      ...options,
      onLate: () => {
        if (ms === undefined) unanswered[kind] = (unanswered[kind] ?? 0) + 1;
      },
    });
  }
}
