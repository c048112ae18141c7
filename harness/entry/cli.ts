/** The command line: a table of commands, one file each. */

import { Command, CommanderError, Help, type Option } from 'commander';
import { exitCodes } from '../judge/verdict.js';
import { UsageError } from '../report/pattern.js';
import { sentence } from '../report/sentence.js';
import { toolVersion } from '../version.js';
import { describeDefect } from './interruption.js';
import type { Outcome } from './outcome.js';

type Add = (program: Command, outcome: Outcome) => Promise<void>;

/** In the order of the help. Each command is loaded only when needed, so that all commands start fast. */
const commands: Readonly<Record<string, Add>> = {
  server: async (p, o) => (await import('./commands/server.js')).serverCommand(p, o),
  client: async (p, o) => (await import('./commands/client.js')).clientCommand(p, o),
  'authorization-server': async (p, o) =>
    (await import('./commands/authorization-server.js')).authorizationServerCommand(p, o),
  run: async (p, o) => (await import('./commands/run.js')).runCommand(p, o),
  watch: async (p, o) => (await import('./commands/watch.js')).watchCommand(p, o),
  gateway: async (p, o) => (await import('./commands/gateway.js')).gatewayCommand(p, o),
  network: async (p, o) => (await import('./commands/network.js')).networkCommand(p, o),
  mock: async (p, o) => (await import('./commands/mock.js')).mockCommand(p, o),
  matrix: async (p, o) => (await import('./commands/matrix.js')).matrixCommand(p, o),
  merge: async (p, o) => (await import('./commands/merge.js')).mergeCommand(p, o),
  judge: async (p, o) => (await import('./commands/judge.js')).judgeCommand(p, o),
  report: async (p, o) => (await import('./commands/report.js')).reportCommand(p, o),
  diff: async (p, o) => (await import('./commands/diff.js')).diffCommand(p, o),
  migrate: async (p, o) => (await import('./commands/migrate.js')).migrateCommand(p, o),
  list: async (p, o) => (await import('./commands/list.js')).listCommand(p, o),
  explain: async (p, o) => (await import('./commands/explain.js')).explainCommand(p, o),
};

/**
 * Runs one command line.
 * @param args without the program's name
 * @returns the exit code
 */
export async function main(args: readonly string[]): Promise<number> {
  const outcome: Outcome = { exitCode: exitCodes.conforms };
  const program = new Command('mcp-conform')
    .description(
      'Judges servers and clients of the Model Context Protocol against the specification, from the bytes they send.',
    )
    .version(toolVersion, '-V, --version')
    .enablePositionalOptions()
    .addHelpText('after', examples)
    .configureOutput({ outputError: (text, write) => write(oneLine(text, helpOf(args))) })
    .configureHelp({ optionDescription: describeOption, commandDescription: describeCommand })
    .exitOverride();
  const named = Object.hasOwn(commands, args[0] ?? '') ? [commands[args[0]!]!] : Object.values(commands);
  for (const add of named) await add(program, outcome);
  try {
    await program.parseAsync(args, { from: 'user' });
    return outcome.exitCode;
  } catch (error) {
    return explainError(error);
  }
}

const examples = `
Examples:
  mcp-conform server -- node server.js
  mcp-conform server --url http://127.0.0.1:3000/mcp
  mcp-conform client -- node my-client.js
  mcp-conform explain tools.name-length`;

/** The command line that prints the help of the command in use: `mcp-conform mock server --help`. */
function helpOf([name, second]: readonly string[]): string {
  const words = Object.hasOwn(commands, name ?? '')
    ? [name, ...(name === 'mock' && second && !second.startsWith('-') ? [second] : [])]
    : [];
  return ['mcp-conform', ...words, '--help'].join(' ');
}

/** A command whose summary says all has no other description. */
function describeCommand(command: Command): string {
  const summary = command.summary();
  return command.description() || (summary && sentence(summary));
}

/** The description of an option for the help, without the empty default of a repeatable option. */
function describeOption(this: Help, option: Option): string {
  return Array.isArray(option.defaultValue) && option.defaultValue.length === 0
    ? option.description
    : Help.prototype.optionDescription.call(this, option);
}

/**
 * Converts an error message of Commander to the form of all other errors.
 * @param help the command line to name when Commander has no guess
 */
function oneLine(text: string, help: string): string {
  const [what, guess] = text
    .trim()
    .replace(/^error: /, '')
    .split('\n');
  return `mcp-conform: ${what}. ${guess?.replace(/^\((.*)\)$/, '$1') ?? `See: ${help}`}\n`;
}

function explainError(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : exitCodes.usage;
  if (error instanceof UsageError) {
    console.error(`mcp-conform: ${error.message}`);
    return exitCodes.usage;
  }
  console.error(describeDefect(error));
  return exitCodes.defect;
}
