/** What kept a case from its result without a fault of the subject. */

import type { Party } from '../../spec/json-rpc.js';
import { excused, type Finding, unjudged } from '../judge/finding.js';
import type { Event } from '../record/event.js';
import { overflowInWords } from '../record/message.js';
import { unexercised } from '../report/occasions.js';
import type { Starved } from '../time/clock.js';
import { whyUnread } from './unread-request.js';

/** The limit of the harness at which it stopped reading, in words. */
const stoppedReading = (overflow: Parameters<typeof overflowInWords>[0]): string =>
  `the harness stopped reading: ${overflowInWords(overflow)}`;

export class CaseExcuses {
  /** Cases with CPU starvation. */
  private readonly starved = new Map<number, Starved>();
  /** Cases with a request whose content the server never looked at, with the reason. */
  private readonly unread = new Map<number, string>();
  /** Cases with a message that exceeds a limit of the harness, with the limit in words. */
  private readonly cutOff = new Map<number, string>();

  constructor(private readonly role: Party) {}

  note(event: Event): void {
    const unread = whyUnread(event, this.role);
    if (unread !== undefined) this.unread.set(event.case, unread);
    if ('starved' in event && event.starved) this.starved.set(event.case, event.starved);
    if (event.kind === 'overflow') this.cutOff.set(event.case, stoppedReading(event));
  }

  /** A failure of a case that has an excuse is not judged; the reason of a missing judgement names the limit. */
  apply(told: Finding): Finding {
    const { case: number, source, verdict, message } = told;
    if (source === 'scenario' && verdict === 'fail') {
      const starved = this.starved.get(number);
      if (starved) return excused(told, starved);
      const unread = this.unread.get(number);
      return unread ? unjudged(told, unread) : told;
    }
    const limit = number === 0 || source === 'rule' ? undefined : this.cutOff.get(number);
    if (limit === undefined || (verdict !== 'none' && verdict !== 'inconclusive')) return told;
    return {
      ...told,
      message: message === undefined || message === unexercised ? limit : `${message}; ${limit}`,
    };
  }
}
