/** `mcp-conform mock client`: the reference client, for scenarios of the harness or for manual use. */

import type { Command } from 'commander';
import type { ClientDeviation } from '../../../mocks/client/fault.js';
import { isObject, type Json, type JsonObject } from '../../../spec/json-rpc.js';
import type { TransportId } from '../../../spec/revisions.js';
import { UsageError } from '../../report/pattern.js';
import type { RunEvent } from '../../report/run-event.js';
import { declined as exitCodeOfDeclined } from '../../scenario/script.js';
import type { Address } from '../../transports/link.js';
import {
  collect,
  parseChoice,
  parseOffered,
  parsePositive,
  readGivenPieces,
  unknownName,
} from '../arguments.js';
import type { Outcome } from '../outcome.js';

interface Options {
  transport?: string;
  script?: string;
  fault: string[];
  quirk: string[];
  revisions?: string;
  timeout?: string;
  replay?: string;
}

export function mockClientCommand(mock: Command, outcome: Outcome): void {
  mock
    .command('client')
    .summary('run a conforming client that follows a script, with faults on demand')
    .description(
      'Connects to the URL, or starts the command as its server; without an argument, MCP_CONFORM_URL or ' +
        'MCP_CONFORM_COMMAND gives the server. Then the client runs the script of --script or MCP_CONFORM_SCRIPT; ' +
        'started by the official suite, which sets MCP_CONFORMANCE_SCENARIO, that of the scenario.',
    )
    .argument('[server...]', 'a URL, or a command after --')
    .passThroughOptions()
    .option('--transport <name>', 'transport of a URL: streamable-http (the default) or http-sse')
    .option('--script <json>', 'steps to run, as in [["connect"],["list","tools"],["close"]] (the default)')
    .option('--fault <id>', 'add this deviation (repeatable; see: mcp-conform list faults)', collect, [])
    .option(
      '--quirk <id>',
      'add this unusual but valid behaviour (repeatable; see: mcp-conform list quirks)',
      collect,
      [],
    )
    .option('--revisions <list>', 'supported revisions, separated by commas (default: all)')
    .option('--timeout <seconds>', 'longest wait for a response (default 20)')
    .option(
      '--replay <run.jsonl>',
      'send again what the client of a recorded run sent, in place of the mock: the scenario of MCP_CONFORM_SCENARIO, else the first conversation',
    )
    .action(async (words: string[], options: Options) => {
      outcome.exitCode = await perform(words, options);
    });
}

/** The client of a recorded run: a defect becomes a regression test without the client. */
async function replay(file: string, words: readonly string[], options: Options): Promise<never> {
  if (options.fault.length + options.quirk.length > 0 || options.script !== undefined)
    throw new UsageError('--replay takes no --fault, --quirk and --script.');
  const { readRun } = await import('../../../reports/jsonl.js');
  const { clientRecordOf, lackOf, playTalk, talksFor } = await import('../../../mocks/client/replay.js');
  const events: RunEvent[] = [];
  for await (const event of readRun(readGivenPieces(file))) {
    if (event.kind === 'run-start' && event.role !== 'client' && event.role !== 'watch')
      throw new UsageError(
        `--replay: "${file}" is a run of a ${event.role}, not of a client.${event.role === 'server' ? ' mcp-conform mock server --replay plays it.' : ''}`,
      );
    events.push(event);
  }
  const address = addressOf(words);
  const record = clientRecordOf(events);
  const { MCP_CONFORM_SCENARIO: scenario, MCP_CONFORMANCE_PROTOCOL_VERSION: revision } = process.env;
  if (record.talks.length === 0) throw new UsageError(`--replay: no client sent a message in "${file}".`);
  const talks = talksFor(record, scenario, revision);
  const lacks = talks?.flatMap(talk => lackOf(talk, address) ?? []) ?? ['it has no such scenario'];
  if (!talks || lacks.length > 0) {
    const why = `--replay: "${file}" does not suffice${scenario === undefined ? '' : ` for ${scenario}`}: ${lacks[0]}.`;
    // a scenario that the harness asks for is left out, a conversation that the user asks for is an error
    if (scenario === undefined) throw new UsageError(why);
    console.error(why);
    process.exit(exitCodeOfDeclined);
  }
  for (const talk of talks) await playTalk(talk, address);
  process.exit(0);
}

async function perform(words: readonly string[], options: Options): Promise<never> {
  if (options.replay !== undefined) return replay(options.replay, words, options);
  const { MCP_CONFORM_SCRIPT, MCP_CONFORM_TRANSPORT } = process.env;
  const { MCP_CONFORMANCE_SCENARIO: scenario, MCP_CONFORMANCE_CONTEXT } = process.env;
  const context = contextIn(MCP_CONFORMANCE_CONTEXT);
  const { performTask } = await import('../../../mocks/client/process.js');
  const wrong = await deviations(options);
  const address = addressOf(words);
  const transport =
    'command' in address
      ? 'stdio'
      : parseChoice<TransportId>(
          '--transport',
          options.transport ?? MCP_CONFORM_TRANSPORT ?? 'streamable-http',
          ['streamable-http', 'http-sse'],
        );
  const given = options.script ?? MCP_CONFORM_SCRIPT;
  let script = parseJson(given ?? '[["connect"],["list","tools"],["close"]]');
  if (given === undefined && scenario) {
    const { officialWishes, officialScript } = await import('../../../mocks/client/official-scripts.js');
    script = officialScript(scenario, context);
    wrong.push(officialWishes);
  }
  const ending = new AbortController();
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.removeAllListeners(signal);
    process.on(signal, () => ending.abort(signal));
  }
  const code = await performTask(
    { address, transport, script, official: { name: '', context } },
    { stderr: process.stderr, signal: ending.signal },
    {
      ...(options.revisions && { revisions: options.revisions.split(',').map(parseOffered) }),
      ...(options.timeout && { patienceMs: parsePositive('--timeout', options.timeout) * 1000 }),
    },
    wrong,
  );
  process.exit(code);
}

function addressOf(words: readonly string[]): Exclude<Address, { connect: unknown }> {
  const { MCP_CONFORM_URL, MCP_CONFORM_COMMAND } = process.env;
  if (words.length === 1 && URL.canParse(words[0]!)) return { url: words[0]! };
  if (words.length > 0) return { command: words };
  if (MCP_CONFORM_URL) return { url: MCP_CONFORM_URL };
  if (MCP_CONFORM_COMMAND) return { command: parseJson(MCP_CONFORM_COMMAND) as string[] };
  throw new UsageError('no server given. Name the URL of a server, or the command of a server after --.');
}

/** The context of the official suite for its clients, such as a client ID. */
function contextIn(text: string | undefined): JsonObject {
  const json = text === undefined ? {} : parseJson(text);
  return isObject(json) ? json : {};
}

function parseJson(text: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch (error) {
    throw new UsageError(`"${text}" is not JSON: ${(error as Error).message}.`);
  }
}

async function deviations({ fault, quirk }: Options): Promise<ClientDeviation[]> {
  // without deviations, most modules are not needed: a suite starts this program dozens of times
  if (fault.length + quirk.length === 0) return [];
  const { clientFaults } = await import('../../../mocks/client/faults/index.js');
  const { networkClientFaults } = await import('../../../mocks/network/client-faults.js');
  const { clientQuirks } = await import('../../../mocks/client/quirks/index.js');
  const find = (what: 'fault' | 'quirk', all: readonly ClientDeviation[]) => (id: string) => {
    const found = all.find(one => one.id === id);
    if (found) return found;
    throw unknownName(
      what,
      id,
      all.map(one => one.id),
      `See: mcp-conform list ${what}s`,
    );
  };
  return [
    ...fault.map(find('fault', [...clientFaults, ...networkClientFaults])),
    ...quirk.map(find('quirk', clientQuirks)),
  ];
}
