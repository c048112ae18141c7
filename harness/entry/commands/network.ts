/** `mcp-conform network`: a client and a server with faults of the network between them, both judged. */

import type { Command } from 'commander';
import type { Progress } from '../../../reports/progress.js';
import { findDefinedRevision, latestRevision, type TransportId } from '../../../spec/revisions.js';
import { UsageError } from '../../report/pattern.js';
import type { RunEvent } from '../../report/run-event.js';
import type { NetworkProgress } from '../../run/network/run.js';
import type { NetworkFault, NetworkKind } from '../../run/proxy/network.js';
import type { Script } from '../../scenario/script.js';
import {
  collect,
  environmentHelp,
  parseChoice,
  parseEnvironment,
  parseFolder,
  parseInteger,
  parseOffered,
  parsePositive,
  readGiven,
  repeatedEnvironment,
  requireUrlWithPort,
} from '../arguments.js';
import { examples, withReportOptions } from '../common.js';
import type { Outcome } from '../outcome.js';
import type { OutputOptions } from '../output.js';
import { handleSignals } from '../signals.js';
import { parseTransport } from '../subject.js';

interface NetworkCommandOptions extends OutputOptions {
  client?: string;
  url?: string;
  transport?: string;
  revision?: string;
  kinds?: string;
  at: string[];
  trials: string;
  seed?: string;
  steps?: string;
  timeout: string;
  cwd?: string;
  env: string[];
}

export function networkCommand(program: Command, outcome: Outcome): void {
  const command = program
    .command('network')
    .summary('break the network between a client and a server, and judge both')
    .description(
      'Lets a client and a server talk many times through a relay, each time with one fault of the network at another byte, ' +
        'and judges both. Each new failure is reported with the smallest fault that causes it. Without --client the client is ' +
        'the reference client, without a server the server is the reference server.',
    )
    .argument('[command...]', 'the command that starts the server')
    .passThroughOptions()
    .addHelpText(
      'before',
      examples([
        'mcp-conform network -- node server.js',
        'mcp-conform network --url http://127.0.0.1:{port}/mcp -- node server.js {port}',
        "mcp-conform network --client 'node client.js'",
      ]),
    )
    .option(
      '--client <command>',
      'the client: words separated by spaces, or a JSON array; {url} or {server} as for clients',
    )
    .option('--url <url>', 'where the server answers over HTTP; {port}, also in its command, is a free port')
    .option('--transport <name>', 'without a server: streamable-http (the default) or stdio')
    .option('--revision <date>', 'the revision of the reference client or server', latestRevision.id)
    .option(
      '--kinds <list>',
      'kinds of faults, separated by commas (default: all that the transport can have)',
    )
    .option(
      '--at <fault>',
      'try this fault, as a report names it: cut:tools/call.2:137 (repeatable)',
      collect,
      [],
    )
    .option('--trials <n>', 'number of faults to try', '60')
    .option('--seed <n>', 'repeats the choice of faults (default: any)')
    .option('--steps <file>', 'the task of the client: a JSON array of steps, as in MCP_CONFORM_SCRIPT')
    .option('--timeout <seconds>', 'longest time for one conversation', '20')
    .option('--cwd <folder>', 'working directory of the programs (default: the current one)')
    .option('--env <NAME=value>', environmentHelp, collect, [])
    .option('--strict', 'SHOULD violations also fail the run');
  withReportOptions(command).action(async (words: string[], options: NetworkCommandOptions) => {
    outcome.exitCode = await network(words, options);
  });
}

async function network(command: readonly string[], options: NetworkCommandOptions): Promise<number> {
  const { client: given, url, seed = String(Math.floor(Math.random() * 2 ** 31)) } = options;
  if (command.length === 0 && url === undefined && given === undefined)
    throw new UsageError(
      'no program given. Write the command of a server after --, or the command of a client in --client.',
    );
  if (url !== undefined) requireUrlWithPort(url);
  const transport = transportOf(command, options);
  const revision = findDefinedRevision(parseOffered(options.revision ?? latestRevision.id))!;
  if (!revision.transports.includes(transport))
    throw new UsageError(`Revision ${revision.id} has no ${transport}.`);
  const cwd = options.cwd === undefined ? undefined : parseFolder('--cwd', options.cwd);
  const env = parseEnvironment(options.env);
  const { kindsOver } = await import('../../run/network/faults.js');
  const kinds = options.kinds?.split(',').map(kind => parseChoice('--kinds', kind, kindsOver(transport)));
  const faults = await faultsIn(options.at, transport);
  const script = await scriptIn(options.steps);
  const { suite } = await import('../../../suites/index.js');
  const { networkPrograms } = await import('../../run/network/programs.js');
  const { runNetwork } = await import('../../run/network/run.js');
  const { referenceClient, referenceServer } = await import('../../../mocks/network/references.js');
  const { Output } = await import('../output.js');
  const programs = networkPrograms({
    ...(given !== undefined && { client: wordsOf(given) }),
    ...(command.length > 0 && { server: command }),
    ...(url !== undefined && { url }),
    spawn: { ...(cwd && { cwd }), env },
  });
  const stopped = new AbortController();
  handleSignals(() => stopped.abort('the run was stopped by a signal'));
  const limitMs = parsePositive('--timeout', options.timeout) * 1000;
  const output = new Output(options.quiet ? options : { ...options, calm: true });
  const progress = output.progressOf('conversation');
  // a server on stdio starts in each conversation
  const openingMs = transport === 'stdio' ? limitMs / 2 : undefined;
  const run = runNetwork({
    client: programs.client ?? referenceClient(revision.id, [], { openingMs }),
    server: programs.server ?? referenceServer(revision.id),
    transport,
    script,
    revision: revision.id,
    rules: suite.rules,
    env,
    limitMs,
    ...(progress && { onProgress: shownBy(progress) }),
    place: { command: command.length > 0 ? command : null, url: url ?? null, ...(cwd && { cwd }) },
    seed: parseInteger('--seed', seed),
    trials: parseInteger('--trials', options.trials),
    ...(kinds && { kinds: kinds as NetworkKind[] }),
    ...(faults.length > 0 && { faults }),
    strict: options.strict ?? false,
    options: optionsIn(options, transport),
    interrupt: stopped.signal,
  });
  try {
    return await output.consume(quietAfterwards(run, progress), { handlesSignals: true });
  } finally {
    progress?.stop();
    await programs.stop();
  }
}

/** Shows each conversation, and how many there are. */
function shownBy(progress: Progress): (at: NetworkProgress) => void {
  let planned = 0;
  let begun = 0;
  let ended = 0;
  return ({ planned: all, begins }) => {
    if (all > planned) progress.plan(all - planned, '');
    planned = all;
    if (begins === undefined) progress.end(++ended);
    else progress.start(++begun, begins);
  };
}

/** The events of a run whose progress ends when its report begins. */
async function* quietAfterwards(run: AsyncIterable<RunEvent>, progress: Progress | undefined) {
  for await (const event of run) {
    if (event.kind !== 'run-start') progress?.stop();
    yield event;
  }
}

function transportOf(command: readonly string[], { url, transport }: NetworkCommandOptions): TransportId {
  if (url !== undefined || command.length > 0) {
    const implied = url === undefined ? 'stdio' : 'streamable-http';
    if (transport !== undefined && parseTransport(transport) !== implied)
      throw new UsageError(`--transport ${transport} does not fit: the server is on ${implied}.`);
    return implied;
  }
  return parseTransport(transport ?? 'streamable-http', ['streamable-http', 'stdio']);
}

/** The words of a command in one text. */
function wordsOf(text: string): readonly string[] {
  const words: unknown = text.trimStart().startsWith('[')
    ? parsed('--client', text)
    : text.trim().split(/\s+/);
  if (
    Array.isArray(words) &&
    words.length > 0 &&
    words.every(word => typeof word === 'string' && word !== '')
  )
    return words;
  throw new UsageError(
    `--client takes a command, as in "node client.js" or ["node","client.js"], not "${text}".`,
  );
}

function parsed(option: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new UsageError(`${option}: not JSON: ${(error as Error).message}.`);
  }
}

async function faultsIn(texts: readonly string[], transport: TransportId): Promise<NetworkFault[]> {
  const { networkKinds, parseFault } = await import('../../run/proxy/network.js');
  return texts.map(text => {
    const fault = parseFault(text);
    if (fault && (networkKinds[fault.kind] as readonly TransportId[]).includes(transport)) return fault;
    throw new UsageError(
      `--at takes a fault that ${transport} can have, as in ${transport === 'stdio' ? 'split:server.1:137' : 'cut:tools/call.2:137'}, not "${text}".`,
    );
  });
}

async function scriptIn(file: string | undefined): Promise<Script> {
  if (file === undefined) return (await import('../../run/network/default-steps.js')).networkSteps;
  const { parseScript } = await import('../../scenario/script.js');
  try {
    return parseScript(parsed('--steps', readGiven(file)) as never);
  } catch (error) {
    if (error instanceof UsageError) throw error;
    throw new UsageError(`--steps: ${(error as Error).message}`);
  }
}

/** The options to repeat in the command that reproduces a finding. */
const optionsIn = (
  { client, revision, steps, timeout, cwd, env, url }: NetworkCommandOptions,
  transport: TransportId,
): string[] => [
  ...(client === undefined ? [] : ['--client', client]),
  ...(transport === 'stdio' && url === undefined && client !== undefined ? ['--transport', 'stdio'] : []),
  ...(revision === undefined || revision === latestRevision.id ? [] : ['--revision', revision]),
  ...(steps === undefined ? [] : ['--steps', steps]),
  ...(timeout === '20' ? [] : ['--timeout', timeout]),
  ...(cwd === undefined ? [] : ['--cwd', cwd]),
  ...repeatedEnvironment(env),
];
