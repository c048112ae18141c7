/** `mcp-conform server`: tests a server. */

import type { Command } from 'commander';
import { revisions, type TransportId } from '../../../spec/revisions.js';
import { defaultTiming, scaleTiming, type Timing } from '../../link.js';
import { matches, type Pattern, parsePattern } from '../../pattern.js';
import type { CallTools } from '../../probe.js';
import { roles } from '../../roles.js';
import {
  collect,
  parseChoice,
  parseFixtures,
  parseInteger,
  parsePositive,
  parseRevision,
  readGiven,
  reporterHelp,
  unknownName,
} from '../arguments.js';
import type { Outcome } from '../cli.js';

interface ServerOptions {
  revision: string;
  url?: string;
  transport?: string;
  header: string[];
  bearerToken?: string;
  run: string[];
  skip: string[];
  knownFailing?: string;
  writeKnownFailing?: string;
  strict?: boolean;
  fixtures?: boolean;
  fixture: string[];
  callTools: string;
  seed?: string;
  jobs?: string;
  timeout?: string;
  slow?: string;
  cwd?: string;
  env: string[];
  reporter: string[];
  verbose?: boolean;
  quiet?: boolean;
  color: boolean;
}

const callPolicies: readonly CallTools[] = ['fixtures', 'read-only', 'all', 'none'];

export function serverCommand(program: Command, outcome: Outcome): void {
  program
    .command('server')
    .summary('test a server: mcp-conform server -- <command> [args…]')
    .description(
      'Tests a server: on stdio, or at a URL. The command after -- is started as it is, never through a shell.',
    )
    .argument('[command...]', 'the command that starts the server; with --url it may be running already')
    .passThroughOptions()
    .option('--revision <date>', 'a dated revision, `latest` (the newest it offers) or `all`', 'latest')
    .option('--url <url>', 'where the server answers over HTTP')
    .option('--transport <name>', 'stdio, streamable-http (the default with --url) or http-sse')
    .option('--header <name: value>', 'sent with every HTTP request (repeatable)', collect, [])
    .option('--bearer-token <token>', 'the same for authorization (also: MCP_CONFORM_BEARER_TOKEN)')
    .option('--run <pattern>', 'only these cases; * is one segment, ** many (repeatable)', collect, [])
    .option('--skip <pattern>', 'not these cases (repeatable)', collect, [])
    .option('--known-failing <file>', 'findings that are expected to fail, with reasons')
    .option(
      '--write-known-failing <file>',
      'begin such a list with what fails; the reasons are yours to write',
    )
    .option('--strict', 'SHOULD violations fail the run too')
    .option('--fixtures', 'the server claims the well-known fixtures; a missing one is inconclusive')
    .option(
      '--fixture <role=tool>',
      `a tool of the server for a role (${roles.join(', ')}), with arguments as in slow=wait:{"s":1} (repeatable)`,
      collect,
      [],
    )
    .option('--call-tools <which>', callPolicies.join(', '), 'read-only')
    .option('--seed <n>', 'of generated stimulus')
    .option('--jobs <n>', 'processes of the server that may run at once beside the shared one')
    .option('--timeout <seconds>', 'longest wait for one answer (default 10)')
    .option('--slow <factor>', 'multiplies all windows of time')
    .option('--cwd <folder>', 'working directory of the server (default: this one)')
    .option('--env <NAME=value>', 'added to its environment (repeatable)', collect, [])
    .option('--reporter <name[=file]>', reporterHelp, collect, [])
    .option('--verbose', 'list notes and what was not judged')
    .option('--quiet', 'only the last line')
    .option('--no-color', 'no colours (NO_COLOR works too)')
    .action(async (command: string[], options: ServerOptions) => {
      outcome.exitCode = await testServer(command, options);
    });
}

async function testServer(command: readonly string[], options: ServerOptions): Promise<number> {
  const { suite } = await import('../../../suites/index.js');
  const { chooseSubject, repeatedSubject } = await import('../subject.js');
  const { subject, transport } = chooseSubject(command, options);
  const { run } = await import('../../run.js');
  const { Output } = await import('../output.js');
  const names = suite.scenarios.map(s => s.name);
  const knownFailing = options.knownFailing
    ? (await import('../../known-failing.js')).parseKnownFailing(
        readGiven(options.knownFailing),
        options.knownFailing,
      )
    : undefined;
  const output = new Output(options);
  return output.consume(
    run({
      subject,
      transport,
      suite,
      revision: parseRevision(options.revision),
      ...(options.run.length + options.skip.length > 0 && { selected: selection(options, transport, names) }),
      ...(knownFailing && { knownFailing }),
      strict: options.strict ?? false,
      fixtures: options.fixtures ?? false,
      ownTools: parseFixtures(options.fixture),
      callTools: parseChoice('--call-tools', options.callTools, callPolicies),
      timing: timing(options),
      ...(options.jobs && { jobs: parsePositive('--jobs', options.jobs) }),
      seed: options.seed === undefined ? 0 : parseInteger('--seed', options.seed),
      options: [...repeated(options), ...repeatedSubject(options)],
    }),
  );
}

function timing({ timeout, slow }: ServerOptions): Timing {
  const answer = timeout === undefined ? defaultTiming.answer : parsePositive('--timeout', timeout) * 1000;
  return scaleTiming({ ...defaultTiming, answer }, slow === undefined ? 1 : parsePositive('--slow', slow));
}

/** @throws UsageError for a pattern that no scenario matches, so that lists cannot rot */
function selection(
  { run, skip }: ServerOptions,
  transport: TransportId,
  names: readonly string[],
): (caseName: string) => boolean {
  const fullNames = revisions.flatMap(r => names.map(name => `${r.id}/${transport}/${name}`));
  const parse = (option: string, texts: readonly string[]): Pattern[] =>
    texts.map(text => {
      const pattern = parsePattern(text);
      if (!fullNames.some(name => matches(pattern, name)))
        throw unknownName(`scenario that ${option} matches:`, text, names, 'See: mcp-conform list scenarios');
      return pattern;
    });
  const [wanted, unwanted] = [parse('--run', run), parse('--skip', skip)];
  return name =>
    (wanted.length === 0 || wanted.some(p => matches(p, name))) && !unwanted.some(p => matches(p, name));
}

/** What has to be given again when a finding is replayed. */
function repeated(options: ServerOptions): string[] {
  return [
    ...(options.fixtures ? ['--fixtures'] : []),
    ...options.fixture.flatMap(text => ['--fixture', text]),
    ...(options.strict ? ['--strict'] : []),
    ...(options.callTools === 'read-only' ? [] : ['--call-tools', options.callTools]),
    ...(options.timeout === undefined ? [] : ['--timeout', options.timeout]),
    ...(options.slow === undefined ? [] : ['--slow', options.slow]),
  ];
}
