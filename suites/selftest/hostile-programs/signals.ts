/** Signals at random moments: the program ends within two seconds, its report is complete, and nothing is left behind. */

import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type EndingSignal, endingSignals, signalExitCode } from '../../../harness/entry/interruption.js';
import { latestRevision } from '../../../spec/revisions.js';
import { randomNumbers } from './choice.js';
import { markOfRuns, measure } from './measure.js';
import { inTwoPasses } from './passes.js';
import { file } from './programs.js';

/** The longest time from the signal to the end of the program. */
const longestMs = 2_000;
/** Moments are spread over this time; a run of these subjects takes longer. */
const latestMs = 5_000;
const moments = 30;

const program = fileURLToPath(new URL('../../../dist/harness/entry/bin.js', import.meta.url));
const mock = (role: string) => [process.execPath, program, 'mock', role];
/** Commands of the program, without the reports; `mark` is the last argument of hostile programs. */
const commands: Readonly<Record<string, (mark: string) => string[]>> = {
  'server over stdio': () => ['server', '--', ...mock('server')],
  'a server that ignores signals': mark => [
    'server',
    '--',
    process.execPath,
    file('server.mjs'),
    'ignores-signals',
    'stdio',
    latestRevision.id,
    '0',
    '0',
    mark,
  ],
  'a server with slow schemas': mark => [
    'server',
    '--',
    process.execPath,
    file('server.mjs'),
    'schema-nine-nested-stars',
    'stdio',
    latestRevision.id,
    '0',
    '0',
    mark,
  ],
  'client over HTTP': () => ['client', '--', ...mock('client')],
  'client over stdio': () => ['client', '--transport', 'stdio', '--', ...mock('client')],
  'a client that ignores signals': mark => [
    'client',
    '--',
    process.execPath,
    file('client.mjs'),
    'ignores-signals',
    'streamable-http',
    latestRevision.id,
    '0',
    mark,
  ],
};

interface Trial {
  readonly subject: string;
  readonly signal: EndingSignal;
  readonly afterMs: number;
  readonly number: number;
}

function trials(seed: string): Trial[] {
  const random = randomNumbers(seed);
  const names = { server: Object.keys(commands).slice(0, 3), client: Object.keys(commands).slice(3) };
  return endingSignals.flatMap((signal, at) =>
    Object.values(names).flatMap((subjects, role) =>
      Array.from({ length: moments }, (_, moment) => ({
        subject: subjects[moment % subjects.length]!,
        signal,
        afterMs: Math.round(random() * latestMs),
        number: (at * 2 + role) * moments + moment,
      })),
    ),
  );
}

interface Ending {
  /** What the program did wrong, in words. */
  readonly wrong: readonly string[];
  /** From the signal to the end of the program. */
  readonly endedMs: number;
}

async function trySignal({ subject, signal, afterMs, number }: Trial): Promise<Ending> {
  const folder = mkdtempSync(join(tmpdir(), 'mcp-conform-signals-'));
  const [json, jsonl] = [join(folder, 'report.json'), join(folder, 'run.jsonl')];
  const mark = `${markOfRuns}${number}-`;
  const [command, ...rest] = commands[subject]!(mark);
  let [sentAt, endedAt] = [0, 0];
  const measured = await measure(
    [command!, '--reporter', `json=${json}`, '--reporter', `jsonl=${jsonl}`, ...rest],
    {
      mark,
      longestS: 120,
      onStart(pid, exited) {
        const timer = setTimeout(() => {
          sentAt = performance.now();
          process.kill(pid, signal);
        }, afterMs);
        void exited.then(() => {
          endedAt = performance.now();
          clearTimeout(timer);
        });
      },
    },
  );
  const endedMs = sentAt === 0 ? 0 : Math.round(endedAt - sentAt);
  const written = [json, jsonl].filter(path => existsSync(path));
  // before the handlers of Node exist, the signal itself ends the program
  const neverBegan = measured.output === '' && written.length === 0;
  const isComplete = (path: string) => {
    const text = readFileSync(path, 'utf8');
    try {
      if (path === json) JSON.parse(text);
      else if (!text.trimEnd().split('\n').at(-1)?.includes('"run-end"')) return false;
      return true;
    } catch {
      return false;
    }
  };
  const wrong = [
    sentAt === 0 && 'ended before the signal',
    endedMs > longestMs && `ended after ${endedMs} ms`,
    measured.exitCode !== signalExitCode(signal) &&
      !(neverBegan && measured.signal === signal) &&
      `exit code ${measured.exitCode ?? measured.signal}`,
    !neverBegan && written.length < 2 && 'a report is missing',
    ...written.filter(path => !isComplete(path)).map(path => `${path} is incomplete`),
    /mcp-conform has a defect|^\s+at .*:\d+/m.test(measured.errors) &&
      `a defect: ${measured.errors.slice(0, 200)}`,
    ...measured.left.map(text => `left behind: ${text}`),
  ].filter(text => text !== false);
  rmSync(folder, { recursive: true });
  return { wrong: sentAt === 0 ? [] : wrong, endedMs };
}

interface Options {
  readonly seed: string;
  /** Runs at the same time. */
  readonly jobs: number;
  readonly sample: <T>(items: readonly T[]) => T[];
}

/** @returns the number of moments at which something was wrong, also when the run was repeated alone */
export async function runSignals({ seed, jobs, sample }: Options): Promise<number> {
  const all = sample(trials(seed));
  let repeated = 0;
  const outcomes = await inTwoPasses(all, {
    jobs,
    run: trySignal,
    isBroken: ({ wrong }) => wrong.length > 0,
    onOutcome({ subject, signal, afterMs }, { wrong, endedMs }, pass) {
      if (pass === 'alone') repeated++;
      const words = `${wrong.length > 0 ? '✗' : '✔'}  ${signal.padEnd(7)}  after ${String(afterMs).padStart(4)} ms  ${subject.padEnd(29)}  ended after ${String(endedMs).padStart(4)} ms${pass === 'alone' ? '  (alone)' : ''}`;
      console.log([words, ...wrong].join('\n     '));
    },
  });
  const failed = outcomes.filter(({ wrong }) => wrong.length > 0).length;
  const times = outcomes.map(({ endedMs }) => endedMs).sort((a, b) => a - b);
  const part = (share: number) => `${times[Math.floor((times.length - 1) * share)]} ms`;
  console.log(
    `${all.length} signals, from the signal to the end half within ${part(0.5)}, nine of ten within ${part(0.9)}, all within ${part(1)}; ${repeated} repeated alone, ${failed} with something wrong`,
  );
  return failed;
}
