/**
 * Processes that a subject has started, on Linux: by a mark in their environment, by their parents while these live,
 * and by the pipes of the subject that they hold. A process may drop any of the three.
 */

import { existsSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';

const isReadable = (): boolean => existsSync('/proc/self/environ');

const read = (file: string): string => {
  try {
    return readFileSync(file, 'latin1');
  } catch {
    return '';
  }
};

const link = (file: string): string | undefined => {
  try {
    return readlinkSync(file);
  } catch {
    return undefined;
  }
};

const entries = (folder: string): string[] => {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
};

/** The fields of a process after its name, which may contain any characters; undefined when it has exited. */
function statOf(pid: number): readonly string[] | undefined {
  const fields = read(`/proc/${pid}/stat`)
    .replace(/^.*\) /s, '')
    .split(' ');
  return fields.length < 20 || fields[0] === 'Z' ? undefined : fields;
}

/** Distinguishes processes that get the same number one after the other. */
const startOf = (pid: number): string | undefined => statOf(pid)?.[19];

/** True while a signal keeps the process from running, until SIGCONT. */
export const isStopped = (pid: number): boolean => statOf(pid)?.[0] === 'T';

/** All processes but this one. */
export const processes = (): number[] =>
  entries('/proc')
    .filter(name => /^\d+$/.test(name) && Number(name) !== process.pid)
    .map(Number);

export class Descendants {
  /** Start times of the descendants seen so far, by process. */
  private readonly seen = new Map<number, string>();
  private readonly pipes: ReadonlySet<string>;
  private readonly began: string;
  /** Processes that existed before the subject, and still do: a scan of all processes passes over them. */
  private foreign: ReadonlySet<number>;

  /**
   * @param root the process of the subject, just started
   * @param mark text in the environment of its descendants
   * @param before the processes that existed before the subject was started
   */
  constructor(
    private readonly root: number,
    private readonly mark: string,
    before: readonly number[],
  ) {
    const pipes = isReadable() ? [0, 1, 2].map(fd => link(`/proc/${root}/fd/${fd}`)) : [];
    this.began = startOf(root) ?? 'unknown';
    this.pipes = new Set(pipes.filter(pipe => pipe !== undefined));
    this.foreign = new Set(before);
  }

  /** The number of live descendants that are remembered. */
  get count(): number {
    this.remember();
    return this.known().length;
  }

  /** Remembered descendants that live: another process may have got the number of one that has exited. */
  private known(): number[] {
    return [...this.seen].filter(([pid, start]) => startOf(pid) === start).map(([pid]) => pid);
  }

  /** Remembers the descendants whose parents are alive. */
  remember(): void {
    const open = this.known();
    if (startOf(this.root) === this.began) open.push(this.root);
    for (let pid = open.pop(); pid !== undefined; pid = open.pop())
      for (const task of entries(`/proc/${pid}/task`))
        for (const word of read(`/proc/${pid}/task/${task}/children`).split(' ')) {
          const child = Number(word);
          const start = word === '' || this.seen.has(child) ? undefined : startOf(child);
          if (start === undefined) continue;
          this.seen.set(child, start);
          open.push(child);
        }
  }

  /** Live descendants. @param pipesAreOpen some process still holds a pipe of the subject */
  living(pipesAreOpen: boolean): number[] {
    if (!isReadable()) return [];
    this.remember();
    const found = new Set(this.known());
    const all = processes();
    this.foreign = new Set(all.filter(pid => this.foreign.has(pid)));
    for (const pid of all) {
      if (this.foreign.has(pid)) continue;
      const isOwn = read(`/proc/${pid}/environ`).includes(this.mark) || (pipesAreOpen && this.holdsPipe(pid));
      if (isOwn && statOf(pid)) found.add(pid);
    }
    return [...found];
  }

  private holdsPipe(pid: number): boolean {
    return entries(`/proc/${pid}/fd`).some(fd => this.pipes.has(link(`/proc/${pid}/fd/${fd}`) ?? ''));
  }
}
