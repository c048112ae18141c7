/** `mcp-conform migrate`: what changes for a subject from one revision to the next. */

import type { Command } from 'commander';
import type { Role } from '../../../spec/json-rpc.js';
import { definedRevisions, findDefinedRevision, type RevisionId } from '../../../spec/revisions.js';
import { exitCodes } from '../../judge/verdict.js';
import { UsageError } from '../../report/pattern.js';
import type { RunEvent } from '../../report/run-event.js';
import {
  collect,
  environmentHelp,
  parseChoice,
  parseEnvironment,
  parseFolder,
  parseOffered,
  readGivenPieces,
} from '../arguments.js';
import { examples } from '../common.js';
import type { Outcome } from '../outcome.js';
import { handleSignals } from '../signals.js';

interface MigrateOptions {
  from?: string;
  to?: string;
  role?: string;
  record?: string;
  url?: string;
  transport?: string;
  header: string[];
  bearerToken?: string;
  cwd?: string;
  env: string[];
  reporter: string[];
  verbose?: boolean;
  color: boolean;
}

const formats = ['console', 'markdown', 'json', 'html'] as const;

export function migrateCommand(program: Command, outcome: Outcome): void {
  program
    .command('migrate')
    .summary('show what changes for a server or a client from one revision to another')
    .description(
      'Runs the subject once in the older revision, and shows the requirements that end, begin or change for what the ' +
        'subject was seen to use, with the first message of each use. Exits with 0, or with 3 when the run shows nothing.',
    )
    .argument('[command...]', 'the command that starts the subject')
    .passThroughOptions()
    .addHelpText(
      'before',
      examples([
        'mcp-conform migrate -- node server.js',
        'mcp-conform migrate --to 2025-11-25 --from 2025-06-18 --url http://127.0.0.1:3000/mcp',
        'mcp-conform migrate --role client -- node my-client.js',
        'mcp-conform migrate --record run.jsonl --reporter html=migration.html',
      ]),
    )
    .option('--from <date>', 'the revision of the run (default: the one before --to)')
    .option('--to <date>', `the newer revision (default: ${definedRevisions.at(-1)!.id})`)
    .option('--role <role>', 'server or client (default: server, or the role in the record)')
    .option('--record <run.jsonl>', 'a stored run instead of a new one, also of watch')
    .option('--url <url>', 'URL of a server over HTTP')
    .option('--transport <name>', 'stdio, streamable-http (the default with --url) or http-sse')
    .option('--header <name: value>', 'header of every HTTP request (repeatable)', collect, [])
    .option('--bearer-token <token>', 'bearer token of every HTTP request (also: MCP_CONFORM_BEARER_TOKEN)')
    .option('--cwd <folder>', 'working directory of the subject (default: the current one)')
    .option('--env <NAME=value>', environmentHelp, collect, [])
    .option('--reporter <name[=file]>', `${formats.join(', ')} (repeatable)`, collect, [])
    .option('--verbose', 'list the requirements of each topic, and the topics without a use')
    .option('--no-color', 'print no colours (or set NO_COLOR)')
    .action(async (command: string[], options: MigrateOptions) => {
      outcome.exitCode = await migrate(command, options);
    });
}

async function migrate(command: readonly string[], options: MigrateOptions): Promise<number> {
  const { Documents } = await import('../documents.js');
  const { from, to } = revisionsOf(options);
  const documents = new Documents(options.reporter, formats);
  const asked =
    options.role === undefined ? undefined : parseChoice('--role', options.role, ['server', 'client']);
  if (options.record !== undefined && (command.length > 0 || options.url !== undefined))
    throw new UsageError('--record takes the place of a command and of --url: leave out one of them.');
  const events: RunEvent[] = [];
  for await (const event of await eventsOf(command, options, asked ?? 'server', from)) events.push(event);
  const start = events.find(e => e.kind === 'run-start');
  const role: Role = asked ?? (start?.role === 'client' ? 'client' : 'server');
  const { migrationOf } = await import('../../run/migration.js');
  const migration = migrationOf(events, role, from, to);
  if (!migration) return explainNothing(events, from);
  const { WireLog } = await import('../../../reports/wire.js');
  const wire = new WireLog();
  for (const event of events) if (event.kind === 'wire') wire.add(event.event);
  return documents.write({
    console: async ({ color, columns }) => {
      const { renderMigration } = await import('../../../reports/migration.js');
      const { makeStyle } = await import('../../../reports/style.js');
      const view = {
        style: makeStyle(color && options.color),
        columns,
        verbose: options.verbose ?? false,
        wire,
      };
      return `${renderMigration(migration, view).join('\n')}\n`;
    },
    markdown: async () =>
      (await import('../../../reports/migration-markdown.js')).renderMigrationMarkdown(migration, wire),
    json: async () => `${JSON.stringify(migration, undefined, 2)}\n`,
    html: async () =>
      (await import('../../../reports/html/migration.js')).renderMigrationPage(migration, wire),
  });
}

/** @throws UsageError for an unknown revision, and unless the first is older than the second */
function revisionsOf({ from, to }: MigrateOptions): { from: RevisionId; to: RevisionId } {
  const ids = definedRevisions.map(({ id }) => id);
  const newer = to === undefined ? ids.at(-1)! : parseOffered(to);
  const before = ids[ids.indexOf(newer) - 1];
  if (before === undefined)
    throw new UsageError(`--to ${newer} is the first revision: there is no older one.`);
  const older = from === undefined ? before : parseOffered(from);
  if (ids.indexOf(older) >= ids.indexOf(newer))
    throw new UsageError(`--from takes a revision older than ${newer}, not ${older}.`);
  return { from: older, to: newer };
}

async function eventsOf(
  command: readonly string[],
  options: MigrateOptions,
  role: Role,
  from: RevisionId,
): Promise<AsyncIterable<RunEvent>> {
  if (options.record !== undefined) {
    const { readRun } = await import('../../../reports/jsonl.js');
    return readRun(readGivenPieces(options.record));
  }
  const stopped = new AbortController();
  handleSignals(() => stopped.abort('the run was stopped by a signal'));
  const common = { revision: findDefinedRevision(from)!, seed: 0, interrupt: stopped.signal };
  const transport = options.transport === undefined ? [] : [options.transport];
  if (role === 'client') {
    const [file, ...args] = command;
    if (file === undefined)
      throw new UsageError(
        'no client given. Write its command after --, as in: mcp-conform migrate --role client -- node my-client.js',
      );
    const { clientSuite: suite } = await import('../../../suites/client/index.js');
    const { spawnClient } = await import('../../run/client/subject.js');
    const { defaultClientTransport, runClient } = await import('../../run/client/run.js');
    const { parseTransport } = await import('../subject.js');
    const subject = spawnClient(file, args, {
      ...(options.cwd && { cwd: parseFolder('--cwd', options.cwd) }),
      env: parseEnvironment(options.env),
    });
    const over = transport[0] ? parseTransport(transport[0]) : defaultClientTransport(subject);
    return runClient({ ...common, suite, subject, transport: over });
  }
  const { serverSuite: suite } = await import('../../../suites/server/index.js');
  const { chooseSubject } = await import('../subject.js');
  const { run } = await import('../../run/server/run.js');
  const url = options.url === undefined ? [] : [options.url];
  const [target] = chooseSubject(command, { ...options, url, transport, revision: from }, 'migrate');
  return run({ ...common, suite, ...target, runs: 0 });
}

/** The run had no conversation in the revision: its own reason is the best one. */
function explainNothing(events: readonly RunEvent[], from: RevisionId): number {
  const end = events.find(e => e.kind === 'run-end');
  const { reason, details = [] } = end?.unjudged ?? {};
  console.error(`mcp-conform: ${reason ?? `the record has no conversation in ${from}.`}`);
  for (const line of details) console.error(`  ${line}`);
  console.error(`Name the revision of the subject with --from.`);
  return exitCodes.couldNotJudge;
}
