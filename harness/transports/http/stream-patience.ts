/** How long the head of the response to a GET is waited for: shared by the connections of a run. */

import type { Overdue } from '../../time/clock.js';

/** Part of the timeout of a response after a GET without one. */
const hurriedPart = 1 / 5;

/**
 * Some servers send no head before the first event. One GET in full is the evidence: the later ones get a short wait, in
 * which all other servers open a stream.
 */
export class StreamPatience {
  private isSilent = false;

  /** True if an earlier GET had no response. */
  get isHurried(): boolean {
    return this.isSilent;
  }

  /** @param answer the timeout of a response, in milliseconds */
  timeoutMs(answer: number): number {
    return this.isSilent ? answer * hurriedPart : answer;
  }

  /** Records a GET without a response in time. Without CPU time it shows nothing. */
  add({ starved }: Overdue): void {
    if (!starved) this.isSilent = true;
  }
}
