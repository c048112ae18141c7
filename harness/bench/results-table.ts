/**
 * Results of the benchmark: a line for each measurement, and at the end a table of the figures with targets.
 */

import { availableParallelism, loadavg } from 'node:os';

type Target = { readonly atMost: number } | { readonly atLeast: number };

interface Figure {
  readonly what: string;
  readonly value: number;
  readonly target: Target;
}

/** A part of the benchmark; it adds its figures to the sheet. */
export type Part = (sheet: Sheet) => void | Promise<void>;

export class Sheet {
  private readonly figures: Figure[] = [];
  private readonly left: string[] = [];

  constructor(private readonly print: (line: string) => void = console.log) {}

  part(name: string): void {
    this.print(`\n${name}`);
  }

  /** @param value in the unit named in `what` */
  add(what: string, value: number, target?: Target): void {
    if (target) this.figures.push({ what, value, target });
    this.print(`  ${what.padEnd(width)}${shown(value).padStart(12)}${target ? `   ${words(target)}` : ''}`);
  }

  /** Records a part that cannot be measured here, and the reason. */
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

/** A warning about the load of the machine; undefined when the machine is idle. */
export function trouble(): string | undefined {
  const [minute = 0] = loadavg();
  const cores = availableParallelism();
  return minute > cores / 2
    ? `The machine is busy: load ${minute.toFixed(1)} on ${cores} cores. Times are too long; use only the ratios.`
    : undefined;
}

export const median = (numbers: readonly number[]): number =>
  [...numbers].sort((a, b) => a - b)[Math.floor(numbers.length / 2)]!;

/** Repeats a measurement. @returns the median of the results */
export async function medianOf(times: number, measure: () => number | Promise<number>): Promise<number> {
  const all: number[] = [];
  for (let n = 0; n < times; n++) all.push(await measure());
  return median(all);
}
