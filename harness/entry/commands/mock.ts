/** `mcp-conform mock`: serves the reference mock, truthful or lying on demand. */

import type { Command } from 'commander';
import { faults } from '../../../mocks/faults/index.js';
import { quirks } from '../../../mocks/quirks.js';
import { mockServer } from '../../../mocks/server.js';
import { findRevision, revisions } from '../../../spec/revisions.js';
import { collect, parseInteger, unknownName } from '../arguments.js';
import type { Outcome } from '../cli.js';

interface MockOptions {
  fault: string[];
  quirk: string[];
  revisions?: string;
  seed?: string;
}

export function mockCommand(program: Command, outcome: Outcome): void {
  const mock = program.command('mock').description('Serves the reference mock.');
  mock
    .command('server')
    .summary('a conforming server on stdio, with faults on demand')
    .option('--stdio', 'on standard input and output (the default)')
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
