/** What a report is made of, and the reports there are. */

import type { RunEvent } from '../harness/report/run-event.js';
import { console } from './console.js';
import { github } from './github.js';
import { html } from './html.js';
import { json } from './json.js';
import { jsonl } from './jsonl.js';
import { junit } from './junit.js';
import { markdown } from './markdown.js';
import { sarif } from './sarif.js';

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
  /** No word of progress: somebody else tells of it. */
  readonly calm?: boolean;
  /** Width of the terminal; sentences are wrapped to it also where it is none. */
  readonly columns: number;
  /** Where GitHub's runner collects the summary of a job; only inside a step. */
  readonly stepSummary?: Sink;
}

export type ReporterFactory = (options: ReporterOptions) => Reporter;

/** The names `--reporter` knows. */
export const reporters = { console, json, jsonl, junit, html, markdown, github, sarif } satisfies Record<
  string,
  ReporterFactory
>;
export type ReporterName = keyof typeof reporters;
