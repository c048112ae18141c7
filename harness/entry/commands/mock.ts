/** `mcp-conform mock`: serves the reference mock, truthful or lying on demand. */

import type { Command } from 'commander';
import { faults } from '../../../mocks/faults/index.js';
import { host } from '../../../mocks/host.js';
import { quirks } from '../../../mocks/quirks.js';
import { type MockServer, mockServer } from '../../../mocks/server.js';
import { findRevision, revisions } from '../../../spec/revisions.js';
import { UsageError } from '../../pattern.js';
import { collect, parseChoice, parseInteger, unknownName } from '../arguments.js';
import type { Outcome } from '../cli.js';

interface MockOptions {
  port?: string;
  path?: string;
  answers?: string;
  sessions: boolean;
  polling?: boolean;
  fault: string[];
  quirk: string[];
  revisions?: string;
  seed?: string;
}

export function mockCommand(program: Command, outcome: Outcome): void {
  const mock = program.command('mock').description('Serves the reference mock.');
  mock
    .command('server')
    .summary('a conforming server on stdio or HTTP, with faults on demand')
    .option('--stdio', 'on standard input and output (the default)')
    .option('--port <n>', 'over HTTP on this port of 127.0.0.1, 0 for any; the URLs go to standard error')
    .option('--path <path>', 'of the MCP endpoint; `sse` of the older transport lies beside it', '/mcp')
    .option('--answers <form>', 'over HTTP: sse, or json where one answer is all', 'sse')
    .option('--no-sessions', 'over HTTP: without session ids, each POST by itself')
    .option('--polling', 'over HTTP: closes connections of slow calls, for the client to come back')
    .option('--fault <id>', 'deviate in this way (repeatable; see: mcp-conform list faults)', collect, [])
    .option('--quirk <id>', 'a legal oddity (repeatable; see: mcp-conform list quirks)', collect, [])
    .option('--revisions <list>', 'the revisions it offers, separated by commas (default: all)')
    .option('--seed <n>', 'of what it makes up')
    .action(async (options: MockOptions) => {
      outcome.exitCode = await serve(options);
    });
}

async function serve(options: MockOptions): Promise<number> {
  const known = (what: string, all: readonly { id: string }[]) => (id: string) => {
    const found = all.find(one => one.id === id);
    if (!found)
      throw unknownName(
        what,
        id,
        all.map(one => one.id),
        `See: mcp-conform list ${what}s`,
      );
    return found.id;
  };
  const server = mockServer({
    faults: options.fault.map(known('fault', faults)),
    quirks: options.quirk.map(known('quirk', quirks)),
    ...(options.revisions && { revisions: options.revisions.split(',').map(parseOffered) }),
    ...(options.seed && { seed: parseInteger('--seed', options.seed) }),
  });
  if (options.port !== undefined) return serveHttp(server, options, options.port);
  const ending = new AbortController();
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.removeAllListeners(signal);
    process.on(signal, () => ending.abort(signal));
  }
  const { stdin, stdout, stderr } = process;
  const code = await server.serve({ stdin, stdout, stderr, signal: ending.signal });
  // what is buffered still goes out; timers of slow tools do not keep the process alive
  await new Promise(resolve => stdout.write('', resolve));
  process.exit(code);
}

async function serveHttp(server: MockServer, options: MockOptions, port: string): Promise<number> {
  if (!options.path?.startsWith('/'))
    throw new UsageError(`--path begins with "/", unlike "${options.path}".`);
  const mock = server.http(
    {
      path: options.path,
      answers: parseChoice('--answers', options.answers ?? 'sse', ['sse', 'json']),
      sessions: options.sessions,
      polling: options.polling ?? false,
    },
    { exit: code => process.exit(code), warn: text => process.stderr.write(text) },
  );
  const { origin } = await host(mock.fetch, { port: parseInteger('--port', port) }).catch((error: Error) => {
    throw new UsageError(`--port ${port} cannot be had: ${error.message}.`);
  });
  console.error(`streamable-http: ${origin}${mock.paths.mcp}`);
  console.error(`http-sse: ${origin}${mock.paths.sse}`);
  return new Promise(() => {});
}

function parseOffered(text: string) {
  const found = findRevision(text.trim());
  if (!found)
    throw unknownName(
      'revision',
      text,
      revisions.map(r => r.id),
    );
  return found.id;
}
