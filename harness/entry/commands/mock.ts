/** `mcp-conform mock`: the reference mocks, conforming or with faults on demand. */

import type { Command } from 'commander';
import type { MockHttp } from '../../../mocks/server/http.js';
import type { PlainOptions } from '../../../mocks/server/options.js';
import type { MockServer } from '../../../mocks/server/server.js';
import type { Event } from '../../record/event.js';
import { UsageError } from '../../report/pattern.js';
import {
  collect,
  parseChoice,
  parseInteger,
  parseOffered,
  readGivenPieces,
  unknownName,
} from '../arguments.js';
import type { Outcome } from '../outcome.js';
import { mockClientCommand } from './mock-client.js';
import { mockGatewayCommand } from './mock-gateway.js';

interface MockOptions {
  port?: string;
  path?: string;
  answers?: string;
  sessions: boolean;
  polling?: boolean;
  auth?: boolean;
  dpop?: boolean;
  fault: string[];
  quirk: string[];
  revisions?: string;
  seed?: string;
  replay?: string;
}

export function mockCommand(program: Command, outcome: Outcome): void {
  const mock = program
    .command('mock')
    .summary('run a reference server, client, gateway or authorization server');
  mock
    .command('server')
    .summary('run a conforming server on stdio or HTTP, with faults on demand')
    .option('--stdio', 'serve on standard input and output (the default)')
    .option(
      '--port <n>',
      'serve over HTTP on this port of 127.0.0.1, 0 for any; the URLs are printed on standard error',
    )
    .option('--path <path>', 'path of the MCP endpoint; the older transport is at `sse` next to it', '/mcp')
    .option('--answers <form>', 'over HTTP: sse, or json where one response is enough', 'sse')
    .option('--no-sessions', 'over HTTP: no session ids, each POST is independent')
    .option('--polling', 'over HTTP: close the connections of slow calls, so that the client reconnects')
    .option('--auth', 'over HTTP: require a token; an authorization server runs on the same port')
    .option('--dpop', 'with --auth: bind tokens to keys (io.modelcontextprotocol/auth/dpop)')
    .option('--fault <id>', 'add this deviation (repeatable; see: mcp-conform list faults)', collect, [])
    .option(
      '--quirk <id>',
      'add this unusual but valid behaviour (repeatable; see: mcp-conform list quirks)',
      collect,
      [],
    )
    .option('--revisions <list>', 'offered revisions, separated by commas (default: all)')
    .option('--seed <n>', 'seed for generated data')
    .option(
      '--replay <run.jsonl>',
      'on stdio: send again what the server of a recorded run sent, in place of the mock',
    )
    .action(async (options: MockOptions) => {
      outcome.exitCode = await serve(options);
    });
  mockClientCommand(mock, outcome);
  mockGatewayCommand(mock, outcome);
  mock
    .command('authorization-server')
    .summary('run a conforming authorization server on this host, with faults on demand')
    .option(
      '--port <n>',
      'serve on this port of 127.0.0.1, 0 for any; the issuer is printed on standard error',
      '0',
    )
    .option('--path <path>', 'path of the issuer, such as /tenant; default none', '')
    .option('--fault <id>', 'add this deviation (repeatable; see: mcp-conform list faults)', collect, [])
    .option(
      '--quirk <id>',
      'add this unusual but valid behaviour (repeatable; see: mcp-conform list quirks)',
      collect,
      [],
    )
    .option('--dpop', 'bind tokens to keys (io.modelcontextprotocol/auth/dpop)')
    .action(async (options: AuthorizationMockOptions) => {
      outcome.exitCode = await serveAuthorization(options);
    });
}

interface AuthorizationMockOptions {
  port: string;
  path: string;
  dpop?: boolean;
  fault: string[];
  quirk: string[];
}

async function serveAuthorization({
  port,
  path,
  dpop = false,
  fault,
  quirk,
}: AuthorizationMockOptions): Promise<number> {
  if (path !== '' && !/^(\/[^/?#]+)+$/.test(path))
    throw new UsageError(
      `--path takes a path that begins with "/" and does not end with "/", not "${path}".`,
    );
  const { mockAuthorizationServer } = await import('../../../mocks/authorization-server/server.js');
  const { authorizationFaults } = await import(
    '../../../mocks/authorization-server/faults/authorization-server.js'
  );
  const { authorizationQuirks } = await import('../../../mocks/authorization-server/quirks/index.js');
  const { dpopFaults } = await import('../../../mocks/authorization-server/faults/ext-dpop.js');
  const { dpopQuirks } = await import('../../../mocks/authorization-server/quirks/ext-dpop.js');
  const deviations = [
    ...fault.map(id => find('fault', [...authorizationFaults, ...dpopFaults], id)),
    ...quirk.map(id => find('quirk', [...authorizationQuirks, ...dpopQuirks], id)),
  ];
  const mock = mockAuthorizationServer({ path, dpop, policy: deviations.map(d => d.policy), mints: true });
  console.error(`issuer: ${mock.issuerAt(await listen(mock.fetch, port))}`);
  return new Promise(() => {});
}

function find<D extends { id: string }>(what: 'fault' | 'quirk', all: readonly D[], id: string): D {
  const found = all.find(one => one.id === id);
  if (found) return found;
  const ids = all.map(one => one.id);
  throw unknownName(what, id, ids, `See: mcp-conform list ${what}s`);
}

/** Serves on a port of this host; returns the origin: scheme, host and port. */
async function listen(
  handler: (request: Request) => Promise<Response>,
  port: string,
  hostname = '127.0.0.1',
): Promise<string> {
  const { host } = await import('../../../mocks/host.js');
  const options = { port: parseInteger('--port', port), hostname };
  const served = await host(handler, options).catch((error: Error) => {
    throw new UsageError(`--port ${port} is not available: ${error.message}.`);
  });
  return served.origin;
}

/** The server of a recorded run: a defect becomes a regression test without the server. */
async function replay(file: string, options: MockOptions): Promise<number> {
  if (options.port !== undefined || options.fault.length + options.quirk.length > 0)
    throw new UsageError('--replay works on stdio, and takes no --port, --fault and --quirk.');
  const { readRun } = await import('../../../reports/jsonl.js');
  const { recordOf, serveRecord } = await import('../../../mocks/server/replay.js');
  const events: Event[] = [];
  for await (const event of readRun(readGivenPieces(file))) {
    if (event.kind === 'run-start' && event.role !== 'server' && event.role !== 'watch')
      throw new UsageError(`--replay: "${file}" is a run of a ${event.role}, not of a server.`);
    if (event.kind === 'wire') events.push(event.event);
  }
  const record = recordOf(events);
  return serveStdio(streams => serveRecord(streams, record));
}

async function serve(options: MockOptions): Promise<number> {
  if (options.replay !== undefined) return replay(options.replay, options);
  const plain = {
    ...(options.revisions && { revisions: options.revisions.split(',').map(parseOffered) }),
    ...(options.seed && { seed: parseInteger('--seed', options.seed) }),
  };
  const deviates = options.fault.length + options.quirk.length > 0;
  if (options.port === undefined && !deviates) return serveStdio(await plainServer(plain));
  if (options.auth && options.port === undefined)
    throw new UsageError('--auth needs a --port: authorization is not possible over stdio.');
  const { mockServer } = await import('../../../mocks/server/server.js');
  const door = options.auth ? await doorOf(options) : undefined;
  const server = mockServer({
    ...plain,
    faults: [...(await known('fault', door?.otherFaults ?? options.fault)), ...(door?.behind ?? [])],
    quirks: await known('quirk', door?.otherQuirks ?? options.quirk),
  });
  if (options.port === undefined) return serveStdio(server.serve);
  return serveHttp(server, options, options.port, door?.protect);
}

/** The authentication gate of the server: deviations of the gate and of its authorization server. */
async function doorOf({ fault, quirk, dpop = false }: MockOptions) {
  const { gateFaults, gateQuirks } = await import('../../../mocks/authorization-server/faults/gate.js');
  const { dpopGateFaults, dpopGateQuirks } = await import(
    '../../../mocks/authorization-server/faults/ext-dpop-gate.js'
  );
  const { authorizationFaults } = await import(
    '../../../mocks/authorization-server/faults/authorization-server.js'
  );
  const { authorizationQuirks } = await import('../../../mocks/authorization-server/quirks/index.js');
  const { protectedMock } = await import('../../../mocks/authorization-server/protected-server.js');
  const named = [...fault, ...quirk];
  const gate = [...gateFaults, ...gateQuirks, ...dpopGateFaults, ...dpopGateQuirks].filter(d =>
    named.includes(d.id),
  );
  const authority = [...authorizationFaults, ...authorizationQuirks].filter(d => named.includes(d.id));
  const isOther = (id: string) => ![...gate, ...authority].some(d => d.id === id);
  const policy = [...authority.map(d => d.policy), ...gate.flatMap(d => d.authority ?? [])];
  const options = { gate: gate.map(d => d.gate), dpop, authorizationServer: { mints: true, policy } };
  return {
    behind: gate.filter(d => d.middleware.length > 0),
    otherFaults: fault.filter(isOther),
    otherQuirks: quirk.filter(isOther),
    protect: (inner: MockHttp) => protectedMock(inner, options).fetch,
  };
}

/** Without deviations, most modules are not needed: a suite starts this program dozens of times. */
async function plainServer(options: PlainOptions): Promise<MockServer['serve']> {
  const { plainOptions } = await import('../../../mocks/server/options.js');
  const { serveStdio } = await import('../../../mocks/server/stdio.js');
  return streams => serveStdio(streams, plainOptions(options)());
}

async function known(what: 'fault' | 'quirk', ids: readonly string[]): Promise<string[]> {
  if (ids.length === 0) return [];
  const { faults } = await import('../../../mocks/server/faults/index.js');
  const { quirks } = await import('../../../mocks/server/quirks/index.js');
  const { networkServerFaults } = await import('../../../mocks/network/server-faults.js');
  const all = what === 'fault' ? [...faults, ...networkServerFaults] : quirks;
  const other = ids.find(id => !all.some(one => one.id === id));
  if (other !== undefined) await refuseOfOthers(what, other);
  return ids.map(id => find(what, all, id).id);
}

/** @throws UsageError for a fault of another mock than the server without authorization */
async function refuseOfOthers(what: 'fault' | 'quirk', id: string): Promise<void> {
  const { allFaults, allQuirks } = await import('../../../mocks/all.js');
  const found = (what === 'fault' ? allFaults : allQuirks).find(one => one.id === id);
  if (found?.role === 'server')
    throw new UsageError(`the ${what} "${id}" is about authorization: it needs --auth and --port <n>.`);
  if (found)
    throw new UsageError(`the ${what} "${id}" belongs to another mock: mcp-conform mock ${found.role}.`);
}

async function serveStdio(serve: MockServer['serve']): Promise<number> {
  const ending = new AbortController();
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.removeAllListeners(signal);
    process.on(signal, () => ending.abort(signal));
  }
  const { stdin, stdout, stderr } = process;
  const code = await serve({ stdin, stdout, stderr, signal: ending.signal });
  // buffered output is written before the exit; timers of slow tools do not keep the process running
  await new Promise(resolve => stdout.write('', resolve));
  process.exit(code);
}

async function serveHttp(
  server: MockServer,
  options: MockOptions,
  port: string,
  protect?: (inner: MockHttp) => MockHttp['fetch'],
): Promise<number> {
  if (!options.path?.startsWith('/'))
    throw new UsageError(`--path takes a path that begins with "/", not "${options.path}".`);
  const mock = server.http(
    {
      path: options.path,
      answers: parseChoice('--answers', options.answers ?? 'sse', ['sse', 'json']),
      sessions: options.sessions,
      polling: options.polling ?? false,
    },
    { exit: code => process.exit(code), warn: text => process.stderr.write(text) },
  );
  const origin = await listen(protect ? protect(mock) : mock.fetch, port, mock.hostname);
  if (protect) console.error(`issuer: ${origin}`);
  console.error(`streamable-http: ${origin}${mock.paths.mcp}`);
  console.error(`http-sse: ${origin}${mock.paths.sse}`);
  return new Promise(() => {});
}
