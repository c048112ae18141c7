/**
 * `mcp-conform/vitest`: the conformance of a server as tests in its own repository, one test for each case.
 *
 * ```ts
 * import { spawn } from 'mcp-conform';
 * import { conformance } from 'mcp-conform/vitest';
 *
 * await conformance({ subject: spawn('node', ['dist/server.js']) });
 * ```
 */

import { existsSync, readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { clusterFindings } from '../../reports/cluster.js';
import { isCommon } from '../../reports/common.js';
import { renderVerdicts } from '../../reports/console-closing.js';
import { renderFailure, renderRow } from '../../reports/console-failure.js';
import { makeStyle } from '../../reports/style.js';
import { subjectRole, WireLog } from '../../reports/wire.js';
import { findDefinedRevision, type Revision } from '../../spec/revisions.js';
import { suite } from '../../suites/index.js';
import { parseKnownFailing } from '../report/known-failing.js';
import { matches, type Pattern, parsePattern, UsageError } from '../report/pattern.js';
import type { RunStart } from '../report/run-event.js';
import { type Report, Summary } from '../report/summary.js';
import type { RunOptions } from '../run/server/options.js';
import { run } from '../run/server/run.js';
import { usualSeed } from '../scenario/generation.js';

export interface ConformanceOptions
  extends Pick<
    RunOptions,
    'subject' | 'transport' | 'fixtures' | 'callTools' | 'timing' | 'jobs' | 'seed' | 'runs'
  > {
  /**
   * Dates of revisions, `latest` (the default: the newest that the server offers) or `all` that the server
   * offers.
   */
  readonly revisions?: readonly string[];
  /** Path of a file with expected failures, each with a reason; the command line reads the same format. */
  readonly knownFailing?: string;
  /** Patterns of cases; default: all cases. */
  readonly run?: readonly string[];
  readonly skip?: readonly string[];
  /** A SHOULD violation also fails its test. */
  readonly strict?: boolean;
  /** Timeout of the whole run in milliseconds; default: 600,000 ms (ten minutes). */
  readonly timeout?: number;
}

/**
 * Probes the server, plans, and registers a test for each case. The run itself takes place before the first
 * test, over shared conversations; each test then reports the result of its case. Await the call at the top
 * of a test file, or in the callback of `describe`.
 *
 * A failure that `knownFailing` lists does not fail its test but is annotated; a listed failure that passes
 * fails the run. A case without a result is a skipped test with the reason.
 * @throws {UsageError} for a revision, pattern or list that is not valid
 * @throws {Error} when the server could not be judged, with its last output
 */
export async function conformance(options: ConformanceOptions): Promise<void> {
  const { revisions = ['latest'], knownFailing, run: only, skip, strict, timeout: _, ...given } = options;
  const seed = given.seed ?? usualSeed(knownFailing !== undefined);
  const rest = { ...given, ...(seed !== undefined && { seed }) };
  const selected = selection(only, skip);
  for (const revision of revisions) {
    const under = { ...rest, suite, strict: strict ?? false, revision: parseRevision(revision) };
    const names: string[] = [];
    // The planner calls this function for every case; with no case selected, only the probe runs.
    const note = (name: string) => {
      if (selected(name)) names.push(name);
      return false;
    };
    const probe = await collect(run({ ...under, selected: note }));
    if (probe.report.unjudged) throw new Error(why(probe.report));
    const known = knownFailing && { knownFailing: readKnown(knownFailing) };
    register(names, options, () => collect(run({ ...under, selected, ...known })));
  }
}

function register(names: readonly string[], options: ConformanceOptions, start: () => Promise<Told>): void {
  const places = new Set(names.map(name => name.split('/').slice(0, 2).join('/')));
  describe(`MCP conformance, ${[...places].join(', ')}`, () => {
    let told: Told | undefined;
    beforeAll(async () => {
      told = await start();
    }, options.timeout ?? 600_000);
    // reporters of vitest show no annotation of a test that passes
    afterAll(() => {
      if (told) console.info(summaryOf(told, options.strict ?? false));
    });
    /** The test that has shown a failure of a requirement in full. */
    const shown = new Map<string, string>();
    for (const name of names)
      test(name, async context => {
        const verdict = judge(told!, name, options.strict ?? false, shown);
        for (const remark of verdict.remarks) await context.annotate(remark, 'notice');
        if (verdict.failures.length > 0) throw failure(verdict.failures.join('\n\n'));
        if (verdict.unclear.length > 0) context.skip(verdict.unclear.join('; '));
      });
    test('findings outside the cases', () => {
      const { report } = told!;
      if (report.unjudged) throw failure(why(report));
      const others = report.runs.flatMap(r => r.findings.map(f => f.case)).filter(c => !names.includes(c));
      const failures = [...new Set(others)].flatMap(
        name => judge(told!, name, options.strict ?? false).failures,
      );
      if (failures.length > 0) throw failure(failures.join('\n\n'));
    });
    if (options.knownFailing)
      test(`${options.knownFailing} is up to date`, () => {
        const { stale } = told!.report;
        if (stale.length > 0) throw failure(stale.join('\n'));
      });
  });
}

/** The verdict, and a line for each warning that not every server gets. */
function summaryOf({ report, wire, start }: Told, strict: boolean): string {
  const view = { ...plain, wire };
  const warnings = clusterFindings(report).filter(
    g => g.grade === 'warning' && !isCommon(g, subjectRole(report.role)),
  );
  const widest = Math.max(0, ...warnings.map(({ row }) => row.id.length));
  const rows = strict ? [] : warnings.map(group => renderRow(group, widest, view));
  return [...renderVerdicts(report, start, view), ...rows].join('\n');
}

/** A finished run. */
interface Told {
  readonly start: RunStart;
  readonly report: Report;
  readonly wire: WireLog;
}

async function collect(events: ReturnType<typeof run>): Promise<Told> {
  const summary = new Summary();
  const wire = new WireLog();
  let start: RunStart | undefined;
  for await (const event of events) {
    summary.add(event);
    if (event.kind === 'run-start') start = event;
    if (event.kind === 'wire') wire.add(event.event);
  }
  return { report: summary.report(), wire, start: start! };
}

const plain = {
  style: makeStyle(false),
  columns: 100,
  isTTY: false,
  verbose: false,
  subject: 'server',
} as const;

interface Verdict {
  readonly failures: string[];
  /** Findings that do not fail the test: warnings, notes, known failures. */
  readonly remarks: string[];
  readonly unclear: string[];
}

/** The result of one case. */
function judge(
  { report, wire }: Told,
  name: string,
  strict: boolean,
  shown: Map<string, string> = new Map(),
): Verdict {
  const verdict: Verdict = { failures: [], remarks: [], unclear: [] };
  const runs = report.runs.map(r => ({ ...r, findings: r.findings.filter(f => f.case === name) }));
  const view = { ...plain, wire };
  for (const group of clusterFindings({ ...report, runs })) {
    const { grade, variants } = group;
    if (grade === 'inconclusive') verdict.unclear.push(`${group.row.id}: ${variants[0]!.first.message}`);
    else {
      const fails = grade === 'violation' || grade === 'error' || (strict && grade === 'warning');
      const before = shown.get(group.row.id);
      const text =
        before === undefined
          ? renderFailure(group, view).join('\n')
          : `${group.row.id} fails here too; the test ${before} above shows it in full.`;
      if (before === undefined && fails) shown.set(group.row.id, name);
      verdict[fails ? 'failures' : 'remarks'].push(text);
    }
  }
  return verdict;
}

/** An error without a stack: the stack contains no information about the server. */
function failure(text: string): Error {
  const error = new Error(text);
  error.name = 'ConformanceError';
  error.stack = `ConformanceError: ${text}`;
  return error;
}

const why = ({ unjudged }: Report): string =>
  ['The server could not be judged.', unjudged!.reason, ...unjudged!.details].join('\n');

function readKnown(file: string) {
  if (!existsSync(file))
    throw new UsageError(
      `the file "${file}" does not exist; --write-known-failing ${file} of mcp-conform server writes it.`,
    );
  return parseKnownFailing(readFileSync(file, 'utf8'), file);
}

function parseRevision(text: string): 'latest' | 'all' | Revision {
  if (text === 'latest' || text === 'all') return text;
  const found = findDefinedRevision(text);
  if (!found) throw new UsageError(`there is no revision "${text}".`);
  return found;
}

function selection(
  wanted: readonly string[] = [],
  unwanted: readonly string[] = [],
): (name: string) => boolean {
  const parse = (texts: readonly string[]): Pattern[] => texts.map(parsePattern);
  const [only, not] = [parse(wanted), parse(unwanted)];
  return name => (only.length === 0 || only.some(p => matches(p, name))) && !not.some(p => matches(p, name));
}
