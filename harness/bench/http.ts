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
import { bin } from './mock.js';
import { installOfficial, type Official, secondsOf, whyNoOfficial } from './official.js';
import { median, type Part, type Sheet } from './results-table.js';

const rounds = 5;

interface Outcome {
  readonly seconds: number;
  readonly checks: number;
  readonly requirements: number;
}

export const http: Part = async sheet => {
  const official = installOfficial();
  if (!official) return sheet.skip('http', whyNoOfficial);
  const folder = mkdtempSync(join(tmpdir(), 'mcp-conform-bench-'));
  const port = await freePort();
  const server = await started(official.everything, port);
  try {
    compare(sheet, official, `http://127.0.0.1:${port}/mcp`, folder);
  } finally {
    server.kill();
    rmSync(folder, { recursive: true, force: true });
  }
};

function compare(sheet: Sheet, official: Official, url: string, folder: string): void {
  const kinds = {
    theirs: () => officialRun(official, url, mkdtempSync(join(folder, 'official-'))),
    // all tools of this server may be called; the official suite also calls all tools it needs
    scripted: () => ourRun(official.node, url, folder, ['--runs', '0', '--call-tools', 'all']),
    usual: () => ourRun(official.node, url, folder, []),
    older: () => ourRun(process.execPath, url, folder, ['--runs', '0', '--call-tools', 'all']),
  };
  const names = ['theirs', 'scripted', 'usual', 'older'] as const;
  const all = new Map(names.map(name => [name, [] as Outcome[]]));
  for (let n = 0; n < rounds; n++) for (const name of names) all.get(name)!.push(kinds[name]());
  const of = (name: (typeof names)[number]) => typical(all.get(name)!);
  const [theirs, scripted, usual, older] = [of('theirs'), of('scripted'), of('usual'), of('older')];
  show(sheet, `official ${official.version}, server mode`, theirs);
  show(sheet, 'mcp-conform with --runs 0 --call-tools all', scripted);
  show(sheet, 'mcp-conform with default options', usual);
  sheet.add('--runs 0 / official: wall time', scripted.seconds / theirs.seconds, { atMost: 1 });
  sheet.add(`  on Node ${process.versions.node}`, older.seconds / theirs.seconds);
  sheet.add('--runs 0 / official: requirements', scripted.requirements / theirs.requirements, { atLeast: 5 });
  sheet.add('default / official: wall time', usual.seconds / theirs.seconds, { atMost: 2 });
  sheet.add('default / official: checks per second', pace(usual) / pace(theirs), { atLeast: 30 });
}

function show(sheet: Sheet, what: string, outcome: Outcome): void {
  sheet.add(`${what}, s`, outcome.seconds);
  sheet.add('  checks', outcome.checks);
  sheet.add('  requirements judged', outcome.requirements);
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
  const { summary } = JSON.parse(readFileSync(file, 'utf8'));
  return { seconds, checks: summary.checks, requirements: summary.requirementsJudged };
}

/**
 * The requirements of the official suite are its checks by id, if they have a verdict: this includes checks
 * that fail because the server lacks their fixture, more than half of the checks here. Requirements of
 * mcp-conform count only where something was judged.
 */
function officialRun(official: Official, url: string, folder: string): Outcome {
  const seconds = official.run(['server', '--url', url, '-o', folder]);
  const checks: { id: string; status: string }[] = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter(file => file.endsWith('checks.json'))
    .flatMap(file => JSON.parse(readFileSync(join(folder, file), 'utf8')));
  const judged = checks.filter(c => ['SUCCESS', 'FAILURE', 'WARNING'].includes(c.status));
  return { seconds, checks: judged.length, requirements: new Set(judged.map(c => c.id)).size };
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
async function started(file: string, port: number): Promise<ChildProcess> {
  const server = spawn(process.execPath, [file, 'streamableHttp'], {
    env: { ...process.env, PORT: String(port) },
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
