/** CPU time of processes: available in full on Linux, on no other system. */

import { readdirSync, readFileSync } from 'node:fs';
import { isMainThread } from 'node:worker_threads';

/** Total times of a thread, in milliseconds. */
export interface Share {
  /** It ran. */
  readonly ran: number;
  /** Ready to run, waiting for a CPU. */
  readonly waited: number;
}

/** Threads of one process or of several, by thread id. */
export type Threads = ReadonlyMap<string, Share>;

/**
 * The thread of this process in which the harness runs. A worker thread does not know its number: there, all threads of the
 * process.
 */
export function ownThreads(): Threads {
  if (!isMainThread) return threadsIn([process.pid]);
  const main = `${process.pid}`;
  const times = timesOf(main, main);
  return new Map(times && [[main, times]]);
}

/**
 * Milliseconds for which the list of processes, and that of the children of one, is reused: a new list takes long on a machine
 * with many processes.
 */
const fresh = 1_000;

interface ProcessEntry {
  readonly pid: number;
  readonly parent: number;
  readonly group: number;
}

/** The processes of the machine, which the subjects of a run share. */
let listed: { readonly at: number; readonly processes: readonly ProcessEntry[] } | undefined;

/**
 * Reads the threads of a process and of the processes it started: its descendants, and the members of its
 * process group.
 */
export function threadsOf(root: number): () => Threads {
  let family: Iterable<number> = [];
  let seen = Number.NEGATIVE_INFINITY;
  return () => {
    const now = performance.now();
    if (now - seen > fresh) [family, seen] = [familyOf(root), now];
    return threadsIn(family);
  };
}

function threadsIn(pids: Iterable<number>): Threads {
  const threads = new Map<string, Share>();
  for (const pid of pids)
    for (const thread of entries(`/proc/${pid}/task`)) {
      const times = timesOf(pid, thread);
      if (times) threads.set(thread, times);
    }
  return threads;
}

/** The times of a thread; undefined where the system does not tell them. */
function timesOf(pid: number | string, thread: string): Share | undefined {
  const [ran, waited] = read(`/proc/${pid}/task/${thread}/schedstat`).split(' ').map(Number);
  return waited === undefined ? undefined : { ran: ran! / 1e6, waited: waited / 1e6 };
}

function allProcesses(): readonly ProcessEntry[] {
  const now = performance.now();
  if (listed && now - listed.at <= fresh) return listed.processes;
  const processes = entries('/proc')
    .filter(name => /^\d+$/.test(name))
    .map(name => {
      // the process name may contain any characters, and is in parentheses
      const [, parent, group] = read(`/proc/${name}/stat`)
        .replace(/^.*\) /s, '')
        .split(' ');
      return { pid: Number(name), parent: Number(parent), group: Number(group) };
    });
  listed = { at: now, processes };
  return processes;
}

function familyOf(root: number): Set<number> {
  const others = allProcesses();
  const family = new Set([root]);
  for (let known = 0; known < family.size; ) {
    known = family.size;
    for (const { pid, parent, group } of others) if (family.has(parent) || group === root) family.add(pid);
  }
  return family;
}

const entries = (folder: string): string[] => {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
};

const read = (file: string): string => {
  try {
    return readFileSync(file, 'latin1');
  } catch {
    return '';
  }
};
