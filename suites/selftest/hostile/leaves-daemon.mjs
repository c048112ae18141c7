// A server that conforms, and leaves a process without its environment, in another session, with another parent.
import { spawn } from 'node:child_process';
import { serve } from './tiny.mjs';

const [keeps = 'stdout'] = process.argv.slice(2);
// the number tells this process from those of other programs
const daemon = `require('node:child_process').spawn(process.execPath, ['-e', 'setInterval(() => {}, 86399000)'], {
  detached: true, env: {}, stdio: ['ignore', ${keeps === 'stdout' ? "'inherit'" : "'ignore'"}, 'ignore'] }).unref();
  ${keeps === 'parent' ? 'setInterval(() => {}, 86399000)' : ''}`;
spawn(process.execPath, ['-e', daemon], {
  detached: true,
  env: {},
  stdio: ['ignore', keeps === 'stdout' ? 'inherit' : 'ignore', 'ignore'],
}).unref();
serve();
