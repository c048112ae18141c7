// A server that conforms and exits as required, but leaves a child that holds its stdout, in a session for
// the child alone.
import { spawn } from 'node:child_process';
import { serve } from './tiny.mjs';

spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], {
  detached: true,
  stdio: ['ignore', 'inherit', 'ignore'],
}).unref();
serve();
