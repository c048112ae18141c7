/** What was measured: a line as soon as it is known, and at the end a table of what has a target. */

import { availableParallelism, loadavg } from 'node:os';

export type Target = { readonly atMost: number } | { readonly atLeast: number };

interface Figure {
  readonly what: string;
  readonly value: number;
  readonly target: Target;
}

/** A part of the bench; it puts its figures on the sheet. */
export type Part = (sheet: Sheet) => void | Promise<void>;

export class Sheet {
  private readonly figures: Figure[] = [];
  private readonly left: string[] = [];

  constructor(private readonly print: (line: string) => void = console.log) {}

  part(name: string): void {
    this.print(`\n${name}`);
  }

  /** @param value in the unit that `what` names */
  add(what: string, value: number, target?: Target): void {
    if (target) this.figures.push({ what, value, target });
    this.print(`  ${what.padEnd(width)}${shown(value).padStart(12)}${target ? `   ${words(target)}` : ''}`);
  }

  /** A part that cannot be measured here, and why. */
  skip(what: string, why: string): void {
    this.left.push(what);
    this.print(`  not measured: ${why}`);
  }

  warn(text: string): void {
    this.print(`! ${text}`);
  }

  table(): void {
    if (this.figures.length > 0)
      this.print(`\n  ${'Targets'.padEnd(width)}${'measured'.padStart(12)}   target`);
    for (const { what, value, target } of this.figures)
      this.print(
        `${meets(value, target) ? '✔' : '✘'} ${what.trim().padEnd(width)}${shown(value).padStart(12)}   ${words(target)}`,
      );
    for (const what of this.left) this.print(`- ${what}: not measured`);
  }
}

const width = 58;

const shown = (value: number): string =>
  Number.isInteger(value) || Math.abs(value) >= 1000
    ? Math.round(value).toLocaleString('en')
    : value.toFixed(Math.abs(value) < 1 ? 3 : 2);

const words = (target: Target): string =>
  'atMost' in target ? `≤ ${target.atMost.toLocaleString('en')}` : `≥ ${target.atLeast.toLocaleString('en')}`;

const meets = (value: number, target: Target): boolean =>
  'atMost' in target ? value <= target.atMost : value >= target.atLeast;

/** What to know about the machine before any figure is believed; undefined when it is at rest. */
export function trouble(): string | undefined {
  const [minute = 0] = loadavg();
  const cores = availableParallelism();
  return minute > cores / 2
    ? `The machine is busy: load ${minute.toFixed(1)} on ${cores} cores. Times are too long; only ratios can be believed.`
    : undefined;
}

export const median = (numbers: readonly number[]): number =>
  [...numbers].sort((a, b) => a - b)[Math.floor(numbers.length / 2)]!;

/** Does it several times. @returns the median of what each time gives */
export async function medianOf(times: number, measure: () => number | Promise<number>): Promise<number> {
  const all: number[] = [];
  for (let n = 0; n < times; n++) all.push(await measure());
  return median(all);
}
