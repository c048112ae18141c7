/** `mcp-conform mock gateway`: the reference gateway between any client and any server. */

import type { Command } from 'commander';
import { UsageError } from '../../report/pattern.js';
import type { Address } from '../../transports/link.js';
import { collect, parseInteger, unknownName } from '../arguments.js';
import type { Outcome } from '../outcome.js';

interface Options {
  port?: string;
  fault: string[];
  quirk: string[];
  translate?: boolean;
}

export function mockGatewayCommand(mock: Command, outcome: Outcome): void {
  mock
    .command('gateway')
    .summary('run a gateway that passes every message on, with faults on demand')
    .description(
      'Passes every message on, on stdio or with --port over HTTP, to a server at a URL or to the command of a server after --; ' +
        'without an argument, MCP_CONFORM_URL or MCP_CONFORM_COMMAND gives the server.',
    )
    .argument('[server...]', 'a URL, or a command after --')
    .passThroughOptions()
    .option(
      '--port <n>',
      'serve over HTTP on this port of 127.0.0.1, 0 for any; the URL is printed on standard error',
    )
    .option('--translate', 'translate for a client with a handshake, before a server without one')
    .option('--fault <id>', 'add this deviation (repeatable; see: mcp-conform list faults)', collect, [])
    .option(
      '--quirk <id>',
      'add this unusual but valid behaviour (repeatable; see: mcp-conform list quirks)',
      collect,
      [],
    )
    .action(async (words: string[], options: Options) => {
      outcome.exitCode = await serve(words, options);
    });
}

async function serve(
  words: readonly string[],
  { port, fault, quirk, translate = false }: Options,
): Promise<number> {
  const { mockGateway } = await import('../../../mocks/gateway/gateway.js');
  const { gatewayFaults } = await import('../../../mocks/gateway/faults/index.js');
  const { gatewayQuirks } = await import('../../../mocks/gateway/quirks/index.js');
  check(
    'fault',
    fault,
    gatewayFaults.map(d => d.id),
  );
  check(
    'quirk',
    quirk,
    gatewayQuirks.map(d => d.id),
  );
  const gateway = mockGateway({
    server: serverOf(words),
    deviations: [...fault, ...quirk],
    translates: translate,
  });
  const ending = new AbortController();
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.removeAllListeners(signal);
    process.once(signal, () => ending.abort(signal));
  }
  if (port === undefined) {
    const { stdin, stdout, stderr } = process;
    const code = await gateway.serve({ stdin, stdout, stderr, signal: ending.signal });
    await new Promise(resolve => stdout.write('', resolve));
    process.exit(code);
  }
  const { host } = await import('../../../mocks/host.js');
  const served = await host(gateway.fetch, { port: parseInteger('--port', port) }).catch((error: Error) => {
    throw new UsageError(`--port ${port} is not available: ${error.message}.`);
  });
  console.error(`streamable-http: ${served.origin}/mcp`);
  await new Promise(resolve => ending.signal.addEventListener('abort', resolve));
  await gateway.close();
  process.exit(0);
}

function check(what: 'fault' | 'quirk', given: readonly string[], ids: readonly string[]): void {
  const unknown = given.find(id => !ids.includes(id));
  if (unknown !== undefined) throw unknownName(what, unknown, [...ids], `See: mcp-conform list ${what}s`);
}

function serverOf(words: readonly string[]): Exclude<Address, { connect: unknown }> {
  const { MCP_CONFORM_URL, MCP_CONFORM_COMMAND } = process.env;
  if (words.length === 1 && URL.canParse(words[0]!)) return { url: words[0]! };
  if (words.length > 0) return { command: words };
  if (MCP_CONFORM_URL) return { url: MCP_CONFORM_URL };
  if (MCP_CONFORM_COMMAND) return { command: JSON.parse(MCP_CONFORM_COMMAND) as string[] };
  throw new UsageError('no server given. Name the URL of a server, or the command of a server after --.');
}
