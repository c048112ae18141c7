/** Texts that users read, with the place of each: titles, faults and quirks, rows, and the help of the command line. */

import { pathToFileURL } from 'node:url';
import { Command } from 'commander';
import type { Outcome } from '../../harness/entry/outcome.js';
import { allFaults, allQuirks } from '../../mocks/all.js';
import { requirements } from '../../spec/requirement.js';
import { suite } from '../index.js';
import { filesBelow, root, textOf } from './source-files.js';

export type Kind = 'title' | 'fault' | 'quirk' | 'row' | 'help';

export interface UserText {
  readonly kind: Kind;
  /** The name of the scenario, fault, row or option. */
  readonly name: string;
  readonly text: string;
  /** A sentence ends with a full stop; a phrase does not; the help beyond options is of both forms. */
  readonly form: 'sentence' | 'phrase' | 'mixed';
  readonly file: string;
}

/** The first file with a text, or else with a name; texts may be broken into lines. */
function finder(files: readonly string[]): (text: string, name: string) => string {
  const sources = files.map(file => ({ file, source: textOf(file) }));
  return (text, name) =>
    (
      sources.find(({ source }) => source.includes(text)) ??
      sources.find(({ source }) => source.includes(`'${name}'`))
    )?.file ?? files[0]!;
}

const inMocks = finder(filesBelow('mocks', /\/(faults|quirks)\/[^/]+\.ts$/));
const inEntry = finder(filesBelow('harness/entry', /\.ts$/));
const inRequirements = finder(filesBelow('spec/requirements', /\.yaml$/));

/** Every command, as the command line adds it. */
async function helpTexts(): Promise<UserText[]> {
  const program = new Command('mcp-conform').enablePositionalOptions().exitOverride();
  const texts: UserText[] = [];
  const outcome: Outcome = { exitCode: 0 };
  for (const file of filesBelow('harness/entry/commands', /\.ts$/)) {
    const module = (await import(pathToFileURL(`${root}${file}`).href)) as Record<string, unknown>;
    for (const [name, add] of Object.entries(module)) {
      // `mock` adds the commands of the mock client and of the mock gateway
      if (!/^(?!mockClient|mockGateway)\w+Command$/.test(name) || typeof add !== 'function') continue;
      const before = program.commands.length;
      await (add as (program: Command, outcome: Outcome) => unknown)(program, outcome);
      for (const command of program.commands.slice(before)) texts.push(...ofCommand(command));
    }
  }
  return texts;
}

function ofCommand(command: Command, path = 'mcp-conform'): UserText[] {
  const name = `${path} ${command.name()}`;
  const one = (text: string, form: UserText['form'], of = name): UserText[] =>
    text === '' ? [] : [{ kind: 'help', name: of, text, form, file: inEntry(text, '') }];
  let after = '';
  command.configureOutput({ writeOut: written => (after += written) });
  command.outputHelp();
  return [
    ...one(command.summary(), 'phrase'),
    // a command without a summary is described by a phrase
    ...one(command.description(), command.summary() === '' ? 'mixed' : 'sentence'),
    ...command.registeredArguments.flatMap(argument =>
      one(argument.description, 'phrase', `${name} <${argument.name()}>`),
    ),
    ...command.options.flatMap(option =>
      one(option.description, 'phrase', `${name} ${option.long ?? option.short}`),
    ),
    ...after
      .replace(command.helpInformation(), '')
      .split(/\n\s*\n/)
      .flatMap(part => one(part.trim(), 'mixed', `${name} --help`)),
    ...command.commands.flatMap(inner => ofCommand(inner, name)),
  ];
}

export const userTexts: readonly UserText[] = [
  ...suite.scenarios.map(
    ({ name, title }): UserText => ({
      kind: 'title',
      name,
      text: title,
      form: 'phrase',
      file: `suites/${name.slice(0, name.lastIndexOf('/'))}.ts`,
    }),
  ),
  ...allFaults.map(
    ({ id, what }): UserText => ({
      kind: 'fault',
      name: id,
      text: what,
      form: 'sentence',
      file: inMocks(what, id),
    }),
  ),
  ...allQuirks.map(
    ({ id, what }): UserText => ({
      kind: 'quirk',
      name: id,
      text: what,
      form: 'sentence',
      file: inMocks(what, id),
    }),
  ),
  ...[...requirements().values()].map(
    ({ id, says }): UserText => ({
      kind: 'row',
      name: id,
      text: says,
      form: 'sentence',
      file: inRequirements(`- id: ${id}\n`, id),
    }),
  ),
  ...(await helpTexts()),
];
