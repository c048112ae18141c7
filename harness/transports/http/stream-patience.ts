/** How long streams opened with GET are waited for: their heads, and responses on them. Shared by the connections of a run. */

import type { Overdue } from '../../time/clock.js';

/** Part of the timeout of a response after a GET without one. */
const hurriedPart = 1 / 5;

/** Number of requests whose responses are waited for on a GET stream in vain. */
const vainWaits = 2;

/**
 * Some servers send no head before the first event. One GET in full is the evidence: the later ones get a short wait, in
 * which all other servers open a stream. Others accept a request with 202 and respond on the GET stream, against the
 * text: what such a response says is judged too.
 */
export class StreamPatience {
  private isSilent = false;
  private waitsInVain = 0;
  private hasAnswered = false;

  /** True if an earlier GET had no response. */
  get isHurried(): boolean {
    return this.isSilent;
  }

  /** @param answer the timeout of a response, in milliseconds */
  timeoutMs(answer: number): number {
    return this.isSilent ? answer * hurriedPart : answer;
  }

  /** True if a response has arrived on a GET stream after its POST had ended with 202. */
  get answersOnGet(): boolean {
    return this.hasAnswered;
  }

  /** Whether the response to a request that got 202 may still arrive on a GET stream. */
  get mayAnswerOnGet(): boolean {
    return this.hasAnswered || this.waitsInVain < vainWaits;
  }

  addAnswerOnGet(): void {
    this.hasAnswered = true;
  }

  addVainWait(): void {
    this.waitsInVain++;
  }

  /** Records a GET without a response in time. Without CPU time it shows nothing. */
  add({ starved }: Overdue): void {
    if (!starved) this.isSilent = true;
  }
}
