/**
 * Destinations of reports: `--reporter name[=file]`, the console, and the choice of the one that uses
 * standard output.
 */

import { appendFileSync, createWriteStream, existsSync, type WriteStream, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { type Reporter, type ReporterName, reporters, type Sink } from '../../reports/reporter.js';
import { formatKnownFailing } from '../report/known-failing.js';
import { UsageError } from '../report/pattern.js';
import type { RunEvent } from '../report/run-event.js';
import { Summary } from '../report/summary.js';
import { parseFolder, unknownName } from './arguments.js';

export interface OutputOptions {
  readonly reporter: readonly string[];
  readonly verbose?: boolean;
  readonly quiet?: boolean;
  readonly color: boolean;
  /** No progress messages: another part of the program reports the progress. */
  readonly calm?: boolean;
  /** File for a new list of known failures. */
  readonly writeKnownFailing?: string;
  /** Warnings fail the run, so the list includes them. */
  readonly strict?: boolean;
}

const isReporter = (name: string): name is ReporterName => Object.hasOwn(reporters, name);

/** All reporters of a run as one reporter. */
export class Output {
  private readonly all: Reporter[];
  private readonly files: WriteStream[] = [];

  /**
   * @param where stream for the console report: `stderr` when standard output has another use
   * @throws UsageError for an unknown reporter, a folder that does not exist, or a report without a
   *   destination
   */
  constructor(options: OutputOptions, where: 'stdout' | 'stderr' = 'stdout') {
    const asked = options.reporter.map(text => {
      const at = text.indexOf('=');
      const [name, file] = at === -1 ? [text] : [text.slice(0, at), text.slice(at + 1)];
      if (!isReporter(name!)) throw unknownName('reporter', name!, Object.keys(reporters));
      if (where === 'stderr' && name !== 'console' && !file)
        throw new UsageError(
          `--reporter ${text} needs a file here, as in ${text}=report: stdout belongs to the client.`,
        );
      if (file) parseFolder(`--reporter ${text}`, dirname(file));
      return { name, file };
    });
    const machineOnStdout = asked.some(({ name, file }) => name !== 'console' && !file);
    if (!asked.some(({ name }) => name === 'console')) asked.unshift({ name: 'console', file: undefined });
    this.all = asked.map(({ name, file }) => {
      const out = file
        ? this.open(file)
        : name === 'console' && (machineOnStdout || where === 'stderr')
          ? process.stderr
          : process.stdout;
      const isTTY = !file && Boolean((out as NodeJS.WriteStream).isTTY);
      return reporters[name]({
        out,
        isTTY: isTTY && !process.env.CI,
        ...(options.calm && { calm: true }),
        color: options.color && wantsColor(isTTY),
        verbose: options.verbose ?? false,
        quiet: options.quiet ?? false,
        columns: (!file && (out as NodeJS.WriteStream).columns) || 100,
        ...(process.env.GITHUB_STEP_SUMMARY && { stepSummary: appendTo(process.env.GITHUB_STEP_SUMMARY) }),
      });
    });
    if (options.writeKnownFailing) this.all.push(listFailures(options.writeKnownFailing, options.strict));
  }

  private open(file: string): WriteStream {
    const stream = createWriteStream(file);
    this.files.push(stream);
    return stream;
  }

  /**
   * Passes every event to the reporters, then waits until all output is written. Returns the exit code of the
   * run.
   */
  async consume(events: AsyncIterable<RunEvent> | Iterable<RunEvent>): Promise<number> {
    let exitCode = 0;
    try {
      for await (const event of events) {
        for (const reporter of this.all) reporter.event(event);
        if (event.kind === 'run-end') exitCode = event.exitCode;
      }
    } finally {
      for (const reporter of this.all) await reporter.end?.();
      await Promise.all(this.files.map(file => new Promise(resolve => file.end(resolve))));
    }
    return exitCode;
  }
}

/** Appends, because other steps and programs write to the same file. */
const appendTo = (file: string): Sink => ({ write: text => appendFileSync(file, text) });

/**
 * Writes the failures of a run as a list of known failures; the user adds the reasons.
 * @throws UsageError when the file exists: the file may contain reasons
 */
function listFailures(file: string, strict = false): Reporter {
  parseFolder('--write-known-failing', dirname(file));
  if (existsSync(file))
    throw new UsageError(`--write-known-failing: "${file}" exists and may contain reasons. Name a new file.`);
  const summary = new Summary();
  return {
    event(event) {
      summary.add(event);
      if (event.kind === 'run-end') writeFileSync(file, formatKnownFailing(summary.report(), strict));
    },
  };
}

/** Supports https://no-color.org and FORCE_COLOR. */
export const wantsColor = (isTTY: boolean): boolean =>
  process.env.NO_COLOR ? false : isTTY || Boolean(process.env.FORCE_COLOR);
