/** `mcp-conform gateway`: a client before a gateway and a server behind it, both recorded, judged and compared. */

import type { Command } from 'commander';
import {
  definedRevisions,
  findDefinedRevision,
  latestRevision,
  latestStateless,
  type Revision,
  type TransportId,
} from '../../../spec/revisions.js';
import { matches, parsePattern, UsageError } from '../../report/pattern.js';
import { shellQuote } from '../../report/reproduce.js';
import type { Address } from '../../transports/link.js';
import {
  collect,
  environmentHelp,
  parseChoice,
  parseEnvironment,
  parseFolder,
  parseOffered,
  parsePositive,
  requireUrlWithPort,
} from '../arguments.js';
import { examples, withReportOptions } from '../common.js';
import type { Outcome } from '../outcome.js';
import type { OutputOptions } from '../output.js';
import { handleSignals } from '../signals.js';

interface GatewayCommandOptions extends OutputOptions {
  url?: string;
  front?: string;
  back: string;
  revision: string;
  behind?: string;
  run: string[];
  timeout?: string;
  cwd?: string;
  env: string[];
}

const names: Readonly<Record<string, TransportId>> = { stdio: 'stdio', http: 'streamable-http' };

export function gatewayCommand(program: Command, outcome: Outcome): void {
  const command = program
    .command('gateway')
    .summary('test a proxy between a client and a server: mcp-conform gateway -- <command> {server}')
    .description(
      'Tests a gateway: sends messages of every kind through it to a server of mcp-conform, judges its messages to both ' +
        'sides, and compares them. In the command, {server} is replaced by the URL of that server, with --back stdio by ' +
        'the words of its command; {port} in --url and in the command by a free port. The variables MCP_CONFORM_URL and ' +
        'MCP_CONFORM_COMMAND (a JSON array) contain the same.',
    )
    .argument('[command...]', 'the command that starts the gateway')
    .passThroughOptions()
    .addHelpText(
      'before',
      examples([
        'mcp-conform gateway -- npx -y mcp-remote {server}',
        'mcp-conform gateway --back stdio --url http://127.0.0.1:{port}/mcp -- my-gateway --port {port} -- {server}',
        'mcp-conform gateway -- npx mcp-conform mock gateway {server}',
      ]),
    )
    .option('--url <url>', 'where the gateway answers over HTTP; {port} is a free port')
    .option('--front <transport>', 'between client and gateway: stdio, or http (the default with --url)')
    .option('--back <transport>', 'between gateway and server: http or stdio', 'http')
    .option('--revision <date>', 'a dated revision, `latest` (the newest of each era) or `all`', 'latest')
    .option(
      '--behind <date>',
      'the only revision of the server behind the gateway, for gateways that translate',
    )
    .option('--run <pattern>', 'run only these cases (repeatable)', collect, [])
    .option('--timeout <seconds>', 'longest wait for a response', '10')
    .option('--cwd <folder>', 'working directory of the gateway (default: the current one)')
    .option('--env <NAME=value>', environmentHelp, collect, [])
    .option('--strict', 'SHOULD violations also fail the run');
  withReportOptions(command).action(async (words: string[], options: GatewayCommandOptions) => {
    outcome.exitCode = await gateway(words, options);
  });
}

async function gateway(command: readonly string[], options: GatewayCommandOptions): Promise<number> {
  if (command.length === 0)
    throw new UsageError(
      'no gateway given. Write its command after --, as in: mcp-conform gateway -- my-gateway {server}',
    );
  const front =
    names[parseChoice('--front', options.front ?? (options.url ? 'http' : 'stdio'), ['stdio', 'http'])]!;
  const back = names[parseChoice('--back', options.back, ['stdio', 'http'])]!;
  if (front === 'stdio' && options.url !== undefined)
    throw new UsageError('--front stdio and --url exclude each other.');
  if (front !== 'stdio' && options.url === undefined)
    throw new UsageError('--front http needs the --url of the gateway.');
  if (options.url !== undefined) requireUrlWithPort(options.url);
  const revisions = revisionsOf(options.revision);
  const behind = options.behind === undefined ? undefined : [parseOffered(options.behind)];
  const patterns = options.run.map(parsePattern);
  const timeout = parsePositive('--timeout', options.timeout ?? '10') * 1000;
  const cwd = options.cwd === undefined ? undefined : parseFolder('--cwd', options.cwd);
  const env = parseEnvironment(options.env);
  const { gatewayComparison, gatewaySteps } = await import('../../../suites/gateway/index.js');
  const { serverBehind } = await import('../../../mocks/gateway/reference-server.js');
  const { suite } = await import('../../../suites/index.js');
  const { runGateway } = await import('../../run/gateway/run.js');
  const { freePort } = await import('../../run/free-port.js');
  const { defaultTiming } = await import('../../time/timing.js');
  const { spawn, url } = await import('../../subject/subject.js');
  const { Output } = await import('../output.js');
  const port = [...command, options.url ?? ''].some(word => word.includes('{port}'))
    ? String(await freePort())
    : '';
  const stopped = new AbortController();
  handleSignals(() => stopped.abort('the run was stopped by a signal'));
  const subject = (address: Address) => {
    const words = command.flatMap(word => filled(word.replaceAll('{port}', port), address));
    const own =
      'url' in address
        ? { MCP_CONFORM_URL: address.url }
        : { MCP_CONFORM_COMMAND: JSON.stringify('command' in address ? address.command : []) };
    const [file = '', ...args] = words;
    const process = spawn(file, args, { ...(cwd && { cwd }), env: { ...own, ...env } });
    return options.url === undefined ? process : url(options.url.replaceAll('{port}', port), { process });
  };
  const run = runGateway({
    rules: suite.rules,
    steps: gatewaySteps,
    comparison: gatewayComparison,
    gateway: subject,
    server: serverBehind(undefined, behind),
    front,
    back,
    revisions,
    place: { command, url: options.url ?? null, ...(cwd && { cwd }) },
    strict: options.strict ?? false,
    timing: { ...defaultTiming, answer: timeout },
    ...(patterns.length > 0 && {
      selected: (name: string) => patterns.some(pattern => matches(pattern, name)),
    }),
    options: optionsIn(options),
    interrupt: stopped.signal,
  });
  return new Output(options).consume(run, { handlesSignals: true });
}

/** The options to repeat in the command that reproduces a finding. */
const optionsIn = ({ back, revision, behind }: GatewayCommandOptions): string[] => [
  ...(back === 'http' ? [] : ['--back', back]),
  ...(revision === 'latest' ? [] : ['--revision', revision]),
  ...(behind === undefined ? [] : ['--behind', behind]),
];

/** The newest of each era, newest first. @throws UsageError for an unknown revision */
function revisionsOf(text: string): readonly Revision[] {
  if (text === 'latest') return [latestStateless, latestRevision];
  if (text === 'all') return [...definedRevisions].reverse();
  return [findDefinedRevision(parseOffered(text))!];
}

/** A word of the command with the address of the server; over stdio, the word `{server}` becomes several. */
function filled(word: string, address: Address): string[] {
  if ('url' in address) return [word.replaceAll('{server}', address.url)];
  const command = 'command' in address ? address.command : [];
  if (word === '{server}') return [...command];
  return [word.replaceAll('{server}', command.map(shellQuote).join(' '))];
}
