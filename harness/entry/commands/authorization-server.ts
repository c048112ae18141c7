/** `mcp-conform authorization-server`: tests an OAuth authorization server. */

import type { Command } from 'commander';
import type { DocumentPlace } from '../../oauth/client-documents.js';
import { UsageError } from '../../report/pattern.js';
import {
  collect,
  parseClients,
  parseExtensions,
  parseIdentityProvider,
  parseInteger,
  parseLogin,
  parseMachine,
  parseRevision,
} from '../arguments.js';
import { examples, suiteOptions, type TestOptions, testOptions, withTestOptions } from '../common.js';
import type { Outcome } from '../outcome.js';

interface AuthorizationServerCommandOptions extends TestOptions {
  issuer?: string;
  revision: string;
  clientId: string[];
  clientSecret: string[];
  redirectUri?: string;
  credentialsClient?: string;
  credentialsSecret?: string;
  credentialsKey?: string;
  idpIssuer?: string;
  idpKey?: string;
  extension: string[];
  login?: string;
  resource?: string;
  scope?: string;
  thirdParty?: string;
  cimdBaseUrl?: string;
  cimdPort?: string;
  asActive?: boolean;
  allowExternal?: boolean;
  long?: boolean;
}

export function authorizationServerCommand(program: Command, outcome: Outcome): void {
  const command = program
    .command('authorization-server')
    .summary('test an OAuth authorization server: mcp-conform authorization-server --issuer <url>')
    .description(
      'Tests an authorization server used by MCP servers: metadata, registration, PKCE, redirect URIs, codes, refresh. ' +
        'The login and consent pages are filled in automatically, without a browser.',
    )
    .addHelpText('before', examples(['mcp-conform authorization-server --issuer http://127.0.0.1:9000']))
    .optionsGroup('Target:')
    .option('--issuer <url>', 'issuer identifier, as in the protected resource metadata')
    .option(
      '--revision <date>',
      'a dated revision, `latest` or `all`; only revisions with authorization',
      'latest',
    )
    .option(
      '--client-id <id>',
      'ID of a registered client; give two for two clients (default: dynamic registration)',
      collect,
      [],
    )
    .option(
      '--client-secret <secret>',
      'secret of the client at the same position (default: public client)',
      collect,
      [],
    )
    .option(
      '--redirect-uri <uri>',
      'redirect URI registered for these clients; nothing needs to listen there',
    )
    .option(
      '--credentials-client <id>',
      'client that gets tokens by its own credentials (grant client_credentials); default: none',
    )
    .option('--credentials-secret <secret>', 'its client secret')
    .option('--credentials-key <file>', 'its private key, as PEM or JWK')
    .option('--idp-issuer <url>', 'issuer of an identity provider whose ID-JAGs the server accepts')
    .option('--idp-key <file>', 'private key of this identity provider, as PEM or JWK')
    .option(
      '--extension <identifier>',
      'an extension that the server has without showing it, such as io.modelcontextprotocol/auth/dpop',
      collect,
      [],
    )
    .option('--login <name=value,…>', 'input for login pages: user=alice,password=…')
    .option('--resource <url>', "resource to request tokens for (default: a URL at the issuer's origin)")
    .option('--scope <scopes>', 'scopes to request (default: from the metadata)')
    .option(
      '--third-party <url>',
      'authorization server behind a proxy that uses one client ID there for all its clients',
    )
    .option('--cimd-base-url <url>', 'public https base URL of the client metadata documents of the harness')
    .option(
      '--cimd-port <port>',
      'loopback port that requests for this base URL are forwarded to, over plain http',
    )
    .option('--as-active', 'allow attack tests on a remote server')
    .option(
      '--allow-external',
      'also request private, link-local and loopback addresses that the metadata names',
    )
    .option('--long', 'include checks that take many minutes');
  withTestOptions(command).action(async (options: AuthorizationServerCommandOptions) => {
    outcome.exitCode = await testAuthorizationServer(options);
  });
}

async function testAuthorizationServer(options: AuthorizationServerCommandOptions): Promise<number> {
  const issuer = parseUrl('--issuer', options.issuer);
  const { login, resource, scope, asActive, allowExternal, long } = options;
  const thirdParty =
    options.thirdParty === undefined ? undefined : parseUrl('--third-party', options.thirdParty);
  if (resource !== undefined) parseUrl('--resource', resource);
  const documents = parsePlace(options);
  const clients = parseClients(options.clientId, options.clientSecret, options.redirectUri);
  const machine = await parseMachine(
    options.credentialsClient,
    options.credentialsSecret,
    options.credentialsKey,
  );
  const identityProvider = await parseIdentityProvider(options.idpIssuer, options.idpKey, machine);
  const { suite } = await import('../../../suites/index.js');
  const { runAuthorizationServer } = await import('../../run/authorization-server/run.js');
  const { Output } = await import('../output.js');
  const place = { suite, role: 'authorization-server', over: ['streamable-http'] } as const;
  const common = await testOptions(options, place.role, repeated(options));
  const output = new Output(options);
  return output.consume(
    runAuthorizationServer({
      ...common,
      ...suiteOptions(options, place),
      interrupt: output.interrupt,
      revision: parseRevision(options.revision),
      subject: {
        issuer,
        ...(clients.length > 0 && { clients }),
        ...(machine && { machine }),
        ...(identityProvider && { identityProvider }),
        ...(options.extension.length > 0 && { extensions: parseExtensions(options.extension) }),
        ...(login !== undefined && { login: parseLogin(login) }),
        ...(resource !== undefined && { resource }),
        ...(scope !== undefined && { scope }),
        ...(documents && { documents }),
        ...(thirdParty && { thirdParty }),
        ...(asActive && { mayAttack: true }),
        ...(allowExternal && { allowExternal }),
        ...(long && { long }),
      },
    }),
  );
}

function parseUrl(option: string, text: string | undefined): URL {
  if (text === undefined)
    throw new UsageError(
      `${option} is missing: give the URL of the authorization server, such as http://127.0.0.1:9000.`,
    );
  if (!URL.canParse(text) || !/^https?:$/.test(new URL(text).protocol))
    throw new UsageError(`${option} takes an absolute http(s) URL, not "${text}".`);
  return new URL(text);
}

/** The public and the local address of client documents. */
function parsePlace({ cimdBaseUrl, cimdPort }: AuthorizationServerCommandOptions): DocumentPlace | undefined {
  if (cimdBaseUrl === undefined && cimdPort === undefined) return undefined;
  if (cimdBaseUrl === undefined || cimdPort === undefined)
    throw new UsageError(
      '--cimd-base-url and --cimd-port are used together: requests to the URL are forwarded to the port.',
    );
  const base = parseUrl('--cimd-base-url', cimdBaseUrl);
  if (base.protocol !== 'https:')
    throw new UsageError(
      `--cimd-base-url takes an https URL, because client IDs are https URLs, not "${cimdBaseUrl}".`,
    );
  return { base, port: parseInteger('--cimd-port', cimdPort) };
}

/** Options that a replay of a finding needs; secrets stay out of reports. */
const repeated = (options: AuthorizationServerCommandOptions): string[] => [
  ...options.clientId.flatMap(id => ['--client-id', id]),
  ...options.clientSecret.flatMap(() => ['--client-secret', '…']),
  ...(options.redirectUri === undefined ? [] : ['--redirect-uri', options.redirectUri]),
  ...(options.credentialsClient === undefined ? [] : ['--credentials-client', options.credentialsClient]),
  ...(options.credentialsSecret === undefined ? [] : ['--credentials-secret', '…']),
  ...(options.credentialsKey === undefined ? [] : ['--credentials-key', options.credentialsKey]),
  ...(options.idpIssuer === undefined ? [] : ['--idp-issuer', options.idpIssuer]),
  ...(options.idpKey === undefined ? [] : ['--idp-key', options.idpKey]),
  ...options.extension.flatMap(identifier => ['--extension', identifier]),
  ...(options.login === undefined ? [] : ['--login', '…']),
  ...(options.resource === undefined ? [] : ['--resource', options.resource]),
  ...(options.scope === undefined ? [] : ['--scope', options.scope]),
  ...(options.thirdParty === undefined ? [] : ['--third-party', options.thirdParty]),
  ...(options.cimdBaseUrl === undefined ? [] : ['--cimd-base-url', options.cimdBaseUrl]),
  ...(options.cimdPort === undefined ? [] : ['--cimd-port', options.cimdPort]),
  ...(options.allowExternal ? ['--allow-external'] : []),
  ...(options.asActive ? ['--as-active'] : []),
  ...(options.long ? ['--long'] : []),
];
