/** `mcp-conform server`: tests a server. */

import type { Command } from 'commander';
import type { Credentials } from '../../oauth/login.js';
import { UsageError } from '../../report/pattern.js';
import type { RunOptions, ServerTarget } from '../../run/server/options.js';
import type { CallTools } from '../../run/server/probe.js';
import { defaultRuns } from '../../scenario/generation.js';
import { roles } from '../../scenario/tool-roles.js';
import { startEarly } from '../../subject/early-start.js';
import {
  collect,
  environmentHelp,
  parseChoice,
  parseClients,
  parseExtensions,
  parseFixtures,
  parseInteger,
  parseLogin,
  parsePositive,
  parseRevision,
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
import { isSafe } from '../safe.js';

interface ServerOptions extends TestOptions {
  revision: string;
  url: string[];
  transport: string[];
  header: string[];
  extension: string[];
  bearerToken?: string;
  secondBearerToken?: string;
  expiredToken?: string;
  foreignToken?: string;
  weakBearerToken?: string;
  login?: string;
  clientId?: string;
  clientSecret?: string;
  redirectUri?: string;
  fixtures?: boolean;
  fixture: string[];
  callTools: string;
  runs?: string;
  path?: string;
  jobs?: string;
  allowExternal?: boolean;
  safe?: boolean;
  register?: boolean;
  cwd?: string;
  env: string[];
}

const callPolicies: readonly CallTools[] = ['fixtures', 'read-only', 'all', 'none'];

export function serverCommand(program: Command, outcome: Outcome): void {
  const server = program
    .command('server')
    .summary('test a server: mcp-conform server -- <command> [args…]')
    .description(
      'Tests a server: on stdio, or at a URL. The command after -- is started unchanged, without a shell.',
    )
    .argument(
      '[command...]',
      'the command that starts the server; not needed with the --url of a running server',
    )
    .passThroughOptions()
    .addHelpText(
      'before',
      examples([
        'mcp-conform server -- node server.js',
        'mcp-conform server --url http://127.0.0.1:3000/mcp -- node server.js',
        'mcp-conform server --run tools --verbose -- uv run my-server',
        'mcp-conform server --safe --url https://mcp.example.com/mcp',
      ]),
    )
    .optionsGroup('Target:')
    .option(
      '--revision <date>',
      'a dated revision, `latest` (the newest that the server offers) or `all`',
      'latest',
    )
    .option('--url <url>', 'URL of the server over HTTP', collect, [])
    .option(
      '--transport <name>',
      'stdio, streamable-http (the default with --url) or http-sse; repeat it, with a --url for each HTTP transport, to test and compare several',
      collect,
      [],
    )
    .option('--header <name: value>', 'header of every HTTP request (repeatable)', collect, [])
    .option(
      '--extension <identifier>',
      'an extension that the server has without declaring it, such as io.modelcontextprotocol/auth/dpop',
      collect,
      [],
    )
    .option('--cwd <folder>', 'working directory of the server (default: the current one)')
    .option('--env <NAME=value>', environmentHelp, collect, [])
    .optionsGroup('Authorization:')
    .option('--bearer-token <token>', 'bearer token of every HTTP request (also: MCP_CONFORM_BEARER_TOKEN)')
    .option('--second-bearer-token <token>', 'token of another user, to test the separation of sessions')
    .option('--expired-token <token>', 'an expired token')
    .option('--foreign-token <token>', 'a token issued for another service')
    .option(
      '--weak-bearer-token <token>',
      'token without the scope required by the tool given as --fixture privileged=…',
    )
    .option(
      '--login <name=value,…>',
      'without a token: input for login pages to get one: user=alice,password=…',
    )
    .option(
      '--client-id <id>',
      'ID of a client registered at the authorization server (default: dynamic registration)',
    )
    .option('--client-secret <secret>', 'secret of this client (default: public client)')
    .option('--redirect-uri <uri>', 'redirect URI registered for this client; nothing needs to listen there')
    .option(
      '--register',
      'register a client at any authorization server (default: only on this host, or with --login)',
    )
    .option('--no-register', 'register no client at the authorization server')
    .option(
      '--allow-external',
      'also request private, link-local and loopback addresses that the metadata of the server names',
    )
    .optionsGroup('Tools and generated values:')
    .option(
      '--safe',
      'for servers in production: only valid requests that read; no tool calls, no generated values, no registration',
    )
    .option('--fixtures', 'the server implements the well-known fixtures; a missing fixture is inconclusive')
    .option(
      '--fixture <role=tool>',
      `tool of the server for a role (${roles.join(', ')}), with arguments as in slow=wait:{"s":1} (repeatable)`,
      collect,
      [],
    )
    .option('--call-tools <which>', callPolicies.join(', '), 'read-only')
    .option(
      '--runs <n>',
      `number of generated values for each property (default ${defaultRuns}); 0 generates none`,
    )
    .option(
      '--path <path>',
      'only the generated value at this path; the finding gives the path and its --seed',
    )
    .option('--jobs <n>', 'number of concurrent conversations besides the shared one');
  withTestOptions(server, true).action(async (command: string[], options: ServerOptions) => {
    outcome.exitCode = await testServer(command, options);
  });
}

async function testServer(command: readonly string[], options: ServerOptions): Promise<number> {
  const { chooseSubject, repeatedSubject } = await import('../subject.js');
  const { Output } = await import('../output.js');
  const [chosen, ...further] = chooseSubject(command, options);
  const common = await testOptions(options, 'server', [...repeated(options), ...repeatedSubject(options)]);
  const own = ownOptions(options);
  const output = new Output(options);
  const first = choosesCases(options) ? chosen : withEarlyStart(chosen);
  const { serverSuite: suite } = await import('../../../suites/server/index.js');
  const { run } = await import('../../run/server/run.js');
  const { confirming } = await import('../../run/confirm.js');
  const over = [first, ...further].map(a => a.transport);
  const cases = suiteOptions(options, { suite, role: 'server', over });
  const whole: RunOptions = {
    ...common,
    ...cases,
    ...(options.safe && onlySafe(cases)),
    ...own,
    interrupt: output.interrupt,
    ...first,
    further,
  };
  const limits = options.safe ? undefined : confirmLimits(options);
  return output.consume(
    limits ? confirming(run(whole), part => run({ ...whole, ...partOf(part) }), limits) : run(whole),
  );
}

/** The options of this command alone. */
const ownOptions = (options: ServerOptions) => ({
  credentials: credentials(options),
  ...(options.extension.length > 0 && { extensions: parseExtensions(options.extension) }),
  revision: parseRevision(options.revision),
  fixtures: options.fixtures ?? false,
  ownTools: parseFixtures(options.fixture),
  callTools: options.safe ? 'none' : parseChoice('--call-tools', options.callTools, callPolicies),
  ...(options.safe
    ? { runs: 0 }
    : options.runs !== undefined && { runs: parseInteger('--runs', options.runs) }),
  ...(options.path !== undefined && { path: parsePath(options.path, options.seed) }),
  ...(options.jobs && { jobs: parsePositive('--jobs', options.jobs) }),
});

/** A command on stdio starts while the modules of the run are loaded. */
const withEarlyStart = (target: Required<ServerTarget>): Required<ServerTarget> =>
  'start' in target.subject ? { ...target, subject: startEarly(target.subject) } : target;

/** The safe cases among those that are selected. */
const onlySafe = ({ selected = () => true }: Pick<RunOptions, 'selected'>): Pick<RunOptions, 'selected'> => ({
  selected: name => isSafe(name) && selected(name),
});

/** A path is only valid together with its seed. */
function parsePath(path: string, seed: string | undefined): string {
  if (!/^\d+(:\d+)*$/.test(path))
    throw new UsageError(`--path takes numbers separated by colons, as in 3:0:1, not "${path}".`);
  if (seed === undefined || seed === 'random')
    throw new UsageError('--path needs the --seed of the same finding.');
  return path;
}

const tokenOptions = ['secondBearerToken', 'expiredToken', 'foreignToken', 'weakBearerToken'] as const;

function credentials(options: ServerOptions): Credentials {
  const { secondBearerToken: second, expiredToken: expired, foreignToken: foreign, login } = options;
  const { weakBearerToken: weak, clientId, clientSecret: secret, redirectUri } = options;
  if (
    options.url.length === 0 &&
    (login ?? clientId ?? tokenOptions.find(name => options[name])) !== undefined
  )
    throw new UsageError('tokens, --login and --client-id need a --url.');
  const [client] =
    clientId === undefined ? [] : parseClients([clientId], secret === undefined ? [] : [secret], redirectUri);
  return {
    tokens: {
      ...(second !== undefined && { second }),
      ...(expired !== undefined && { expired }),
      ...(foreign !== undefined && { foreign }),
      ...(weak !== undefined && { weak }),
    },
    ...(login !== undefined && { login: parseLogin(login) }),
    ...(client && { client }),
    ...(options.safe
      ? { mayRegister: false }
      : options.register !== undefined && { mayRegister: options.register }),
  };
}

/** Options that a replay of a finding needs. */
const repeated = (options: ServerOptions): string[] => [
  ...[...tokenOptions, 'login' as const, 'clientSecret' as const].flatMap(name =>
    options[name] === undefined ? [] : [`--${name.replace(/[A-Z]/g, c => `-${c.toLowerCase()}`)}`, '…'],
  ),
  ...(options.clientId === undefined ? [] : ['--client-id', options.clientId]),
  ...(options.redirectUri === undefined ? [] : ['--redirect-uri', options.redirectUri]),
  ...options.extension.flatMap(identifier => ['--extension', identifier]),
  ...(options.safe ? ['--safe'] : []),
  ...(options.register === undefined ? [] : [options.register ? '--register' : '--no-register']),
  ...(options.fixtures ? ['--fixtures'] : []),
  ...options.fixture.flatMap(text => ['--fixture', text]),
  ...(options.callTools === 'read-only' ? [] : ['--call-tools', options.callTools]),
  ...(options.runs === undefined ? [] : ['--runs', options.runs]),
];
