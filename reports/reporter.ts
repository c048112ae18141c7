/** The interface of a reporter. */

import type { RunEvent } from '../harness/report/run-event.js';

/** Output of a report: a stream, or an array in tests. */
export interface Sink {
  write(text: string): unknown;
}

export interface Reporter {
  event(event: RunEvent): void;
  /**
   * Called once after the last event, also if the run was aborted before run-end.
   * @param refused whether an error about the command line, which is printed, ended the run
   */
  end?(refused?: boolean): void | Promise<void>;
}

export interface ReporterOptions {
  readonly out: Sink;
  /** Whether lines may be rewritten in place. */
  readonly isTTY: boolean;
  readonly color: boolean;
  readonly verbose: boolean;
  readonly quiet: boolean;
  /** No progress messages: another part of the program reports the progress. */
  readonly calm?: boolean;
  /** Width of the terminal; sentences are wrapped to this width also without a terminal. */
  readonly columns: number;
  /** The finding for a report about one finding: its number or its requirement. */
  readonly finding?: string;
  /** Destination of the job summary of GitHub Actions; only inside a step. */
  readonly stepSummary?: Sink;
}

export type ReporterFactory = (options: ReporterOptions) => Reporter;
