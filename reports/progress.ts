/** One line on a terminal that says how far the run is; rewritten in place, gone when there is something to read. */

import { visible } from './escape.js';
import type { Sink } from './reporter.js';
import { amount, duration, truncate } from './style.js';

const ERASE = '\r\x1b[2K';
/** Milliseconds between two drawings. */
const INTERVAL = 100;

export class Progress {
  private readonly began: number;
  private drawnAt = Number.NEGATIVE_INFINITY;
  private shown = false;
  private planned = 0;
  private started = 0;
  private name = '';
  private readonly timer: NodeJS.Timeout;

  /** @param violations how many there are so far */
  constructor(
    private readonly out: Sink,
    private readonly columns: number,
    private readonly violations: () => number,
    private readonly now: () => number = () => performance.now(),
  ) {
    this.began = now();
    // A case that waits for a silent subject is seen to wait.
    this.timer = setInterval(() => this.draw(), 500);
    this.timer.unref();
  }

  /** More cases will run. */
  plan(cases: number): void {
    this.planned += cases;
  }

  case(name: string, isProbe: boolean): void {
    if (!isProbe) this.started++;
    this.name = name;
    if (this.now() - this.drawnAt >= INTERVAL) this.draw();
  }

  private draw(): void {
    this.drawnAt = this.now();
    const n = this.violations();
    const parts = [
      this.planned === 0 ? 'starting' : `${this.started}/${this.planned}`,
      duration(Math.floor((this.drawnAt - this.began) / 100) * 100),
      ...(n > 0 ? [amount(n, 'violation')] : []),
      visible(this.name),
    ];
    this.out.write(`${ERASE}${truncate(parts.join('  '), this.columns - 1)}`);
    this.shown = true;
  }

  /** Erases the line for good. */
  stop(): void {
    clearInterval(this.timer);
    if (this.shown) this.out.write(ERASE);
    this.shown = false;
  }
}
