// Works and goes when told to, but a child that holds its stdout, in a session of its own, stays behind.
import { spawn } from 'node:child_process';
import { serve } from './tiny.mjs';

spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], {
  detached: true,
  stdio: ['ignore', 'inherit', 'ignore'],
}).unref();
serve();
