/** `mcp-conform server`: tests a server. */

import type { Command } from 'commander';
import type { Credentials } from '../../oauth/login.js';
import { UsageError } from '../../report/pattern.js';
import type { CallTools } from '../../run/server/probe.js';
import { defaultRuns } from '../../scenario/generation.js';
import { roles } from '../../scenario/tool-roles.js';
import {
  collect,
  environmentHelp,
  parseChoice,
  parseClients,
  parseFixtures,
  parseInteger,
  parseLogin,
  parsePositive,
  parseRevision,
} from '../arguments.js';
import type { Outcome } from '../cli.js';
import { type TestOptions, testOptions, withTestOptions } from '../common.js';

interface ServerOptions extends TestOptions {
  revision: string;
  url: string[];
  transport: string[];
  header: string[];
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
  cwd?: string;
  env: string[];
}

const callPolicies: readonly CallTools[] = ['fixtures', 'read-only', 'all', 'none'];

export function serverCommand(program: Command, outcome: Outcome): void {
  const server = program
    .command('server')
    .summary('test a server: mcp-conform server -- <command> [args…]')
    .description(
      'Tests a server: on stdio, or at a URL. The command after -- is started as it is, never through a shell.',
    )
    .argument('[command...]', 'the command that starts the server; with --url it may be running already')
    .passThroughOptions()
    .option('--revision <date>', 'a dated revision, `latest` (the newest it offers) or `all`', 'latest')
    .option('--url <url>', 'where the server answers over HTTP', collect, [])
    .option(
      '--transport <name>',
      'stdio, streamable-http (the default with --url) or http-sse; repeated, with a --url for each of HTTP, all are tested and compared',
      collect,
      [],
    )
    .option('--header <name: value>', 'sent with every HTTP request (repeatable)', collect, [])
    .option('--bearer-token <token>', 'the same for authorization (also: MCP_CONFORM_BEARER_TOKEN)')
    .option('--second-bearer-token <token>', 'of another user, to see that sessions are kept apart')
    .option('--expired-token <token>', 'one that was good once')
    .option('--foreign-token <token>', 'one of another service')
    .option(
      '--weak-bearer-token <token>',
      'one that does not do for the tool named by --fixture privileged=…',
    )
    .option('--login <name=value,…>', 'without a token: what is typed into login pages to get one')
    .option('--client-id <id>', 'a client its authorization server knows (default: it registers)')
    .option('--client-secret <secret>', 'of that client (default: public)')
    .option('--redirect-uri <uri>', 'of that client; nobody listens there')
    .option('--fixtures', 'the server claims the well-known fixtures; a missing one is inconclusive')
    .option(
      '--fixture <role=tool>',
      `a tool of the server for a role (${roles.join(', ')}), with arguments as in slow=wait:{"s":1} (repeatable)`,
      collect,
      [],
    )
    .option('--call-tools <which>', callPolicies.join(', '), 'read-only')
    .option('--runs <n>', `generated values for each property (default ${defaultRuns}); 0 switches them off`)
    .option('--path <path>', 'only the generated value at this place, as a finding gives it with its --seed')
    .option('--jobs <n>', 'conversations that may run at once beside the shared one')
    .option('--cwd <folder>', 'working directory of the server (default: this one)')
    .option('--env <NAME=value>', environmentHelp, collect, []);
  withTestOptions(server).action(async (command: string[], options: ServerOptions) => {
    outcome.exitCode = await testServer(command, options);
  });
}

async function testServer(command: readonly string[], options: ServerOptions): Promise<number> {
  const { serverSuite: suite } = await import('../../../suites/server/index.js');
  const { chooseSubject, repeatedSubject } = await import('../subject.js');
  const [first, ...further] = chooseSubject(command, options);
  const { run } = await import('../../run/server/run.js');
  const { Output } = await import('../output.js');
  const again = [...repeated(options), ...repeatedSubject(options)];
  const common = await testOptions(
    options,
    { suite, role: 'server', over: [first, ...further].map(a => a.transport) },
    again,
  );
  return new Output(options).consume(
    run({
      ...common,
      ...first,
      further,
      credentials: credentials(options),
      revision: parseRevision(options.revision),
      fixtures: options.fixtures ?? false,
      ownTools: parseFixtures(options.fixture),
      callTools: parseChoice('--call-tools', options.callTools, callPolicies),
      ...(options.runs !== undefined && { runs: parseInteger('--runs', options.runs) }),
      ...(options.path !== undefined && { path: parsePath(options.path, options.seed) }),
      ...(options.jobs && { jobs: parsePositive('--jobs', options.jobs) }),
    }),
  );
}

/** Means nothing without the seed it was found with. */
function parsePath(path: string, seed: string | undefined): string {
  if (!/^\d+(:\d+)*$/.test(path))
    throw new UsageError(`--path takes numbers with colons between them, as in 3:0:1, not "${path}".`);
  if (seed === undefined || seed === 'random')
    throw new UsageError('--path goes with the --seed of the same finding.');
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
    throw new UsageError('tokens and --login are for servers at a --url.');
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
  };
}

/** What has to be given again when a finding is replayed. */
const repeated = (options: ServerOptions): string[] => [
  ...[...tokenOptions, 'login' as const, 'clientSecret' as const].flatMap(name =>
    options[name] === undefined ? [] : [`--${name.replace(/[A-Z]/g, c => `-${c.toLowerCase()}`)}`, '…'],
  ),
  ...(options.clientId === undefined ? [] : ['--client-id', options.clientId]),
  ...(options.redirectUri === undefined ? [] : ['--redirect-uri', options.redirectUri]),
  ...(options.fixtures ? ['--fixtures'] : []),
  ...options.fixture.flatMap(text => ['--fixture', text]),
  ...(options.callTools === 'read-only' ? [] : ['--call-tools', options.callTools]),
  ...(options.runs === undefined ? [] : ['--runs', options.runs]),
];
