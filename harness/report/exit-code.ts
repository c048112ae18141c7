/** The exit code of a run, from its events. */

import type { RunEnd, RunEvent } from './run-event.js';
import { Summary } from './summary.js';

export class ExitCode {
  private readonly summary = new Summary();

  add(event: RunEvent): void {
    // messages cost time, and change no exit code
    if (event.kind !== 'wire') this.summary.add(event);
  }

  /** @param end the end of the run, before it is an event */
  at(end: Pick<RunEnd, 'unjudged' | 'stale' | 'stopped'>): number {
    return this.summary.exitCodeAt(end);
  }
}
