/**
 * The worker of schema-worker.ts: does one task at a time, and signals the end of each one by a counter, because the
 * other thread waits without reading messages.
 */

import { workerData } from 'node:worker_threads';
import { compile, metaFlaw } from './ajv-checks.mjs';

const { port, counter } = workerData;

const tasks = {
  pattern: ({ pattern, flags, text }) => new RegExp(pattern, flags).test(text),
  schema: ({ dialect, schema }) => metaFlaw(dialect, schema) ?? null,
  value({ dialect, schema, value }) {
    const check = compile(dialect, schema);
    return check?.(value) ?? null;
  },
};

function signal() {
  Atomics.add(counter, 0, 1);
  Atomics.notify(counter, 0);
}

port.on('message', task => {
  let result;
  try {
    result = { value: tasks[task.kind](task) };
  } catch (error) {
    result = { error: String(error) };
  }
  port.postMessage(result);
  signal();
});
signal();
