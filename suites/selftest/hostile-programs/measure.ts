/** One run of the built program: its time, its memory, its output, and what it leaves behind. Linux only. */

import { spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const program = fileURLToPath(new URL('../../../dist/harness/entry/bin.js', import.meta.url));

/** The beginning of the mark of each run of this process. */
export const markOfRuns = `hostile-run-${process.pid}-`;

export interface Measured {
  readonly wallS: number;
  readonly cpuS: number;
  /** Of the processes that the program started and that have ended. */
  readonly subjectCpuS: number;
  readonly peakMb: number;
  /** Undefined after a signal. */
  readonly exitCode: number | undefined;
  readonly signal: string | undefined;
  readonly output: string;
  readonly errors: string;
  /** Processes, ports and temporary folders, in words. */
  readonly left: readonly string[];
}

interface MeasureOptions {
  /** A text in the arguments or the environment of each process of the run. */
  readonly mark: string;
  /** The program is killed after this many seconds. */
  readonly longestS: number;
  /** A process of the run that the program did not start. */
  readonly ignored?: number | undefined;
  /** Called when the program has started. */
  readonly onStart?: (pid: number, exited: Promise<unknown>) => void;
}

const read = (file: string): string => {
  try {
    return readFileSync(file, 'latin1');
  } catch {
    return '';
  }
};

const entries = (folder: string): string[] => {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
};

/** CPU time of a process, and of its children that it has waited for; 0 after its end. */
export function cpuOf(pid: number): { readonly ownS: number; readonly endedChildrenS: number } {
  const fields = read(`/proc/${pid}/stat`)
    .replace(/^.*\) /s, '')
    .split(' ')
    .map(Number);
  // a tick is a hundredth of a second
  const seconds = (at: number) => ((fields[at] ?? 0) + (fields[at + 1] ?? 0) || 0) / 100;
  return { ownS: seconds(11), endedChildrenS: seconds(13) };
}

/** Live processes of a run, without this one. */
const processesOf = (mark: string): number[] =>
  entries('/proc')
    .filter(name => /^\d+$/.test(name) && Number(name) !== process.pid)
    .map(Number)
    .filter(
      pid =>
        (read(`/proc/${pid}/cmdline`).includes(mark) || read(`/proc/${pid}/environ`).includes(mark)) &&
        !/\) Z /.test(read(`/proc/${pid}/stat`)),
    );

/** TCP ports on which a process listens. */
function portsOf(pid: number): number[] {
  const sockets = entries(`/proc/${pid}/fd`).flatMap(fd => {
    try {
      return /^socket:\[(\d+)\]$/.exec(readlinkSync(`/proc/${pid}/fd/${fd}`))?.[1] ?? [];
    } catch {
      return [];
    }
  });
  return ['tcp', 'tcp6'].flatMap(table =>
    read(`/proc/net/${table}`)
      .split('\n')
      .map(line => line.trim().split(/\s+/))
      .filter(fields => fields[3] === '0A' && sockets.includes(fields[9]!))
      .map(fields => Number.parseInt(fields[1]!.split(':')[1]!, 16)),
  );
}

const words = (pid: number): string => read(`/proc/${pid}/cmdline`).replaceAll('\0', ' ').trim().slice(0, 80);

const kill = (pid: number): void => {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // already gone
  }
};

const pause = (ms: number) => new Promise(resolve => setTimeout(resolve, ms));

/** Processes that are still alive after a short wait: the program kills some of them with its last act. */
async function takeLeft(mark: string, ignored: number | undefined): Promise<string[]> {
  const found = () => processesOf(mark).filter(pid => pid !== ignored);
  for (let tries = 0; tries < 10 && found().length > 0; tries++) await pause(50);
  const left = found().map(pid => {
    const ports = portsOf(pid);
    return `process ${words(pid)}${ports.length > 0 ? ` on port ${ports.join(', ')}` : ''}`;
  });
  for (let tries = 0; tries < 20; tries++) for (const pid of found()) kill(pid);
  return left;
}

/** Kills the processes of all runs. */
export function killRuns(): void {
  for (const pid of processesOf(markOfRuns)) kill(pid);
}

/** Runs the program once. @param args its arguments */
export async function measure(args: readonly string[], options: MeasureOptions): Promise<Measured> {
  const { mark, longestS, ignored, onStart } = options;
  const temporary = mkdtempSync(join(tmpdir(), 'hostile-'));
  const began = performance.now();
  const env = { ...process.env, TMPDIR: temporary, HOSTILE_RUN: mark, NO_COLOR: '1' };
  const child = spawn(process.execPath, [program, ...args], { env, stdio: ['ignore', 'pipe', 'pipe'] });
  const [output, errors]: [Buffer[], Buffer[]] = [[], []];
  child.stdout.on('data', part => output.push(part));
  child.stderr.on('data', part => errors.push(part));
  let [peakKb, cpuS, subjectCpuS] = [0, 0, 0];
  const sample = () => {
    const used = cpuOf(child.pid!);
    cpuS = Math.max(cpuS, used.ownS);
    subjectCpuS = Math.max(subjectCpuS, used.endedChildrenS);
    peakKb = Math.max(peakKb, Number(/VmHWM:\s+(\d+)/.exec(read(`/proc/${child.pid}/status`))?.[1] ?? 0));
  };
  const timers = [setInterval(sample, 50), setTimeout(() => child.kill('SIGKILL'), longestS * 1000)];
  // not `close`: a process that is left behind may hold the streams
  const exited = new Promise<[number | null, string | null]>(resolve =>
    child.once('exit', (...ended) => resolve(ended)),
  );
  onStart?.(child.pid!, exited);
  const [code, signal] = await exited;
  const wallS = (performance.now() - began) / 1000;
  for (const timer of timers) clearTimeout(timer);
  const left = [
    ...(await takeLeft(mark, ignored)),
    ...entries(temporary)
      .filter(name => name !== 'node-compile-cache')
      .map(name => `folder ${name}`),
  ];
  child.stdout.destroy();
  child.stderr.destroy();
  rmSync(temporary, { recursive: true, force: true });
  return {
    wallS,
    cpuS,
    subjectCpuS,
    peakMb: peakKb / 1024,
    exitCode: code ?? undefined,
    signal: signal ?? undefined,
    output: Buffer.concat(output).toString(),
    errors: Buffer.concat(errors).toString(),
    left,
  };
}
