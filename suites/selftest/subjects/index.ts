/**
 * `npm run subjects`: judges real servers, clients and gateways from the registries, and compares the findings with the
 * stored ones. Options: names of subjects (default: all), `--update` to store the findings, `--keep <folder>`
 * for the reports and records, `--confirm` to replay each violation, which `npm run replays` needs;
 * `--all-revisions` for the servers of both eras with `--revision all` instead.
 */

import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { execa } from 'execa';
import type { Report } from '../../../harness/report/summary.js';
import { freePort } from '../../../harness/run/free-port.js';
import { commandLine } from '../command-line.js';
import { differences, found, type Line, store, stored } from './findings.js';
import { here, install } from './install.js';
import { type RealSubject, realSubjects } from './subject.js';

const program = fileURLToPath(new URL('../../../dist/harness/entry/bin.js', import.meta.url));
/** The longest run of one subject, in milliseconds. */
const runTimeoutMs = 5 * 60_000;

const { values: options, positionals: named } = commandLine(import.meta.url, {
  options: {
    update: { type: 'boolean' },
    confirm: { type: 'boolean' },
    keep: { type: 'string' },
    'all-revisions': { type: 'boolean' },
  },
  allowPositionals: true,
});
const all = realSubjects();
const unknown = named.filter(name => !all.some(s => s.name === name));
if (unknown.length > 0) {
  console.error(`There is no subject ${unknown.join(', ')}. Subjects: ${all.map(s => s.name).join(', ')}`);
  process.exit(2);
}
const isExtra = options['all-revisions'] === true;
const chosen = all.filter(s =>
  named.length === 0 ? (s.isExtra ?? false) === isExtra : named.includes(s.name),
);
const folder = options.keep ?? mkdtempSync(join(tmpdir(), 'mcp-conform-subjects-'));
mkdirSync(folder, { recursive: true });

interface Outcome {
  readonly exitCode: number;
  readonly seconds: number;
  readonly lines: readonly Pick<Line, 'subject' | 'grade' | 'requirement'>[];
  readonly judged: number;
}

async function judge(subject: RealSubject): Promise<Outcome> {
  const { folder: cache, bin } = await install(subject.install);
  // a program finds the packages of the installation from a folder next to them
  cpSync(join(here, 'programs'), join(cache, 'programs'), { recursive: true });
  cpSync(join(here, '../../../mocks/drivers'), join(cache, 'drivers'), { recursive: true });
  const port = String(await freePort());
  const started = performance.now();
  const fill = (text: string): string =>
    text
      .replaceAll('{bin}', bin)
      .replaceAll('{cache}', cache)
      .replaceAll('{port}', port)
      .replaceAll('{empty}', join(folder, `${subject.name}-${started}`));
  const report = join(folder, `${subject.name}.json`);
  const record = join(folder, `${subject.name}.jsonl`);
  const { exitCode, stderr } = await execa(
    process.execPath,
    [
      program,
      subject.role,
      // the messages for a gateway are always the same
      ...(subject.role === 'gateway' ? [] : ['--seed', '0', ...(options.confirm ? ['--confirm'] : [])]),
      ...['--quiet', '--reporter', `json=${report}`, '--reporter', `jsonl=${record}`],
      ...Object.entries(subject.env ?? {}).flatMap(([name, value]) => ['--env', `${name}=${fill(value)}`]),
      ...(subject.options ?? []).map(fill),
      '--',
      ...subject.command.map(fill),
    ],
    { reject: false, timeout: runTimeoutMs, cwd: cache },
  );
  const seconds = (performance.now() - started) / 1000;
  if (exitCode === undefined || exitCode === 2 || exitCode === 4)
    throw new Error(`exit code ${exitCode ?? 'none (timeout)'} after ${seconds.toFixed(0)} s: ${stderr}`);
  const result = JSON.parse(readFileSync(report, 'utf8')) as Report;
  const judged = result.summary.requirementsJudged;
  if (judged === 0) throw new Error(result.unjudged?.reason ?? 'no requirement was judged');
  return { exitCode, seconds, judged, lines: found(subject.name, result) };
}

const before = stored();
const results = new Map<string, Outcome>();
const problems: string[] = [];
const queue = [...chosen];
async function work(): Promise<void> {
  for (let subject = queue.shift(); subject; subject = queue.shift()) {
    try {
      const outcome = await judge(subject);
      results.set(subject.name, outcome);
      const changed = differences(subject.name, outcome.lines, before);
      problems.push(...changed);
      console.log(
        `${changed.length > 0 ? '✗' : '✔'} ${subject.name.padEnd(32)} exit ${outcome.exitCode}  ${outcome.seconds.toFixed(1).padStart(5)} s  ${String(outcome.judged).padStart(3)} judged  ${outcome.lines.length} findings`,
      );
      for (const line of changed) console.log(`    ${line}`);
    } catch (error) {
      problems.push(`${subject.name}: ${(error as Error).message}`);
      console.log(`✗ ${subject.name}: ${(error as Error).message}`);
    }
  }
}
await Promise.all(Array.from({ length: Math.max(2, Math.floor(cpus().length / 2)) }, work));
if (options.update)
  store(
    new Map([...results].map(([name, { lines }]) => [name, lines])),
    all.map(s => s.name),
  );
const unread = stored().filter(line => line.verdict === 'todo').length;
console.log(
  `${results.size} of ${chosen.length} subjects judged, ${problems.length} changed lines${unread > 0 ? `, ${unread} stored findings without a verdict` : ''}`,
);
if (!options.keep) rmSync(folder, { recursive: true });
process.exitCode = problems.length > 0 && !options.update ? 1 : 0;
