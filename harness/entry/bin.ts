#!/usr/bin/env node
/** The program. Asking for the version is answered without loading anything else. */

import * as module from 'node:module';
import { toolVersion } from '../version.js';

const [first] = process.argv.slice(2);
if (process.argv.length === 3 && (first === '--version' || first === '-V')) console.log(toolVersion);
else {
  // what has been compiled is kept for the next time, by a Node that can (22.1)
  (module as { enableCompileCache?: () => void }).enableCompileCache?.();
  // leaving through `exit` lets the guard of subject.ts end whatever was started
  process.once('SIGINT', () => process.exit(130));
  process.once('SIGTERM', () => process.exit(143));
  const { main } = await import('./cli.js');
  process.exitCode = await main(process.argv.slice(2));
}
