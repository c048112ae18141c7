/**
 * `mcp-conform client`: tests a client, started once for each scenario; or, without a command, any client
 * that connects.
 */

import type { Command } from 'commander';
import { UsageError } from '../../report/pattern.js';
import type { ClientRunOptions } from '../../run/client/run.js';
import {
  checkCommand,
  collect,
  environmentHelp,
  parseEnvironment,
  parseExtensions,
  parseFolder,
  parsePositive,
  parseRevision,
  repeatedEnvironment,
} from '../arguments.js';
import {
  choosesCases,
  confirmLimits,
  examples,
  partOf,
  suiteOptions,
  type TestOptions,
  testOptions,
  withTestOptions,
} from '../common.js';
import type { Outcome } from '../outcome.js';
import { handleSignals } from '../signals.js';
import { hasTransport, parseTransport } from '../subject.js';

interface ClientOptions extends TestOptions {
  revision: string;
  transport?: string;
  jobs?: string;
  allowExternal?: boolean;
  cwd?: string;
  env: string[];
  extension: string[];
  for?: string;
}

export function clientCommand(program: Command, outcome: Outcome): void {
  const client = program
    .command('client')
    .summary('test a client: mcp-conform client -- <command> [args…]')
    .description(
      'Tests a client. The command after -- is started once for each scenario, without a shell. Over HTTP, the URL of the ' +
        'harness is its last argument (or replaces {url}); over stdio, the command of the harness replaces the ' +
        'argument {server} and is in MCP_CONFORM_COMMAND. The task of the client is in MCP_CONFORM_SCRIPT. ' +
        'Without a command, mcp-conform waits for clients and judges every client that connects.',
    )
    .argument(
      '[command...]',
      'the command that starts the client; without it, every client that connects is judged',
    )
    .passThroughOptions()
    .addHelpText(
      'before',
      examples([
        'mcp-conform client -- node my-client.js',
        'mcp-conform client -- node my-client.js {server}',
        'mcp-conform client',
      ]),
    )
    .optionsGroup('Target:')
    .option(
      '--revision <date>',
      'a dated revision, `latest` (the newest that the client proposes) or `all` (those that it accepts)',
      'latest',
    )
    .option(
      '--transport <name>',
      'streamable-http (the default), http-sse, or stdio (with {server}: the default)',
    )
    .option(
      '--jobs <n>',
      'number of launches of the client at the same time (default: two for each core; six in one process, where the client runs several scripts)',
    )
    .option(
      '--extension <identifier>',
      'an extension that the client has without declaring it, such as io.modelcontextprotocol/oauth-client-credentials',
      collect,
      [],
    )
    .option('--allow-external', 'fetch the metadata document that a client names as its ID, from any host')
    .option('--for <seconds>', 'without a command: seconds to wait for clients (default: until Ctrl-C)')
    .option('--cwd <folder>', 'working directory of the client (default: the current one)')
    .option('--env <NAME=value>', environmentHelp, collect, []);
  withTestOptions(client, true).action(async (command: string[], options: ClientOptions) => {
    outcome.exitCode = await testClient(command, options);
  });
}

async function testClient(command: readonly string[], options: ClientOptions): Promise<number> {
  const [file, ...args] = command;
  checkCommand(command, options.cwd);
  if (file === undefined) return receive(options);
  if (options.for !== undefined)
    throw new UsageError('--for applies only without a command: leave out the command, or the option.');
  const { clientSuite: suite } = await import('../../../suites/client/index.js');
  const { spawnClient } = await import('../../run/client/subject.js');
  const { defaultClientTransport, runClient } = await import('../../run/client/run.js');
  const { Output } = await import('../output.js');
  const subject = spawnClient(file, args, {
    ...(options.cwd && { cwd: parseFolder('--cwd', options.cwd) }),
    env: parseEnvironment(options.env),
  });
  const transport = options.transport ? parseTransport(options.transport) : defaultClientTransport(subject);
  hasTransport(options.revision, transport);
  const again = [
    ...(options.cwd === undefined ? [] : ['--cwd', options.cwd]),
    ...options.extension.flatMap(identifier => ['--extension', identifier]),
    ...repeatedEnvironment(options.env),
  ];
  const place = { suite, role: 'client', over: [transport] } as const;
  const common = { ...(await testOptions(options, 'client', again)), ...suiteOptions(options, place) };
  const output = new Output(options);
  const whole: ClientRunOptions = {
    ...common,
    interrupt: output.interrupt,
    subject,
    transport,
    revision: parseRevision(options.revision),
    ...(options.extension.length > 0 && { extensions: parseExtensions(options.extension) }),
    ...(options.jobs && { jobs: parsePositive('--jobs', options.jobs) }),
    ...(options.allowExternal && { getDocument }),
  };
  const limits = confirmLimits(options);
  const { confirming } = await import('../../run/confirm.js');
  return output.consume(
    limits
      ? confirming(runClient(whole), part => runClient({ ...whole, ...partOf(part) }), limits)
      : runClient(whole),
  );
}

async function getDocument(url: string) {
  const answer = await fetch(url, { redirect: 'error', headers: { accept: 'application/json' } });
  const type = answer.headers.get('content-type');
  return { status: answer.status, type, text: await answer.text() };
}

/** Waits for clients started outside mcp-conform. */
async function receive(options: ClientOptions): Promise<number> {
  const { clientSuite: suite } = await import('../../../suites/client/index.js');
  const { runListen: runVisit } = await import('../../run/client/listen.js');
  const { showVisitors } = await import('../connected-clients.js');
  const { Output, wantsColor } = await import('../output.js');
  if (choosesCases(options) || options.shard !== undefined)
    throw new UsageError(
      '--run, --skip and --shard select scenarios; scenarios need the command of a client after --.',
    );
  if (options.maxTime !== undefined)
    throw new UsageError('--max-time needs the command of a client after --. Use --for to limit the wait.');
  const chosen = options.transport && parseTransport(options.transport);
  const revision = parseRevision(options.revision);
  const wait = options.for === undefined ? undefined : parsePositive('--for', options.for) * 1000;
  const common = { ...(await testOptions(options, 'client', [])), suite };
  const end = new AbortController();
  const timer = wait === undefined ? undefined : setTimeout(() => end.abort(), wait);
  handleSignals(() => end.abort());
  const { isTTY, columns } = process.stderr;
  const observer = showVisitors({
    write: text => process.stderr.write(text),
    color: options.color && wantsColor(Boolean(isTTY)),
    columns: columns || 100,
    for: wait,
  });
  try {
    return await new Output({ ...options, calm: true }).consume(
      runVisit({
        ...common,
        ...(chosen && { transports: [chosen] }),
        ...(typeof revision !== 'string' && { revision }),
        until: end.signal,
        observer,
      }),
      { handlesSignals: true },
    );
  } finally {
    clearTimeout(timer);
  }
}
