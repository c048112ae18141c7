/**
 * The server suite over HTTP compared with the official suite, in alternating runs on one Node version,
 * against an independent server.
 */

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type RequirementId, requirement } from '../../spec/requirement.js';
import { type EraId, latestStateless } from '../../spec/revisions.js';
import type { Grade } from '../judge/verdict.js';
import type { Report } from '../report/report.js';
import { bin } from './mock.js';
import { installOfficial, type Official, secondsOf, whyNoOfficial } from './official.js';
import { median, type Part, type Sheet } from './results-table.js';

const rounds = 5;

interface Outcome {
  readonly seconds: number;
  readonly checks: number;
  readonly requirements: number;
  /** Forms of breach of these requirements: what a check of the official suite tests. */
  readonly breaches: number;
}

/** What is compared, and the targets. */
interface Comparison {
  readonly era: EraId;
  /** The command of the server, and the variables that it needs. */
  server(
    official: Official,
    port: number,
  ): { readonly args: readonly string[]; readonly env?: NodeJS.ProcessEnv };
  /** Further arguments of the official suite, and of mcp-conform. */
  readonly theirs: readonly string[];
  readonly ours: readonly string[];
  /** The most of the wall time of the official suite, with `--runs 0` and by default. */
  readonly wall: number;
  readonly usualWall?: number;
  /** The least requirements, as a multiple of those of the official suite. */
  readonly requirements?: number;
  /** The least forms of breach, as a multiple of the checks by id of the official suite. */
  readonly breaches?: number;
}

const part =
  (comparison: Comparison): Part =>
  async sheet => {
    const { era, server } = comparison;
    const official = installOfficial(era);
    if (!official) return sheet.skip('http', whyNoOfficial(era));
    const folder = mkdtempSync(join(tmpdir(), 'mcp-conform-bench-'));
    const port = await freePort();
    const { args, env } = server(official, port);
    const process = await started(args, port, env);
    try {
      compare(sheet, official, `http://127.0.0.1:${port}/mcp`, folder, comparison);
    } finally {
      process.kill();
      rmSync(folder, { recursive: true, force: true });
    }
  };

/** An independent server of the older era. */
export const http = part({
  era: 'legacy',
  server: ({ everything }, port) => ({ args: [everything, 'streamableHttp'], env: { PORT: String(port) } }),
  theirs: [],
  ours: [],
  wall: 0.8,
  usualWall: 1.5,
  requirements: 5,
});

/** The mock, without sessions: no independent server of this era on npm has the fixtures of the official suite. */
export const httpStateless = part({
  era: 'modern',
  server: (_, port) => ({ args: [bin, 'mock', 'server', '--port', String(port)] }),
  theirs: ['--requirements', latestStateless.id],
  ours: ['--revision', latestStateless.id],
  wall: 0.7,
  breaches: 4,
});

function compare(
  sheet: Sheet,
  official: Official,
  url: string,
  folder: string,
  { theirs: further, ours, wall, usualWall, requirements, breaches }: Comparison,
): void {
  // all tools of this server may be called; the official suite also calls all tools it needs
  const plain = [...ours, '--runs', '0', '--call-tools', 'all'];
  const kinds = {
    theirs: () => officialRun(official, url, mkdtempSync(join(folder, 'official-')), further),
    scripted: () => ourRun(official.node, url, folder, plain),
    usual: () => ourRun(official.node, url, folder, ours),
    older: () => ourRun(process.execPath, url, folder, plain),
  };
  const names = ['theirs', 'scripted', 'usual', 'older'] as const;
  const all = new Map(names.map(name => [name, [] as Outcome[]]));
  for (let n = 0; n < rounds; n++) for (const name of names) all.get(name)!.push(kinds[name]());
  const of = (name: (typeof names)[number]) => typical(all.get(name)!);
  const [theirs, scripted, usual, older] = [of('theirs'), of('scripted'), of('usual'), of('older')];
  show(sheet, `official ${official.version}, server mode`, theirs);
  show(sheet, 'mcp-conform with --runs 0 --call-tools all', scripted);
  show(sheet, 'mcp-conform with default options', usual);
  sheet.add('--runs 0 / official: wall time', scripted.seconds / theirs.seconds, { atMost: wall });
  sheet.add(`  on Node ${process.versions.node}`, older.seconds / theirs.seconds);
  const more = scripted.requirements / theirs.requirements;
  sheet.add('--runs 0 / official: requirements', more, requirements ? { atLeast: requirements } : undefined);
  const forms = scripted.breaches / theirs.breaches;
  sheet.add('--runs 0 / official: forms of breach', forms, breaches ? { atLeast: breaches } : undefined);
  const longer = usual.seconds / theirs.seconds;
  sheet.add('default / official: wall time', longer, usualWall ? { atMost: usualWall } : undefined);
  sheet.add('default / official: checks per second', pace(usual) / pace(theirs), { atLeast: 30 });
}

function show(sheet: Sheet, what: string, outcome: Outcome): void {
  sheet.add(`${what}, s`, outcome.seconds);
  sheet.add('  checks', outcome.checks);
  sheet.add('  requirements judged', outcome.requirements);
  sheet.add('  forms of breach judged', outcome.breaches);
  sheet.add('  checks per second', pace(outcome));
}

const pace = ({ checks, seconds }: Outcome): number => checks / seconds;

function typical(outcomes: readonly Outcome[]): Outcome {
  const seconds = median(outcomes.map(o => o.seconds));
  return outcomes.find(o => o.seconds === seconds)!;
}

function ourRun(node: string, url: string, folder: string, options: readonly string[]): Outcome {
  const file = join(folder, 'report.json');
  const seconds = secondsOf(node, [bin, 'server', ...options, '--reporter', `json=${file}`, '--url', url]);
  const { summary, runs } = JSON.parse(readFileSync(file, 'utf8')) as Report;
  const judged = new Set(
    runs.flatMap(run => run.requirements.filter(({ grade }) => !unjudged.has(grade)).map(({ id }) => id)),
  );
  const breaches = [...judged].reduce((sum, id) => sum + formsOfBreach(id), 0);
  return { seconds, checks: summary.checks, requirements: summary.requirementsJudged, breaches };
}

/** Grades without a verdict. */
const unjudged: ReadonlySet<Grade> = new Set(['inconclusive', 'notObserved', 'error']);

/** A row without a list has one form. */
const formsOfBreach = (id: RequirementId): number =>
  Math.max(1, Object.keys(requirement(id).breaches ?? {}).length);

/**
 * The requirements of the official suite are its checks by id, if they have a verdict: this includes checks
 * that fail because the server lacks their fixture, more than half of the checks here. Requirements of
 * mcp-conform count only where something was judged.
 */
function officialRun(official: Official, url: string, folder: string, further: readonly string[]): Outcome {
  const seconds = official.run(['server', '--url', url, '-o', folder, ...further]);
  const checks: { id: string; status: string }[] = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter(file => file.endsWith('checks.json'))
    .flatMap(file => JSON.parse(readFileSync(join(folder, file), 'utf8')));
  const judged = checks.filter(c => ['SUCCESS', 'FAILURE', 'WARNING'].includes(c.status));
  const requirements = new Set(judged.map(c => c.id)).size;
  return { seconds, checks: judged.length, requirements, breaches: requirements };
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  server.close();
  await once(server, 'close');
  return port;
}

/** Starts the server; resolves when it accepts connections. */
async function started(
  args: readonly string[],
  port: number,
  env: NodeJS.ProcessEnv = {},
): Promise<ChildProcess> {
  const server = spawn(process.execPath, args, {
    env: { ...process.env, ...env },
    stdio: 'ignore',
  });
  for (let tries = 0; tries < 200; tries++) {
    const reached = await fetch(`http://127.0.0.1:${port}/mcp`).then(
      response => response.body?.cancel().then(() => true) ?? true,
      () => false,
    );
    if (reached) return server;
    await new Promise(resolve => setTimeout(resolve, 50));
  }
  server.kill();
  throw new Error('The server for the benchmark did not start.');
}
