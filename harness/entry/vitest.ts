/**
 * `mcp-conform/vitest`: a server's conformance as tests of its own repository, one for each case.
 *
 * ```ts
 * import { spawn } from 'mcp-conform';
 * import { conformance } from 'mcp-conform/vitest';
 *
 * await conformance({ subject: spawn('node', ['dist/server.js']) });
 * ```
 */

import { readFileSync } from 'node:fs';
import { beforeAll, describe, test } from 'vitest';
import { groupFindings } from '../../reports/cluster.js';
import { renderFailure } from '../../reports/console-failure.js';
import { makeStyle } from '../../reports/style.js';
import { WireLog } from '../../reports/wire.js';
import { findRevision, type Revision } from '../../spec/revisions.js';
import { suite } from '../../suites/index.js';
import { parseKnownFailing } from '../report/known-failing.js';
import { matches, type Pattern, parsePattern, UsageError } from '../report/pattern.js';
import { type Report, Summary } from '../report/summary.js';
import { type RunOptions, run } from '../run/server/run.js';
import { usualSeed } from '../scenario/generation.js';

export interface ConformanceOptions
  extends Pick<
    RunOptions,
    'subject' | 'transport' | 'fixtures' | 'callTools' | 'timing' | 'jobs' | 'seed' | 'runs'
  > {
  /** Dates of revisions, `latest` (the default: the newest it offers) or `all` it offers. */
  readonly revisions?: readonly string[];
  /** Path of a file with failures that are expected, each with a reason; the command line reads the same file. */
  readonly knownFailing?: string;
  /** Patterns of cases; default: all. */
  readonly run?: readonly string[];
  readonly skip?: readonly string[];
  /** A broken SHOULD fails its test too. */
  readonly strict?: boolean;
  /** Milliseconds the whole run may take; default: ten minutes. */
  readonly timeout?: number;
}

/**
 * Probes the server, plans, and registers a test for each case. The run itself takes place before the first of them, over
 * shared conversations; the tests then tell what came of their case. To be awaited at the top of a test file, or in the
 * callback of `describe`.
 *
 * A failure that `knownFailing` lists does not fail its test but is annotated; a listed one that passes does fail the run.
 * What could not be told is a skipped test with the reason.
 * @throws {UsageError} for a revision, pattern or list that cannot be used
 * @throws {Error} when the server cannot be judged at all, with the last it said
 */
export async function conformance(options: ConformanceOptions): Promise<void> {
  const { revisions = ['latest'], knownFailing, run: only, skip, strict, timeout: _, ...given } = options;
  const seed = given.seed ?? usualSeed(knownFailing !== undefined);
  const rest = { ...given, ...(seed !== undefined && { seed }) };
  const selected = selection(only, skip);
  for (const revision of revisions) {
    const under = { ...rest, suite, strict: strict ?? false, revision: parseRevision(revision) };
    const names: string[] = [];
    // The planner asks about every case; that none is chosen leaves the probe alone.
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
    let told: Told;
    beforeAll(async () => {
      told = await start();
    }, options.timeout ?? 600_000);
    for (const name of names)
      test(name, async context => {
        const verdict = judge(told, name, options.strict ?? false);
        for (const remark of verdict.remarks) await context.annotate(remark, 'notice');
        if (verdict.failures.length > 0) throw failure(verdict.failures.join('\n\n'));
        if (verdict.unclear.length > 0) context.skip(verdict.unclear.join('; '));
      });
    test('outside the cases', () => {
      const { report } = told;
      if (report.unjudged) throw failure(why(report));
      const others = report.runs.flatMap(r => r.findings.map(f => f.case)).filter(c => !names.includes(c));
      const failures = [...new Set(others)].flatMap(
        name => judge(told, name, options.strict ?? false).failures,
      );
      if (failures.length > 0) throw failure(failures.join('\n\n'));
    });
    if (options.knownFailing)
      test(`${options.knownFailing} is up to date`, () => {
        const { stale } = told.report;
        if (stale.length > 0) throw failure(stale.join('\n'));
      });
  });
}

/** A run that is over. */
interface Told {
  readonly report: Report;
  readonly wire: WireLog;
}

async function collect(events: ReturnType<typeof run>): Promise<Told> {
  const summary = new Summary();
  const wire = new WireLog();
  for await (const event of events) {
    summary.add(event);
    if (event.kind === 'wire') wire.add(event.event);
  }
  return { report: summary.report(), wire };
}

interface Verdict {
  readonly failures: string[];
  /** What does not fail the test: warnings, notes, known failures. */
  readonly remarks: string[];
  readonly unclear: string[];
}

/** What came of one case. */
function judge({ report, wire }: Told, name: string, strict: boolean): Verdict {
  const verdict: Verdict = { failures: [], remarks: [], unclear: [] };
  const runs = report.runs.map(r => ({ ...r, findings: r.findings.filter(f => f.case === name) }));
  const view = {
    style: makeStyle(false),
    columns: 100,
    isTTY: false,
    verbose: false,
    subject: 'server',
    wire,
  } as const;
  for (const group of groupFindings({ ...report, runs })) {
    const { grade, variants } = group;
    if (grade === 'inconclusive') verdict.unclear.push(`${group.row.id}: ${variants[0]!.first.message}`);
    else {
      const fails = grade === 'violation' || grade === 'error' || (strict && grade === 'warning');
      verdict[fails ? 'failures' : 'remarks'].push(renderFailure(group, view).join('\n'));
    }
  }
  return verdict;
}

/** An error without a stack: where it was thrown says nothing about the server. */
function failure(text: string): Error {
  const error = new Error(text);
  error.name = 'ConformanceError';
  error.stack = `ConformanceError: ${text}`;
  return error;
}

const why = ({ unjudged }: Report): string =>
  ['The server could not be judged.', unjudged!.reason, ...unjudged!.details].join('\n');

const readKnown = (file: string) => parseKnownFailing(readFileSync(file, 'utf8'), file);

function parseRevision(text: string): 'latest' | 'all' | Revision {
  if (text === 'latest' || text === 'all') return text;
  const found = findRevision(text);
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
