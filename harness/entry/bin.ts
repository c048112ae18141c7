#!/usr/bin/env node
/** The program. `--version` is handled without loading other modules. */

import * as module from 'node:module';
import { toolVersion } from '../version.js';

const [first] = process.argv.slice(2);
if (process.argv.length === 3 && (first === '--version' || first === '-V')) console.log(toolVersion);
else {
  // compiled code is cached for the next run, in Node 22.1 and later
  (module as { enableCompileCache?: () => void }).enableCompileCache?.();
  // `exit` triggers the guard in subject.ts, which terminates all started processes
  const { endOnInterruption } = await import('./interruption.js');
  endOnInterruption();
  // a reader that has gone, as in `--help | head`, needs no more text
  for (const stream of [process.stdout, process.stderr])
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EPIPE') throw error;
    });
  const { main } = await import('./cli.js');
  process.exitCode = await main(process.argv.slice(2));
}
