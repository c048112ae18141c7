/**
 * A worker for checks that a schema of a subject can make slow. The calling thread waits for each result, but not
 * longer than a deadline: no schema can block a run.
 */

import { MessageChannel, type MessagePort, receiveMessageOnPort, Worker } from 'node:worker_threads';
import type { Json, JsonObject } from './json-rpc.js';
import type { Dialect } from './schema-cost.js';

/** Limits of the worker; docs/limits.md lists them. */
const workerLimits = {
  /** Milliseconds for one check. */
  task: 1_000,
  /** Milliseconds for the start of the worker. */
  start: 5_000,
  /** Memory of the worker. */
  heapMegabytes: 256,
  /** Part of the time that may be spent waiting for slow checks, after the first of them. */
  share: 0.1,
};

type Task =
  | { readonly kind: 'pattern'; readonly pattern: string; readonly flags: string; readonly text: string }
  | { readonly kind: 'schema'; readonly dialect: Dialect; readonly schema: JsonObject }
  | {
      readonly kind: 'value';
      readonly dialect: Dialect;
      readonly schema: JsonObject;
      readonly value: Json;
    };

/** `late`: there is no result within the limits. `error`: the check failed. */
type Outcome<T> =
  | { readonly value: T; readonly late?: never; readonly error?: never }
  | { readonly error: string; readonly late?: never; readonly value?: never }
  | { readonly late: true; readonly value?: never; readonly error?: never };

/** The reason for a check without a result. */
export const notChecked = `the check needs more than ${workerLimits.task / 1_000} s or ${workerLimits.heapMegabytes} MB, the limit of mcp-conform`;

let worker: Running | undefined;
/** Milliseconds that may be spent waiting, and the time of the last change. */
let allowance = workerLimits.task;
let changed = performance.now();

/** Does a task in the worker, which starts with the first task, and waits for the result. */
export function inWorker<T extends Json>(task: Task): Outcome<T> {
  const now = performance.now();
  allowance = Math.min(workerLimits.task, allowance + (now - changed) * workerLimits.share);
  changed = now;
  // so many slow checks came before that another one would block the run
  if (allowance < workerLimits.task / 4) return { late: true };
  worker ??= Running.start();
  const outcome = worker?.ask<T>(task, allowance) ?? { late: true };
  changed = performance.now();
  if (outcome.late) {
    allowance -= changed - now;
    worker?.stop();
    worker = undefined;
  }
  return outcome;
}

class Running {
  private readonly counter = new Int32Array(new SharedArrayBuffer(4));
  private readonly worker: Worker;
  private readonly port: MessagePort;

  private constructor() {
    const { port1, port2 } = new MessageChannel();
    this.port = port1;
    this.worker = new Worker(new URL('./schema-worker.mjs', import.meta.url), {
      workerData: { port: port2, counter: this.counter },
      transferList: [port2],
      resourceLimits: { maxOldGenerationSizeMb: workerLimits.heapMegabytes },
      execArgv: [],
    });
    // a worker that runs out of memory is late, too
    this.worker.on('error', () => {});
    this.worker.unref();
    this.port.unref();
  }

  /** A worker that is ready; undefined when it does not start. */
  static start(): Running | undefined {
    const running = new Running();
    if (running.changes(0, workerLimits.start)) return running;
    running.stop();
    return undefined;
  }

  /** Waits for the end of a task. @returns false when the time is over */
  private changes(from: number, ms: number): boolean {
    const until = performance.now() + ms;
    // a worker that was interrupted between its count and its signal wakes the next wait, too
    while (Atomics.load(this.counter, 0) === from)
      if (Atomics.wait(this.counter, 0, from, until - performance.now()) === 'timed-out') return false;
    return true;
  }

  ask<T>(task: Task, ms: number): Outcome<T> {
    const before = Atomics.load(this.counter, 0);
    this.port.postMessage(task);
    if (!this.changes(before, ms)) return { late: true };
    return receiveMessageOnPort(this.port)!.message;
  }

  stop(): void {
    this.port.close();
    void this.worker.terminate();
  }
}
