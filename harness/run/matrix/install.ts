/** Prepares the programs of a matrix: each command runs once, and its failure is the reason of the cells. */

import { spawn } from '../../subject/subject.js';
import { Clock, waitFor } from '../../time/clock.js';
import type { Installation } from './plan.js';
import { Tail } from './tail.js';

/**
 * @param ms the longest time of one installation, in milliseconds
 * @returns a function that prepares a program and resolves with the problem, if any
 */
export function installer(
  ms: number,
  stop: AbortSignal,
): (wanted: Installation) => Promise<string | undefined> {
  const known = new Map<string, Promise<string | undefined>>();
  return wanted => {
    const key = JSON.stringify(wanted);
    const running = known.get(key) ?? run(wanted, ms, stop);
    known.set(key, running);
    return running;
  };
}

async function run(
  { command, cwd }: Installation,
  ms: number,
  stop: AbortSignal,
): Promise<string | undefined> {
  const [file, ...args] = command;
  const endpoint = spawn(file!, args, { cwd }).start();
  const output = new Tail(4);
  endpoint.stdin.on('error', () => {});
  endpoint.stdin.end();
  for (const stream of [endpoint.stdout, endpoint.stderr]) {
    stream.on('error', () => {});
    stream.on('data', (chunk: Buffer) => output.push(chunk.toString('utf8')));
  }
  const stopped = new Promise<void>(resolve =>
    stop.addEventListener('abort', () => resolve(), { once: true }),
  );
  const inTime = await waitFor(Promise.race([endpoint.exited, stopped]), ms, new Clock(endpoint));
  endpoint.kill('SIGKILL');
  const { code, problem } = await endpoint.exited;
  const words = command.join(' ');
  if (problem !== undefined) return `${words}: ${problem}.`;
  if (!inTime) return `${words} did not end within ${ms / 1000} s.`;
  if (code === 0) return undefined;
  return `${words} exited with code ${code}. Its output: ${output.lines().join(' | ').slice(0, 400)}`;
}
