/**
 * A server that is slow on purpose: `slowed <start> <delay> <silent> <command …>` passes the messages of a command on, after
 * `start` ms of nothing, each response after `delay` ms, and drops the requests of the methods in `silent` (separated by commas).
 */

import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { isObject, parseJson } from '../../spec/json-rpc.js';

const [start, delay, silent, command, ...args] = process.argv.slice(2) as [string, string, string, string];
const dropped = new Set(silent.split(','));

setTimeout(() => {
  const server = spawn(command, args, { stdio: ['pipe', 'pipe', 'inherit'] });
  createInterface({ input: process.stdin })
    .on('line', line => {
      const message = parseJson(line);
      const method = isObject(message) ? message.method : undefined;
      if (typeof method !== 'string' || !dropped.has(method)) server.stdin.write(`${line}\n`);
    })
    .on('close', () => server.stdin.end());
  createInterface({ input: server.stdout }).on('line', line =>
    setTimeout(() => process.stdout.write(`${line}\n`), Number(delay)),
  );
  server.on('exit', code => {
    process.exitCode = code ?? 1;
  });
}, Number(start));
