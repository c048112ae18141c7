/** Where reports go: `--reporter name[=file]`, the console, and which of them get standard output. */

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
  /** No word of progress: somebody else tells of it. */
  readonly calm?: boolean;
  /** A file to begin a list of known failures with. */
  readonly writeKnownFailing?: string;
  /** Warnings fail the run, so they belong into that list. */
  readonly strict?: boolean;
}

const isReporter = (name: string): name is ReporterName => Object.hasOwn(reporters, name);

/** All reporters of a run behind one. */
export class Output {
  private readonly all: Reporter[];
  private readonly files: WriteStream[] = [];

  /**
   * @param where people read: `stderr` when standard output belongs to somebody else
   * @throws UsageError for a reporter that does not exist, a folder that is not there, or a report without a place
   */
  constructor(options: OutputOptions, where: 'stdout' | 'stderr' = 'stdout') {
    const asked = options.reporter.map(text => {
      const at = text.indexOf('=');
      const [name, file] = at === -1 ? [text] : [text.slice(0, at), text.slice(at + 1)];
      if (!isReporter(name!)) throw unknownName('reporter', name!, Object.keys(reporters));
      if (where === 'stderr' && name !== 'console' && !file)
        throw new UsageError(
          `--reporter ${text} needs a file here, as in ${text}=report: stdout is the client's.`,
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

  /** Passes every event on, then waits until all is written. Returns the exit code of the run. */
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

/** Other steps and programs write to the same file. */
const appendTo = (file: string): Sink => ({ write: text => appendFileSync(file, text) });

/**
 * Writes the failures of a run as a list of known ones, for somebody to give the reasons.
 * @throws UsageError when the file exists: it may hold reasons
 */
function listFailures(file: string, strict = false): Reporter {
  parseFolder('--write-known-failing', dirname(file));
  if (existsSync(file))
    throw new UsageError(`--write-known-failing: "${file}" exists, and may hold reasons. Name a new file.`);
  const summary = new Summary();
  return {
    event(event) {
      summary.add(event);
      if (event.kind === 'run-end') writeFileSync(file, formatKnownFailing(summary.report(), strict));
    },
  };
}

/** https://no-color.org and its opposite. */
export const wantsColor = (isTTY: boolean): boolean =>
  process.env.NO_COLOR ? false : isTTY || Boolean(process.env.FORCE_COLOR);
