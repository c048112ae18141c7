/** A client under test: its launch, and its task (contract: "How a client under test is driven"). */

import type { ClientTask } from '../../scenario/client-task.js';
import { type Endpoint, inProcess, type SpawnOptions, type Streams, spawn } from '../../subject/subject.js';
import type { Listener, ListenOptions } from '../../transports/link.js';
import { MemoryListener } from '../../transports/memory/listen.js';
import { argumentsFor, taskEnvironment } from '../client-command.js';

export interface ClientSubject {
  /** As given, for reports and `reproduce`; undefined for clients in this process. */
  readonly command?: readonly string[];
  readonly cwd: string;
  /** Variables for the process in addition to those of the harness. */
  readonly env?: Readonly<Record<string, string>>;
  start(task: ClientTask): Endpoint;
  /** Over stdio, a client in this process needs no intermediate process. */
  listen?(options: ListenOptions): Listener;
}

/**
 * A client started by a command, without a shell. The word `{server}` is replaced by the command of the test
 * server; `{url}` anywhere in a word is replaced by the URL, which is appended if there is no placeholder.
 */
export function spawnClient(
  file: string,
  args: readonly string[] = [],
  options: SpawnOptions = {},
): ClientSubject {
  return {
    command: [file, ...args],
    cwd: options.cwd ?? process.cwd(),
    env: options.env ?? {},
    start(task) {
      const [program, ...words] = argumentsFor([file, ...args], task.address);
      return spawn(program!, words, { ...options, env: { ...options.env, ...environment(task) } }).start();
    },
  };
}

/** Environment variables for the client. */
export function environment(task: ClientTask): Record<string, string> {
  const { official } = task;
  return {
    ...taskEnvironment(task),
    MCP_CONFORMANCE_SCENARIO: official.name,
    MCP_CONFORMANCE_CONTEXT: JSON.stringify({ name: official.name, ...official.context }),
    ...task.browser,
  };
}

/**
 * A client that runs in this process.
 * @param act performs the task and resolves with the exit code
 */
export function inProcessClient(act: (task: ClientTask, streams: Streams) => Promise<number>): ClientSubject {
  return {
    cwd: process.cwd(),
    start: task => inProcess(streams => act(task, streams)).start(),
    listen: options => new MemoryListener(options),
  };
}
