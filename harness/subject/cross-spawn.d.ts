/** The types of `cross-spawn`, which brings none: it is `spawn` of Node, made to find `npx` and the like on Windows. */
declare module 'cross-spawn' {
  import type { ChildProcess, SpawnOptions } from 'node:child_process';

  export default function spawn(
    command: string,
    args: readonly string[],
    options: SpawnOptions,
  ): ChildProcess;
}
