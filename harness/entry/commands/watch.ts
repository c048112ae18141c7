/**
 * `mcp-conform watch`: forwards between a real client and a real server, changes nothing, and judges both.
 */

import type { Command } from 'commander';
import { UsageError } from '../../report/pattern.js';
import type { RunEvent } from '../../report/run-event.js';
import { collect, environmentHelp, parseInteger, parsePositive } from '../arguments.js';
import { examples, withReportOptions } from '../common.js';
import type { Outcome } from '../outcome.js';
import type { OutputOptions } from '../output.js';
import { handleSignals } from '../signals.js';

interface WatchOptions extends OutputOptions {
  url?: string;
  transport?: string;
  port: string;
  for?: string;
  allowHost: string[];
  cwd?: string;
  env: string[];
}

export function watchCommand(program: Command, outcome: Outcome): void {
  const command = program
    .command('watch')
    .summary('forward between a client and a server, and judge both')
    .addHelpText(
      'before',
      examples([
        'mcp-conform watch -- node server.js',
        'mcp-conform watch --url http://127.0.0.1:3000/mcp',
        'mcp-conform watch --reporter jsonl=run.jsonl -- uv run my-server',
      ]),
    )
    .description(
      'Forwards all messages unchanged, records them, and judges both sides at the end. On stdio the client starts ' +
        '`mcp-conform watch -- <command of the server>` in place of the server; over HTTP the client gets the printed URL.',
    )
    .argument('[command...]', 'the command that starts the server on stdio')
    .passThroughOptions()
    .option('--url <url>', 'URL of a server over HTTP')
    .option('--transport <name>', 'streamable-http (the default with --url) or http-sse')
    .option('--port <n>', 'with --url: local port to listen on (default: any free port)', '0')
    .option('--for <seconds>', 'with --url: stop after this time; default: until Ctrl-C')
    .option(
      '--allow-host <name>',
      'with --url: accept requests with this Host, for example from a container (repeatable)',
      collect,
      [],
    )
    .option('--cwd <folder>', 'working directory of the server (default: the current one)')
    .option('--env <NAME=value>', environmentHelp, collect, [])
    .option('--strict', 'SHOULD violations also fail the run');
  withReportOptions(command).action(async (words: string[], options: WatchOptions) => {
    outcome.exitCode = await watch(words, options);
  });
}

async function watch(command: readonly string[], options: WatchOptions): Promise<number> {
  const { suite } = await import('../../../suites/index.js');
  const { chooseSubject } = await import('../subject.js');
  const { Output } = await import('../output.js');
  if (options.url !== undefined && command.length > 0)
    throw new UsageError('watch takes the command of a server, or the --url of a running server, not both.');
  const [{ subject, transport }] = chooseSubject(
    command,
    {
      ...options,
      url: options.url === undefined ? [] : [options.url],
      transport: options.transport === undefined ? [] : [options.transport],
      header: [],
      revision: 'latest',
    },
    'watch',
  );
  const common = { rules: suite.rules, strict: options.strict ?? false };
  if (!('url' in subject)) {
    const { watchStdio } = await import('../../run/proxy/stdio.js');
    const streams = { input: process.stdin, output: process.stdout, errors: process.stderr };
    // standard output belongs to the client
    return new Output(options, 'stderr').consume(
      watchStdio({ ...common, ...streams, server: subject, onSignal: handleSignals }),
      { handlesSignals: true },
    );
  }
  return new Output(options).consume(await overHttp(subject.url), { handlesSignals: true });

  async function overHttp(url: string): Promise<AsyncIterable<RunEvent>> {
    const { watchHttp } = await import('../../run/proxy/http.js');
    const port = parseInteger('--port', options.port);
    const onListening = (own: string) =>
      console.error(`Give this URL to the client: ${own}\n${ends(options.for)}`);
    const allowHosts = options.allowHost.map(name => name.toLowerCase());
    return watchHttp({
      ...common,
      transport,
      url,
      port,
      allowHosts,
      onListening,
      until: enough(options.for),
    });
  }
}

const ends = (seconds: string | undefined): string =>
  seconds === undefined
    ? 'Press Ctrl-C to stop and print the report.'
    : `Stops after ${seconds} s and prints the report.`;

/** Resolves after the given time or a signal. */
function enough(seconds: string | undefined): Promise<void> {
  const ms = seconds === undefined ? undefined : parsePositive('--for', seconds) * 1000;
  return new Promise(resolve => {
    const timer = ms === undefined ? undefined : setTimeout(resolve, ms);
    const stop = () => {
      clearTimeout(timer);
      resolve();
    };
    handleSignals(stop);
  });
}
