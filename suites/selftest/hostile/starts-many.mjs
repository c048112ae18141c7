// A server that starts 250 processes at once, and is silent.
import { spawn } from 'node:child_process';

for (let at = 0; at < 250; at++) spawn('sleep', ['86399'], { stdio: 'ignore', detached: true });
setInterval(() => {}, 60_000);
