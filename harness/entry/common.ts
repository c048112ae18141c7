/** The common options of all test commands, and their conversion. */

import type { Command } from 'commander';
import type { Party } from '../../spec/json-rpc.js';
import { requirements } from '../../spec/requirement.js';
import { definedRevisions, type TransportId } from '../../spec/revisions.js';
import { officialScenarios, requirementsOf } from '../report/expected-failures.js';
import { fits, matches, type Pattern, parsePattern, UsageError } from '../report/pattern.js';
import type { ConfirmLimits, Part } from '../run/confirm.js';
import type { Suite } from '../run/plan.js';
import type { CommonOptions } from '../run/recorder.js';
import { steadySeed, usualSeed } from '../scenario/generation.js';
import type { Scenario } from '../scenario/scenario.js';
import { runLimits } from '../time/budget.js';
import { defaultTiming, scaleTiming, type Timing } from '../time/timing.js';
import { intakeLimits } from '../transports/intake.js';
import {
  collect,
  parseBytes,
  parseInteger,
  parsePositive,
  parseTimeout,
  readGiven,
  reporterHelp,
  unknownName,
} from './arguments.js';
import type { OutputOptions } from './output.js';
import { parseShard, shardHelp } from './shard.js';

export interface TestOptions extends OutputOptions {
  readonly run: readonly string[];
  readonly skip: readonly string[];
  readonly shard?: string;
  readonly knownFailing?: string;
  readonly expectedFailures?: string;
  readonly strict?: boolean;
  readonly minJudged?: string;
  readonly pending?: boolean;
  readonly seed?: string;
  readonly timeout?: string;
  readonly slow?: string;
  readonly maxTime?: string;
  readonly maxMessage?: string;
  /** Default: where the replays take less than a second. */
  readonly confirm?: boolean;
}

/** The limits of the replays of violations; undefined for no replay. */
export function confirmLimits({ confirm }: TestOptions): ConfirmLimits | undefined {
  if (confirm === false) return undefined;
  return confirm ? { ms: 120_000, marksAll: true } : { ms: 1_000, startMs: 300 };
}

/** Command lines to show above the help of a command. */
export const examples = (lines: readonly string[]): string =>
  ['Examples:', ...lines.map(line => `  ${line}`), ''].join('\n');

/** Adds the options of the reports to a command, after its own. */
export const withReportOptions = (command: Command): Command =>
  command
    .option('--reporter <name[=file]>', reporterHelp, collect, [])
    .option('--verbose', 'also list notes and requirements that were not judged')
    .option('--quiet', 'print only the last line')
    .option('--no-color', 'print no colours (or set NO_COLOR)');

/** Adds the options to a command, after its own. @param shards whether the command takes a part of the cases */
export function withTestOptions(command: Command, shards = false): Command {
  command
    .optionsGroup('Selection:')
    .option(
      '--run <pattern>',
      'run only these cases: a pattern of names (* is one segment, ** is any number), an area or a requirement id (repeatable)',
      collect,
      [],
    )
    .option('--skip <pattern>', 'skip these cases (repeatable)', collect, []);
  if (shards) command.option('--shard <n/m>', shardHelp);
  command
    .optionsGroup('Strictness:')
    .option('--known-failing <file>', 'list of findings that are expected to fail, with reasons')
    .option(
      '--expected-failures <file>',
      'list of the official conformance suite (YAML); its entries count as known failures',
    )
    .option(
      '--write-known-failing <file>',
      'write a new list with the failures of this run; add the reasons yourself',
    )
    .option('--strict', 'SHOULD violations also fail the run')
    .option(
      '--pending',
      'also count requirements that are new in this release: their failures are notes until the next one',
    )
    .option(
      '--min-judged <n|%>',
      'exit with 3 when fewer requirements are judged: a number, or a percentage of those that apply',
    )
    .optionsGroup('Repetition and time:')
    .option(
      '--seed <n>',
      `seed for generated values, or "random"; default ${steadySeed} where CI is set, known failures are listed or --shard is given, else random`,
    )
    .option('--timeout <seconds>', 'longest wait for one response (default 10)')
    .option(
      '--max-time <seconds>',
      `longest duration of the run; the remaining cases are then inconclusive (default ${runLimits.maxMs / 1000}, with --runs 0 ${runLimits.maxMsWithoutValues / 1000})`,
    )
    .option(
      '--max-message <size>',
      `longest message of the subject, in bytes or as in 16MB (default ${intakeLimits.messageBytes / 2 ** 20}MB)`,
    )
    .option('--slow <factor>', 'multiply all time limits by this factor')
    .option('--confirm', 'replay each violation, and mark those that are not seen again')
    .option('--no-confirm', 'replay no violation (default: replay where it takes less than a second)')
    .optionsGroup('Reports:')
    .option('--profile', 'print where the time of the run went');
  return withReportOptions(command);
}

/** The options of a run for a part of it. */
export const partOf = ({ cases, seed, path }: Part) => ({
  selected: (name: string) => cases.includes(name),
  seed,
  knownFailing: [],
  ...(path !== undefined && { path }),
});

/** The suite, and the choice of its cases by `--run` and `--skip`. @throws UsageError for a pattern without a case */
export function suiteOptions(
  options: TestOptions,
  { suite, role, over }: { suite: Suite; role: Party; over: readonly TransportId[] },
): Pick<CommonOptions, 'suite' | 'selected'> {
  const scenarios = suite.scenarios.filter(s => s.role === role);
  return { suite, ...(choosesCases(options) && { selected: selection(options, over, scenarios) }) };
}

/** Whether only some cases run. */
export const choosesCases = ({ run, skip }: TestOptions): boolean => run.length + skip.length > 0;

/** The other run options given by the command line. @param repeated options of the command itself, for a replay */
export async function testOptions(
  options: TestOptions,
  role: Party,
  repeated: readonly string[],
): Promise<Omit<CommonOptions, 'suite'> & { readonly timing: Timing }> {
  const {
    knownFailing,
    expectedFailures,
    strict,
    minJudged,
    pending,
    seed,
    timeout,
    slow,
    maxTime,
    maxMessage,
  } = options;
  const known = [
    ...(knownFailing
      ? (await import('../report/known-failing.js')).parseKnownFailing(readGiven(knownFailing), knownFailing)
      : []),
    ...(expectedFailures ? await readExpectedFailures(expectedFailures, role) : []),
  ];
  const shard = options.shard === undefined ? undefined : parseShard(options.shard);
  return {
    ...(shard && { shard }),
    ...(known.length > 0 && { knownFailing: known }),
    strict: strict ?? false,
    ...(minJudged !== undefined && { minJudged: parseMinJudged(minJudged) }),
    ...(pending && { pending }),
    ...seedOf(seed, knownFailing ?? expectedFailures ?? options.writeKnownFailing ?? options.shard),
    timing: timing(options),
    ...longestRun(options),
    ...(maxMessage !== undefined && { maxMessageBytes: parseBytes('--max-message', maxMessage) }),
    options: [
      ...(strict ? ['--strict'] : []),
      ...(pending ? ['--pending'] : []),
      ...(timeout === undefined ? [] : ['--timeout', timeout]),
      ...(slow === undefined ? [] : ['--slow', slow]),
      ...(maxTime === undefined ? [] : ['--max-time', maxTime]),
      ...(maxMessage === undefined ? [] : ['--max-message', maxMessage]),
      ...repeated,
    ],
  };
}

async function readExpectedFailures(file: string, role: Party) {
  const { parseExpectedFailures } = await import('../report/expected-failures.js');
  const { entries, remarks } = parseExpectedFailures(readGiven(file), file, role);
  for (const remark of remarks) console.error(`mcp-conform: ${remark}`);
  return entries;
}

function parseMinJudged(text: string): string {
  if (/^\d+$/.test(text) || (/^\d+(\.\d+)?%$/.test(text) && Number.parseFloat(text) <= 100)) return text;
  throw new UsageError(`--min-judged takes a number or a percentage, as in 70 or 50%, not "${text}".`);
}

/** @param list an option whose runs are compared or put together: a file of known failures, a part of the cases */
function seedOf(seed: string | undefined, list: string | undefined): { seed?: number } {
  if (seed === 'random') return {};
  const chosen = seed === undefined ? usualSeed(list !== undefined) : parseInteger('--seed', seed);
  return chosen === undefined ? {} : { seed: chosen };
}

function timing({ timeout, slow, maxTime }: TestOptions): Timing {
  const answer = timeout === undefined ? defaultTiming.answer : parseTimeout(timeout, maxTime);
  return scaleTiming({ ...defaultTiming, answer }, slow === undefined ? 1 : parsePositive('--slow', slow));
}

function longestRun({ maxTime, slow, runs }: TestOptions & { readonly runs?: string }): { maxMs?: number } {
  const factor = slow === undefined ? 1 : parsePositive('--slow', slow);
  if (maxTime !== undefined) return { maxMs: parsePositive('--max-time', maxTime) * 1000 * factor };
  const usual = runs !== undefined && Number(runs) === 0 ? runLimits.maxMsWithoutValues : runLimits.maxMs;
  return { maxMs: usual * factor };
}

/** @throws UsageError for a pattern that no scenario matches, so that lists stay up to date */
function selection(
  { run, skip }: TestOptions,
  over: readonly TransportId[],
  scenarios: readonly Scenario[],
): (caseName: string) => boolean {
  const names = scenarios.map(s => s.name);
  const fullNames = definedRevisions.flatMap(r =>
    over.flatMap(t => names.map(name => `${r.id}/${t}/${name}`)),
  );
  const parse = (option: string, texts: readonly string[]): Pattern[] =>
    texts.flatMap(text => {
      const patterns = patternsOf(text, scenarios);
      if (!patterns.some(pattern => fullNames.some(name => matches(pattern, name))))
        throw unknownName(
          `scenario that ${option} matches:`,
          text,
          [...names, ...areas(scenarios)],
          'See: mcp-conform list scenarios',
        );
      return patterns;
    });
  const [wanted, unwanted] = [parse('--run', run), parse('--skip', skip)];
  return name =>
    (wanted.length === 0 || wanted.some(p => matches(p, name))) && !unwanted.some(p => matches(p, name));
}

/** The areas of scenarios: `tools` of `server/tools/list`. */
const areas = (scenarios: readonly Scenario[]): string[] => [
  ...new Set(scenarios.map(s => s.name.split('/')[1]!)),
];

/**
 * The patterns for one text of `--run` or `--skip`: a text without `/` is an area, or a requirement id with or
 * without wildcards. An id selects the scenarios that verify the requirement; where only rules judge it, all
 * scenarios of its area.
 */
function patternsOf(text: string, scenarios: readonly Scenario[]): Pattern[] {
  const { role } = scenarios[0]!;
  if (text.startsWith(ofOfficialSuite)) return patternsOfOfficial(text, role, scenarios);
  if (/[/#]/.test(text) || /^\*+$/.test(text)) return [parsePattern(text)];
  if (areas(scenarios).includes(text)) return [parsePattern(`${role}/${text}/**`)];
  return patternsFor([text], scenarios) ?? [parsePattern(text)];
}

const ofOfficialSuite = 'official:';

/** `official:<scenario>` of the official suite, by the requirements of that scenario. */
function patternsOfOfficial(text: string, role: Party, scenarios: readonly Scenario[]): Pattern[] {
  const name = text.slice(ofOfficialSuite.length);
  const ids = requirementsOf(name, role);
  if (ids === undefined) throw unknownName('scenario of the official suite', name, officialScenarios(role));
  const found = patternsFor(ids, scenarios);
  if (!found) throw new UsageError(`mcp-conform judges no requirement of the official scenario "${name}".`);
  return found;
}

/** The scenarios for requirements; undefined if there is none. */
function patternsFor(globs: readonly string[], scenarios: readonly Scenario[]): Pattern[] | undefined {
  const { role } = scenarios[0]!;
  const ids = [...requirements().keys()].filter(id => globs.some(glob => fits(glob, id)));
  const verifying = scenarios.filter(s => s.verifies.some(id => ids.includes(id)));
  if (verifying.length > 0) return verifying.map(s => parsePattern(s.name));
  const named = new Set(ids.map(id => id.split('.', 1)[0]!));
  const ofArea = areas(scenarios).filter(area => named.has(area));
  return ofArea.length > 0 ? ofArea.map(area => parsePattern(`${role}/${area}/**`)) : undefined;
}
