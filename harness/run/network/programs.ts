/** The programs at both ends of the network, started by commands. */

import { type SpawnOptions, spawn } from '../../subject/subject.js';
import { defaultTiming } from '../../time/timing.js';
import { ServerProcess } from '../../transports/http/server-process.js';
import { argumentsFor, taskEnvironment } from '../client-command.js';
import { CouldNotJudge } from '../could-not-judge.js';
import { freePort } from '../free-port.js';
import type { ServerPlaces } from '../proxy/relayed-server.js';
import type { NetworkPair } from './trial.js';

interface Commands {
  readonly client?: readonly string[];
  readonly server?: readonly string[];
  /** Where the server answers; `{port}` is a free port. */
  readonly url?: string;
  readonly spawn: SpawnOptions;
}

interface Programs {
  readonly client?: NetworkPair['client'];
  readonly server?: ServerPlaces;
  /** Stops a server that answers at a URL. */
  stop(): Promise<void>;
}

/** The programs with a command or a URL; the others are undefined. */
export function networkPrograms({ client, server, url, spawn: options }: Commands): Programs {
  const place = url === undefined ? undefined : serverAt(url, server, options);
  const stdio = server && url === undefined ? spawn(server[0]!, server.slice(1), options) : undefined;
  const unused = () => Promise.reject(new CouldNotJudge('The server has no URL.'));
  return {
    ...(client && { client: clientOf(client, options) }),
    ...(place && { server: { stdio: spawn('', []), listen: place.listen } }),
    ...(stdio && { server: { stdio, listen: unused } }),
    stop: async () => place?.stop(),
  };
}

const clientOf = (command: readonly string[], options: SpawnOptions): NetworkPair['client'] => ({
  start(task) {
    const [file = '', ...words] = argumentsFor(command, task.address);
    return spawn(file, words, { ...options, env: { ...options.env, ...taskEnvironment(task) } }).start();
  },
});

/** A server at a URL, started once, and again after it has exited. */
function serverAt(url: string, command: readonly string[] | undefined, options: SpawnOptions) {
  let started: Promise<{ url: string; process?: ServerProcess }> | undefined;
  const start = async () => {
    const port =
      url.includes('{port}') || command?.some(word => word.includes('{port}')) ? await freePort() : 0;
    const own = url.replaceAll('{port}', String(port));
    if (!command) return { url: own };
    const [file = '', ...words] = command.map(word => word.replaceAll('{port}', String(port)));
    const process = new ServerProcess(
      spawn(file, words, options),
      new URL(own),
      defaultTiming,
      () => () => [],
    );
    return { url: own, process };
  };
  return {
    async listen() {
      started ??= start();
      const { url: own, process } = await started;
      const failure = await process?.ready();
      if (failure) throw new CouldNotJudge(failure.reason, failure.details);
      return { url: own, close: async () => {} };
    },
    async stop() {
      await (await started)?.process?.stop();
    },
  };
}
