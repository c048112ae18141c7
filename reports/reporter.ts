/** What a report is made of, and the reports there are. */

import type { RunEvent } from '../harness/run-event.js';
import { console } from './console.js';
import { json } from './json.js';
import { jsonl } from './jsonl.js';

/** Where a report is written to; streams fit, and so does an array in a test. */
export interface Sink {
  write(text: string): unknown;
}

export interface Reporter {
  event(event: RunEvent): void;
  /** Called once after the last event, also when the run broke off before run-end. */
  end?(): void | Promise<void>;
}

export interface ReporterOptions {
  readonly out: Sink;
  /** Lines may be rewritten in place. */
  readonly isTTY: boolean;
  readonly color: boolean;
  readonly verbose: boolean;
  readonly quiet: boolean;
  /** Width of the terminal; sentences are wrapped to it also where it is none. */
  readonly columns: number;
}

export type ReporterFactory = (options: ReporterOptions) => Reporter;

/** The names `--reporter` knows. */
export const reporters = { console, json, jsonl } satisfies Record<string, ReporterFactory>;
export type ReporterName = keyof typeof reporters;
