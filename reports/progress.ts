/** Progress of the run: one line rewritten in place on a terminal, elsewhere a new line from time to time. */

import { visible } from './escape.js';
import type { Sink } from './reporter.js';
import { amount, duration, makeStyle, type Style, truncate, width } from './style.js';

const ERASE = '\r\x1b[2K';
/** Minimum time between two updates, in milliseconds. */
const INTERVAL = 100;
/** Time between two lines without a terminal, in milliseconds. */
const CALM = 15_000;
/** Cells of the bar, on terminals that are wide enough. */
const BAR = 16;

interface ProgressOptions {
  readonly out: Sink;
  readonly columns: number;
  /** Whether lines can be rewritten in place. */
  readonly isTTY: boolean;
  readonly color: boolean;
  /** Number of findings with this grade so far. */
  readonly count: (grade: 'violation' | 'warning') => number;
  readonly now?: () => number;
  /** What is counted; default: case. */
  readonly unit?: string;
}

interface Running {
  readonly name: string;
  readonly since: number;
}

export class Progress {
  private readonly now: () => number;
  private readonly began: number;
  private readonly style: Style;
  private drawnAt = Number.NEGATIVE_INFINITY;
  private shown = false;
  private planned = 0;
  private done = 0;
  private place = '';
  private readonly running = new Map<number, Running>();
  private readonly timer: NodeJS.Timeout;

  constructor(private readonly options: ProgressOptions) {
    this.now = options.now ?? (() => performance.now());
    this.style = makeStyle(options.color);
    this.began = this.now();
    // the timer shows that a case waits for a silent subject
    this.timer = setInterval(() => this.tell(), options.isTTY ? 500 : CALM);
    this.timer.unref();
  }

  /** Adds cases to the plan. @param place the revision and the transport, as in case names */
  plan(cases: number, place: string): void {
    this.planned += cases;
    this.place = place;
  }

  /** @param number of the case; 0 is the probe, which is not counted */
  start(number: number, name: string): void {
    if (number > 0) this.running.delete(0);
    this.running.set(number, { name, since: this.now() });
    this.draw();
  }

  end(number: number): void {
    if (this.running.delete(number) && number > 0) this.done++;
    this.draw();
  }

  private draw(): void {
    if (this.options.isTTY && this.now() - this.drawnAt >= INTERVAL) this.tell();
  }

  private tell(): void {
    this.drawnAt = this.now();
    const { out, isTTY } = this.options;
    if (isTTY) out.write(ERASE + this.line());
    else out.write(`… ${this.words().join(', ')}\n`);
    this.shown = isTTY;
  }

  /** The case that has been running longest. */
  private current(): string {
    const [oldest] = this.running.values();
    if (!oldest) return '';
    const waited = this.drawnAt - oldest.since;
    const name = oldest.name.startsWith(`${this.place}/`)
      ? oldest.name.slice(this.place.length + 1)
      : oldest.name;
    return `${visible(name)}${waited >= 1000 ? ` ${duration(Math.floor(waited / 1000) * 1000)}` : ''}`;
  }

  private words(): string[] {
    const { count } = this.options;
    const counts = (['violation', 'warning'] as const).flatMap(grade => {
      const n = count(grade);
      return n > 0 ? [amount(n, grade)] : [];
    });
    const far =
      this.planned === 0
        ? 'starting'
        : `${this.done} of ${amount(this.planned, this.options.unit ?? 'case')}`;
    const elapsed = duration(Math.floor((this.drawnAt - this.began) / 100) * 100);
    return [
      far,
      elapsed,
      ...counts,
      ...[this.current(), this.place.replace('/', ' ')].filter(text => text !== ''),
    ];
  }

  private line(): string {
    const { columns, count } = this.options;
    const { style, planned, done } = this;
    const elapsed = duration(Math.floor((this.drawnAt - this.began) / 100) * 100);
    const [violations, warnings] = [count('violation'), count('warning')];
    const full = planned === 0 ? 0 : Math.round((done / planned) * BAR);
    const parts: [string, keyof Style | undefined][] = [
      [columns >= 100 && planned > 0 ? `${'━'.repeat(full)}${'┄'.repeat(BAR - full)}` : '', 'green'],
      [planned === 0 ? 'starting' : `${String(done).padStart(String(planned).length)}/${planned}`, 'bold'],
      [elapsed.padStart(6), undefined],
      [violations > 0 ? amount(violations, 'violation') : '', 'red'],
      [warnings > 0 ? amount(warnings, 'warning') : '', 'yellow'],
      [this.current(), undefined],
      [this.place.replace('/', ' '), 'dim'],
    ];
    // The last column stays empty: some terminals wrap a full line.
    let room = columns - 1;
    const drawn: string[] = [];
    for (const [text, color] of parts) {
      if (text === '' || room < 8) continue;
      const fitting = truncate(text, room);
      drawn.push(color ? style[color](fitting) : fitting);
      room -= width(fitting) + 2;
    }
    return drawn.join('  ');
  }

  /** Erases the line permanently. */
  stop(): void {
    clearInterval(this.timer);
    if (this.shown) this.options.out.write(ERASE);
    this.shown = false;
  }
}
