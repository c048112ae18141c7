/**
 * Destinations of reports: `--reporter name[=file]`, the console, and the choice of the one that uses
 * standard output.
 */

import { appendFileSync, existsSync, writeFileSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { Progress as CaseProgress } from '../../reports/progress.js';
import type { Reporter } from '../../reports/reporter.js';
import { type ReporterName, reporters } from '../../reports/reporters.js';
import { exitCodes } from '../judge/verdict.js';
import { formatKnownFailing } from '../report/known-failing.js';
import { UsageError } from '../report/pattern.js';
import type { RunEvent } from '../report/run-event.js';
import { Summary } from '../report/summary.js';
import { parseFolder, unknownName } from './arguments.js';
import { type Destination, DirectDestination, FileDestination, StandardDestination } from './destination.js';
import { type Interruption, watchInterruption } from './interruption.js';
import { programWords } from './program.js';
import { isTierFolder, writeTierFolder } from './tier-folder.js';

export interface OutputOptions {
  readonly reporter: readonly string[];
  readonly verbose?: boolean;
  readonly quiet?: boolean;
  /** Also print where the time of the run went. */
  readonly profile?: boolean;
  readonly color: boolean;
  /** No progress messages: another part of the program reports the progress. */
  readonly calm?: boolean;
  /** For a report about one finding: its number or its requirement. */
  readonly finding?: string;
  /** File for a new list of known failures. */
  readonly writeKnownFailing?: string;
  /** Warnings fail the run, so the list includes them. */
  readonly strict?: boolean;
}

/** Time in milliseconds in which a run ends its conversations after a signal; with the reports it takes less than two seconds. */
const timeToEnd = 1000;

/** Reports for a reader, not for a program; they share standard output with each other. */
const isText = (name: string): boolean => name === 'console' || name === 'profile';

const isReporter = (name: string): name is ReporterName => Object.hasOwn(reporters, name);

/** All reporters of a run as one reporter. */
export class Output {
  private readonly all: Reporter[];
  private readonly destinations: Destination[] = [];
  private readonly progress = new Progress();
  /** Reports in files, for the last lines of the output. */
  private readonly files: string[] = [];
  private readonly texts: NodeJS.WriteStream;
  private readonly quiet: boolean;
  /** A message for the end of the output. */
  private remark: string | undefined;
  private interrupted = false;
  private readonly interrupter = new AbortController();
  private endsEarly = false;
  private exitCodeOfSignal: number | undefined;

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
      if (where === 'stderr' && !isText(name!) && !file)
        throw new UsageError(
          `--reporter ${text} needs a file here, as in ${text}=report: stdout belongs to the client.`,
        );
      if (file) parseFolder(`--reporter ${text}`, dirname(file));
      return { name, file };
    });
    if (asked.some(({ name, file }) => name === 'html' && !file) && process.stdout.isTTY)
      throw new UsageError('--reporter html needs a file, as in --reporter html=report.html.');
    const machineOnStdout = asked.some(({ name, file }) => !isText(name) && !file);
    if (!asked.some(({ name }) => name === 'console')) asked.unshift({ name: 'console', file: undefined });
    if (options.profile && !asked.some(({ name }) => name === 'profile'))
      asked.push({ name: 'profile', file: undefined });
    this.texts = machineOnStdout || where === 'stderr' ? process.stderr : process.stdout;
    this.quiet = options.quiet ?? false;
    for (const { file } of asked) if (file) this.files.push(file);
    this.all = asked.map(({ name, file }) => {
      const toStderr = isText(name) && (machineOnStdout || where === 'stderr');
      const standard = toStderr ? process.stderr : process.stdout;
      const isTTY = !file && Boolean(standard.isTTY);
      return reporters[name]({
        out: file ? this.add(this.fileFor(name, file)) : this.standard(standard),
        isTTY: isTTY && !process.env.CI,
        ...(options.calm && { calm: true }),
        color: options.color && wantsColor(isTTY),
        verbose: options.verbose ?? false,
        quiet: options.quiet ?? false,
        columns: (!file && standard.columns) || 100,
        ...(options.finding !== undefined && { finding: options.finding }),
        ...(process.env.GITHUB_STEP_SUMMARY && {
          stepSummary: this.stepSummary(process.env.GITHUB_STEP_SUMMARY),
        }),
      });
    });
    if (options.writeKnownFailing)
      this.all.push(this.listFailures(options.writeKnownFailing, options.strict));
  }

  /** For a run that can end early: the first signal of the user aborts it. */
  get interrupt(): AbortSignal {
    this.endsEarly = true;
    return this.interrupter.signal;
  }

  /** Progress of a run whose events come at its end. @param unit what is counted */
  progressOf(unit: string): CaseProgress | undefined {
    if (this.quiet) return undefined;
    const out = this.texts;
    const isTTY = Boolean(out.isTTY);
    return new CaseProgress({
      out: { write: text => void out.write(text) },
      columns: out.columns || 100,
      isTTY: isTTY && !process.env.CI,
      color: wantsColor(isTTY),
      count: () => 0,
      unit,
    });
  }

  private add<D extends Destination>(destination: D): D {
    this.destinations.push(destination);
    return destination;
  }

  private fileFor(name: string, file: string): Destination {
    if (!isTierFolder(name, file)) return new FileDestination(file);
    return new DirectDestination(`the folder "${file}"`, text => writeTierFolder(file, text));
  }

  private standard(stream: NodeJS.WriteStream): Destination {
    const known = this.destinations.find(d => d instanceof StandardDestination && d.stream === stream);
    const name = stream === process.stderr ? 'standard error' : 'standard output';
    return known ?? this.add(new StandardDestination(stream, name));
  }

  /** Appends, because other steps and programs write to the same file. */
  private stepSummary(file: string): Destination {
    return this.add(
      new DirectDestination(`the file of GITHUB_STEP_SUMMARY, "${file}",`, text =>
        appendFileSync(file, text),
      ),
    );
  }

  /**
   * Writes the failures of a run as a list of known failures; the user adds the reasons.
   * @throws UsageError when the file exists: the file may contain reasons
   */
  private listFailures(file: string, strict = false): Reporter {
    parseFolder('--write-known-failing', dirname(file));
    if (existsSync(file))
      throw new UsageError(
        `--write-known-failing: "${file}" exists and may contain reasons. Name a new file.`,
      );
    const summary = new Summary();
    const list = this.add(
      new DirectDestination(`the list of known failures "${file}"`, text => writeFileSync(file, text)),
    );
    return {
      event: event => {
        summary.add(event);
        if (event.kind !== 'run-end') return;
        const text = formatKnownFailing(summary.report(), strict);
        const entries = text.split('\n').filter(line => line !== '' && !line.startsWith('#')).length;
        list.write(text);
        this.remark = `${entries} ${entries === 1 ? 'entry' : 'entries'} in ${file}: ${
          entries > 0
            ? 'replace "# reason missing" in each of them'
            : strict
              ? 'nothing fails'
              : 'nothing fails; warnings are listed with --strict only'
        }`;
      },
    };
  }

  /**
   * Passes every event to the reporters, then waits until all output is written. A signal or a defect ends the run
   * and the program, after reports with the findings so far. A run that takes `interrupt` gets some seconds to end
   * its conversations, because their end is judged too. Returns the exit code of the run; 2 when a report could not
   * be written.
   * @param handlesSignals the command handles signals itself
   */
  async consume(
    events: AsyncIterable<RunEvent> | Iterable<RunEvent>,
    { handlesSignals = false } = {},
  ): Promise<number> {
    const { interrupted, stop } = watchInterruption(!handlesSignals);
    let exitCode = 0;
    let early: Interruption | undefined;
    let refused = false;
    try {
      const ended = await Promise.race([this.pass(events), interrupted.then(i => this.endRun(i))]);
      if (typeof ended === 'number') exitCode = ended;
      else {
        early = ended;
        this.endAtOnce(early);
      }
    } catch (error) {
      refused = error instanceof UsageError;
      throw error;
    } finally {
      for (const reporter of this.all) await reporter.end?.(refused);
      const problems = await Promise.all(this.destinations.map(d => d.finish()));
      for (const text of problems) if (text !== undefined) console.error(`mcp-conform: ${text}`);
      if (problems.some(text => text !== undefined)) exitCode = exitCodes.usage;
      else this.nameFiles();
      stop();
    }
    // the run still waits for its subjects; the guard in subject.ts terminates them
    if (early) process.exit(early.exitCode);
    return exitCode;
  }

  private nameFiles(): void {
    if (this.quiet || !this.progress.isBegun) return;
    if (this.files.length > 0) this.texts.write(`    Report  ${inFolder(this.files)}\n`);
    if (this.remark !== undefined) this.texts.write(`     Known  ${this.remark}\n`);
  }

  /** Lets the run end by itself where it can. @returns after the time for this */
  private async endRun(interruption: Interruption): Promise<Interruption> {
    if (!this.endsEarly || interruption.exitCode === exitCodes.defect) return interruption;
    this.exitCodeOfSignal = interruption.exitCode;
    this.interrupter.abort(this.progress.reasonOf(interruption.reason).replace(/^T(.*)\.$/, 't$1'));
    await new Promise(resolve => setTimeout(resolve, timeToEnd).unref());
    return interruption;
  }

  private async pass(events: AsyncIterable<RunEvent> | Iterable<RunEvent>): Promise<number> {
    let exitCode = 0;
    for await (const told of events) {
      if (this.interrupted) break;
      // a stored run keeps the words of its own program
      const event = this.completed(told);
      for (const reporter of this.all) reporter.event(event);
      this.progress.add(event);
      if (event.kind === 'run-end') exitCode = event.exitCode;
    }
    return exitCode;
  }

  private completed(event: RunEvent): RunEvent {
    if (event.kind === 'run-start') return { ...event, program: event.program ?? programWords() };
    if (event.kind === 'run-end' && this.exitCodeOfSignal !== undefined)
      return { ...event, exitCode: this.exitCodeOfSignal };
    return event;
  }

  private endAtOnce({ exitCode, reason, details }: Interruption): void {
    this.interrupted = true;
    const event = this.progress.endEarly(exitCode, reason, details);
    if (event) for (const reporter of this.all) reporter.event(event);
  }
}

/** Names of files; several in one folder have its name once. */
function inFolder(files: readonly string[]): string {
  const folder = dirname(files[0]!);
  if (files.length < 2 || folder === '.' || files.some(file => dirname(file) !== folder))
    return files.join(', ');
  return `${files.map(file => basename(file)).join(', ')} in ${folder}`;
}

/** Counts what a run has done, for the case that it ends early. */
class Progress {
  private readonly startedAt = performance.now();
  private begun = false;
  get isBegun(): boolean {
    return this.begun;
  }
  private planned = 0;
  private done = 0;

  add(event: RunEvent): void {
    this.begun = true;
    if (event.kind === 'revision-start') this.planned += event.planned;
    if (event.kind === 'case-end') this.done++;
  }

  /** A sentence with the number of complete cases. */
  reasonOf(interruption: string): string {
    if (this.planned === 0) return interruption;
    return `${interruption.replace(/\.$/, '')} after ${Math.min(this.done, this.planned)} of ${this.planned} cases.`;
  }

  /** The end of a run that was interrupted; undefined before the run has begun. */
  endEarly(exitCode: number, reason: string, details: readonly string[]): RunEvent | undefined {
    if (!this.begun) return undefined;
    const durationMs = performance.now() - this.startedAt;
    const unjudged = { reason: this.reasonOf(reason), details };
    return { kind: 'run-end', durationMs, exitCode, processesStarted: 0, unjudged };
  }
}

/** Supports https://no-color.org and FORCE_COLOR. */
export const wantsColor = (isTTY: boolean): boolean =>
  process.env.NO_COLOR ? false : isTTY || Boolean(process.env.FORCE_COLOR);
