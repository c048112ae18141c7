/** What all commands that test something have in common: options, and what they mean. */

import type { Command } from 'commander';
import type { Party } from '../../spec/json-rpc.js';
import { revisions, type TransportId } from '../../spec/revisions.js';
import { matches, type Pattern, parsePattern } from '../report/pattern.js';
import type { Suite } from '../run/plan.js';
import type { CommonOptions } from '../run/recorder.js';
import { steadySeed, usualSeed } from '../scenario/generation.js';
import { defaultTiming, scaleTiming, type Timing } from '../time/timing.js';
import { collect, parseInteger, parsePositive, readGiven, reporterHelp, unknownName } from './arguments.js';
import type { OutputOptions } from './output.js';

export interface TestOptions extends OutputOptions {
  readonly run: readonly string[];
  readonly skip: readonly string[];
  readonly knownFailing?: string;
  readonly strict?: boolean;
  readonly seed?: string;
  readonly timeout?: string;
  readonly slow?: string;
}

/** Adds them to a command, after its own. */
export const withTestOptions = (command: Command): Command =>
  command
    .option('--run <pattern>', 'only these cases; * is one segment, ** many (repeatable)', collect, [])
    .option('--skip <pattern>', 'not these cases (repeatable)', collect, [])
    .option('--known-failing <file>', 'findings that are expected to fail, with reasons')
    .option(
      '--write-known-failing <file>',
      'begin such a list with what fails; the reasons are yours to write',
    )
    .option('--strict', 'SHOULD violations fail the run too')
    .option(
      '--seed <n>',
      `of generated values, or "random"; default ${steadySeed} where CI is set or known failures are listed, else random`,
    )
    .option('--timeout <seconds>', 'longest wait for one answer (default 10)')
    .option('--slow <factor>', 'multiplies all windows of time')
    .option('--reporter <name[=file]>', reporterHelp, collect, [])
    .option('--verbose', 'list notes and what was not judged')
    .option('--quiet', 'only the last line')
    .option('--no-color', 'no colours (NO_COLOR works too)');

/** What they mean for a run. @param repeated options of the command itself, to be given again in a replay */
export async function testOptions(
  options: TestOptions,
  { suite, role, over }: { suite: Suite; role: Party; over: readonly TransportId[] },
  repeated: readonly string[],
): Promise<CommonOptions & { readonly timing: Timing }> {
  const names = suite.scenarios.filter(s => s.role === role).map(s => s.name);
  const { knownFailing, strict, seed, timeout, slow } = options;
  const known = knownFailing
    ? (await import('../report/known-failing.js')).parseKnownFailing(readGiven(knownFailing), knownFailing)
    : undefined;
  return {
    suite,
    ...(options.run.length + options.skip.length > 0 && { selected: selection(options, over, names) }),
    ...(known && { knownFailing: known }),
    strict: strict ?? false,
    ...seedOf(seed, knownFailing ?? options.writeKnownFailing),
    timing: timing(options),
    options: [
      ...(strict ? ['--strict'] : []),
      ...(timeout === undefined ? [] : ['--timeout', timeout]),
      ...(slow === undefined ? [] : ['--slow', slow]),
      ...repeated,
    ],
  };
}

/** @param list the file of known failures that is read or written */
function seedOf(seed: string | undefined, list: string | undefined): { seed?: number } {
  if (seed === 'random') return {};
  const chosen = seed === undefined ? usualSeed(list !== undefined) : parseInteger('--seed', seed);
  return chosen === undefined ? {} : { seed: chosen };
}

function timing({ timeout, slow }: TestOptions): Timing {
  const answer = timeout === undefined ? defaultTiming.answer : parsePositive('--timeout', timeout) * 1000;
  return scaleTiming({ ...defaultTiming, answer }, slow === undefined ? 1 : parsePositive('--slow', slow));
}

/** @throws UsageError for a pattern that no scenario matches, so that lists cannot rot */
function selection(
  { run, skip }: TestOptions,
  over: readonly TransportId[],
  names: readonly string[],
): (caseName: string) => boolean {
  const fullNames = revisions.flatMap(r => over.flatMap(t => names.map(name => `${r.id}/${t}/${name}`)));
  const parse = (option: string, texts: readonly string[]): Pattern[] =>
    texts.map(text => {
      const pattern = parsePattern(text);
      if (!fullNames.some(name => matches(pattern, name)))
        throw unknownName(`scenario that ${option} matches:`, text, names, 'See: mcp-conform list scenarios');
      return pattern;
    });
  const [wanted, unwanted] = [parse('--run', run), parse('--skip', skip)];
  return name =>
    (wanted.length === 0 || wanted.some(p => matches(p, name))) && !unwanted.some(p => matches(p, name));
}
