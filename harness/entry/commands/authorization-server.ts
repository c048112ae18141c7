/** `mcp-conform authorization-server`: tests an OAuth authorization server. */

import type { Command } from 'commander';
import type { DocumentPlace } from '../../oauth/client-documents.js';
import { UsageError } from '../../report/pattern.js';
import { collect, parseClients, parseInteger, parseLogin, parseRevision } from '../arguments.js';
import type { Outcome } from '../cli.js';
import { type TestOptions, testOptions, withTestOptions } from '../common.js';

interface AuthorizationServerCommandOptions extends TestOptions {
  issuer?: string;
  revision: string;
  clientId: string[];
  clientSecret: string[];
  redirectUri?: string;
  login?: string;
  resource?: string;
  scope?: string;
  thirdParty?: string;
  cimdBaseUrl?: string;
  cimdPort?: string;
  asActive?: boolean;
  long?: boolean;
}

export function authorizationServerCommand(program: Command, outcome: Outcome): void {
  const command = program
    .command('authorization-server')
    .summary('test an OAuth authorization server: mcp-conform authorization-server --issuer <url>')
    .description(
      'Tests an authorization server as MCP servers name them: metadata, registration, PKCE, redirect URIs, codes, refresh. ' +
        'Its pages are filled in and agreed to without a screen.',
    )
    .option('--issuer <url>', 'the issuer identifier, as protected resource metadata names it')
    .option('--revision <date>', 'a dated revision, `latest` or `all` that have authorization', 'latest')
    .option('--client-id <id>', 'a client it knows; twice for two (default: they register)', collect, [])
    .option('--client-secret <secret>', 'of that client; in the same order (default: public)', collect, [])
    .option('--redirect-uri <uri>', 'of those clients; nobody listens there')
    .option('--login <name=value,…>', 'what is typed into login pages: user=alice,password=…')
    .option('--resource <url>', 'what tokens are asked for (default: something at its own origin)')
    .option('--scope <scopes>', 'what is asked for (default: by its metadata)')
    .option(
      '--third-party <url>',
      'the authorization server it is a proxy for, with one client ID there for all its own',
    )
    .option('--cimd-base-url <url>', 'https address under which it can get client metadata documents of ours')
    .option('--cimd-port <port>', 'port on loopback that requests for them are brought to, over plain http')
    .option('--as-active', 'attacks are allowed although it is not on this host')
    .option('--long', 'with checks that take many minutes');
  withTestOptions(command).action(async (options: AuthorizationServerCommandOptions) => {
    outcome.exitCode = await testAuthorizationServer(options);
  });
}

async function testAuthorizationServer(options: AuthorizationServerCommandOptions): Promise<number> {
  const issuer = parseUrl('--issuer', options.issuer);
  const { login, resource, scope, asActive, long } = options;
  const thirdParty =
    options.thirdParty === undefined ? undefined : parseUrl('--third-party', options.thirdParty);
  if (resource !== undefined) parseUrl('--resource', resource);
  const documents = parsePlace(options);
  const clients = parseClients(options.clientId, options.clientSecret, options.redirectUri);
  const { suite } = await import('../../../suites/index.js');
  const { runAuthorizationServer } = await import('../../run/authorization-server/run.js');
  const { Output } = await import('../output.js');
  const place = { suite, role: 'authorization-server', over: ['streamable-http'] } as const;
  const common = await testOptions(options, place, repeated(options));
  return new Output(options).consume(
    runAuthorizationServer({
      ...common,
      revision: parseRevision(options.revision),
      subject: {
        issuer,
        ...(clients.length > 0 && { clients }),
        ...(login !== undefined && { login: parseLogin(login) }),
        ...(resource !== undefined && { resource }),
        ...(scope !== undefined && { scope }),
        ...(documents && { documents }),
        ...(thirdParty && { thirdParty }),
        ...(asActive && { mayAttack: true }),
        ...(long && { long }),
      },
    }),
  );
}

function parseUrl(option: string, text: string | undefined): URL {
  if (text === undefined)
    throw new UsageError(
      `${option} is missing: the URL of the authorization server, such as http://127.0.0.1:9000.`,
    );
  if (!URL.canParse(text) || !/^https?:$/.test(new URL(text).protocol))
    throw new UsageError(`${option} takes an absolute http(s) URL, not "${text}".`);
  return new URL(text);
}

/** Where client documents are, from outside and from here. */
function parsePlace({ cimdBaseUrl, cimdPort }: AuthorizationServerCommandOptions): DocumentPlace | undefined {
  if (cimdBaseUrl === undefined && cimdPort === undefined) return undefined;
  if (cimdBaseUrl === undefined || cimdPort === undefined)
    throw new UsageError(
      '--cimd-base-url and --cimd-port go together: what is asked for at one arrives at the other.',
    );
  const base = parseUrl('--cimd-base-url', cimdBaseUrl);
  if (base.protocol !== 'https:')
    throw new UsageError(`--cimd-base-url takes an https URL, as client IDs are, not "${cimdBaseUrl}".`);
  return { base, port: parseInteger('--cimd-port', cimdPort) };
}

/** What has to be given again when a finding is replayed; secrets stay out of reports. */
const repeated = (options: AuthorizationServerCommandOptions): string[] => [
  ...options.clientId.flatMap(id => ['--client-id', id]),
  ...options.clientSecret.flatMap(() => ['--client-secret', '…']),
  ...(options.redirectUri === undefined ? [] : ['--redirect-uri', options.redirectUri]),
  ...(options.login === undefined ? [] : ['--login', '…']),
  ...(options.resource === undefined ? [] : ['--resource', options.resource]),
  ...(options.scope === undefined ? [] : ['--scope', options.scope]),
  ...(options.thirdParty === undefined ? [] : ['--third-party', options.thirdParty]),
  ...(options.cimdBaseUrl === undefined ? [] : ['--cimd-base-url', options.cimdBaseUrl]),
  ...(options.cimdPort === undefined ? [] : ['--cimd-port', options.cimdPort]),
  ...(options.asActive ? ['--as-active'] : []),
  ...(options.long ? ['--long'] : []),
];
