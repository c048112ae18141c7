/** Test support: whether a process is still running. */

import { existsSync, readFileSync } from 'node:fs';

/** A zombie process (exited, not reaped yet) does not count as running. */
export function alive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return !existsSync(`/proc/${pid}/stat`) || !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, 'latin1'));
  } catch {
    return false;
  }
}
