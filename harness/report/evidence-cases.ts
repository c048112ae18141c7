/** The cases whose messages are evidence of a finding of another case: a replay needs them too. */

import type { Role } from '../../spec/json-rpc.js';
import type { Event } from '../record/event.js';

export class EvidenceCases {
  /** The case of each event, by the number of the event; without those that each replay has. */
  private readonly caseOf: number[] = [];
  /** Links with a message of the subject: the first one is part of the handshake, or has no state before it. */
  private readonly begun = new Set<number>();

  add(event: Event, subject: Role): void {
    const { kind, seq, link } = event;
    if (this.begun.has(link)) this.caseOf[seq] = event.case;
    else if (kind === 'frame' && event.by === subject) this.begun.add(link);
  }

  /** @returns numbers of cases; the case 0 is the probe, which precedes each run */
  of(evidence: readonly number[]): number[] {
    return [...new Set(evidence.map(seq => this.caseOf[seq] ?? 0))].filter(number => number !== 0);
  }
}
