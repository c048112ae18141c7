/**
 * `npm run replays`: draws violations at random, runs the command that each report prints under Reproduce, and
 * counts those that show the same requirement again. A violation that is not shown again has to be marked as
 * unconfirmed in its report. Options: `--count <n>` (default 60), `--seed <n>` (default 0), `--subjects <folder>`
 * with the reports of `npm run subjects -- --confirm --keep <folder>`: half of the violations are drawn from them, the others
 * from runs against faults of the mocks. Exits with 1 when more than two are not shown, or one is not marked.
 */

import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { execa } from 'execa';
import type { FindingReport, Report } from '../../harness/report/summary.js';
import { freePort } from '../../harness/run/free-port.js';
import { clientFaults } from '../../mocks/client/faults/index.js';
import { faults } from '../../mocks/server/faults/index.js';
import { requirement } from '../../spec/requirement.js';
import type { TransportId } from '../../spec/revisions.js';
import { commandLine } from './command-line.js';
import { faultMatrix, faultMatrixOverHttp, type MatrixEntry } from './fault-matrix.js';
import { chosen, randomNumbers, shuffled } from './hostile-programs/choice.js';
import { install } from './subjects/install.js';
import { realSubjects } from './subjects/subject.js';

const program = fileURLToPath(new URL('../../dist/harness/entry/bin.js', import.meta.url));
/** The longest run, in milliseconds. */
const runTimeoutMs = 5 * 60_000;
/** Violations that may not be shown again. */
const mostMissed = 2;

const { values: options } = commandLine(import.meta.url, {
  options: {
    count: { type: 'string', default: '60' },
    seed: { type: 'string', default: '0' },
    subjects: { type: 'string' },
  },
});
const { seed, subjects } = options;
const count = Number(options.count);
const folder = mkdtempSync(join(tmpdir(), 'mcp-conform-replays-'));

interface Drawn {
  /** The fault with its revision and transport, or the real subject. */
  readonly from: string;
  readonly finding: FindingReport;
  /** Of the process that runs the command. */
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
}

interface Entry extends MatrixEntry {
  readonly role: 'server' | 'client';
  readonly transport: TransportId;
}

let reports = 0;
const newReport = (): string => join(folder, `${++reports}.json`);

const readReport = (file: string): Report | undefined =>
  existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Report) : undefined;

const findingsOf = (report: Report | undefined): readonly FindingReport[] =>
  report?.runs.flatMap(run => run.findings) ?? [];

const violationsOf = (report: Report | undefined): FindingReport[] =>
  findingsOf(report).filter(({ grade }) => grade === 'violation');

const pick = <T>(items: readonly T[], random: () => number): T | undefined =>
  items[Math.floor(random() * items.length)];

/** Violations of the kept reports. */
function drawFromSubjects(kept: string, most: number): Promise<Drawn[]> {
  const all = readdirSync(kept)
    .filter(name => name.endsWith('.json'))
    .flatMap(name => {
      const report = readReport(join(kept, name));
      return violationsOf(report).map(finding => ({ name: name.replace('.json', ''), report, finding }));
    });
  return Promise.all(
    chosen(all, most, seed).map(async ({ name, report, finding }) => {
      const subject = realSubjects().find(s => s.name === name);
      if (!subject) throw new Error(`There is no subject ${name}.`);
      const { folder: cwd } = await install(subject.install);
      const port = report?.subject.url ? new URL(report.subject.url).port : '';
      const env = Object.entries(subject.env ?? {}).map(([key, value]) => [
        key,
        value.replaceAll('{port}', port),
      ]);
      return { from: name, finding, cwd, env: Object.fromEntries(env) };
    }),
  );
}

const entries = (): Entry[] => {
  const server = (transport: TransportId, matrix: readonly MatrixEntry[]): Entry[] =>
    matrix.map(entry => ({ ...entry, role: 'server', transport }));
  return [
    ...server('stdio', faultMatrix(faults, 'stdio')),
    ...server('streamable-http', faultMatrixOverHttp(faults, 'streamable-http')),
    ...faultMatrix(
      clientFaults.filter(({ over }) => !over || over.includes('streamable-http')),
      'streamable-http',
    ).map(entry => ({ ...entry, role: 'client' as const, transport: 'streamable-http' as const })),
  ];
};

/** A run against a mock with one fault. @returns its report; undefined when the run wrote none */
async function runFault({ id, revision, role, transport }: Entry): Promise<Report | undefined> {
  const report = newReport();
  const words = [
    role,
    '--quiet',
    '--confirm',
    '--seed',
    '0',
    '--revision',
    revision.id,
    '--reporter',
    `json=${report}`,
  ];
  const mock = [process.execPath, program, 'mock', role, '--fault', id];
  if (role === 'server' && transport !== 'stdio') {
    const port = String(await freePort());
    words.push('--url', `http://127.0.0.1:${port}/mcp`);
    mock.push('--port', port);
  }
  await execa(process.execPath, [program, ...words, '--', ...mock], { reject: false, timeout: runTimeoutMs });
  return readReport(report);
}

const isViolation = ({ breaks, revision }: Entry): boolean =>
  breaks.some(id => requirement(id).clauses[revision.id]?.level === 'MUST');

/** One violation of each of some faults; a fault whose run shows none is passed over. */
async function drawFromFaults(most: number): Promise<Drawn[]> {
  const random = randomNumbers(`faults ${seed}`);
  const drawn: Drawn[] = [];
  for (const entry of shuffled(entries().filter(isViolation), `faults ${seed}`)) {
    if (drawn.length === most) break;
    const finding = pick(violationsOf(await runFault(entry)), random);
    const from = `${entry.role} ${entry.id} ${entry.revision.id} ${entry.transport}`;
    if (finding) drawn.push({ from, finding });
    else console.log(`  no violation          ${from}`);
  }
  return drawn;
}

/** Runs the printed command, with a JSON report. @returns true if it shows the requirement as a violation again */
async function replay({ finding, cwd, env }: Drawn): Promise<boolean> {
  const report = newReport();
  const command = finding.reproduce.replace(
    / (server|client|authorization-server) /,
    ` $1 --quiet --reporter json=${report} `,
  );
  await execa('sh', ['-c', command], {
    reject: false,
    timeout: runTimeoutMs,
    ...(cwd !== undefined && { cwd }),
    ...(env && { env }),
  });
  return violationsOf(readReport(report)).some(({ requirement: id }) => id === finding.requirement);
}

const fromSubjects = subjects === undefined ? [] : await drawFromSubjects(subjects, Math.floor(count / 2));
const drawn = [...fromSubjects, ...(await drawFromFaults(count - fromSubjects.length))];
let [again, unconfirmed] = [0, 0];
for (const one of drawn) {
  const { finding, from } = one;
  const shown = await replay(one);
  const marked = finding.confirmed?.seen === 1;
  if (shown) again++;
  else if (marked) unconfirmed++;
  const outcome = shown ? 'shown again' : marked ? 'unconfirmed' : 'NOT SHOWN';
  console.log(`${shown ? '✔' : '✗'} ${outcome.padEnd(12)} ${finding.requirement.padEnd(44)} ${from}`);
  if (!shown) console.log(`    ${finding.reproduce}`);
}
const missed = drawn.length - again;
console.log(
  `${again} of ${drawn.length} violations shown again by their commands; of the others ${unconfirmed} are marked as unconfirmed`,
);
rmSync(folder, { recursive: true });
process.exitCode = missed > mostMissed || missed > unconfirmed ? 1 : 0;
