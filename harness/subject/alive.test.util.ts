/** Test support: whether a process is left behind. */

import { existsSync, readFileSync } from 'node:fs';

/** One that has ended and was not waited for yet does not live. */
export function alive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return !existsSync(`/proc/${pid}/stat`) || !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, 'latin1'));
  } catch {
    return false;
  }
}
