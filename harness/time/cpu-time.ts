/** How much of a processor processes get, as far as the system tells: on Linux in full, elsewhere not at all. */

import { readdirSync, readFileSync } from 'node:fs';

/** What a thread has had so far, in milliseconds. */
export interface Share {
  /** It ran. */
  readonly ran: number;
  /** It was ready to run, and waited for a processor. */
  readonly waited: number;
}

/** Threads of one process or of several, by their number. */
export type Threads = ReadonlyMap<string, Share>;

/** Of this process. */
export const ownThreads = (): Threads => threadsIn([process.pid]);

/** For so many milliseconds what a process has started is taken for known: to look takes a while where there are many. */
const fresh = 1_000;

/** Reads those of a process and of what it has started: its descendants, and the members of its process group. */
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
      const [ran, waited] = read(`/proc/${pid}/task/${thread}/schedstat`).split(' ').map(Number);
      if (waited !== undefined) threads.set(thread, { ran: ran! / 1e6, waited: waited / 1e6 });
    }
  return threads;
}

function familyOf(root: number): Set<number> {
  const others = entries('/proc')
    .filter(name => /^\d+$/.test(name))
    .map(name => {
      // its name may have any characters, and stands in brackets
      const [, parent, group] = read(`/proc/${name}/stat`)
        .replace(/^.*\) /s, '')
        .split(' ');
      return { pid: Number(name), parent: Number(parent), group: Number(group) };
    });
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
