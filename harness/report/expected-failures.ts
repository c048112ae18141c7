/**
 * Lists of expected failures of the official conformance suite, as repositories of SDKs have them: YAML with the
 * names of scenarios, or `scenario:check-id`, under `server:` and `client:`.
 */

import { readFileSync } from 'node:fs';
import type { Party } from '../../spec/json-rpc.js';
import type { KnownEntry } from './known-failing.js';
import { parsePattern, suggest, UsageError } from './pattern.js';

/** Number of names in a remark. */
const NAMED = 4;

type Table = Readonly<Record<string, readonly string[]>>;

interface OfficialSuite extends Readonly<Record<Party, Table>> {
  /** Checks that have requirements of their own, whatever their scenario is. */
  readonly checks: Table;
  /** Former names of scenarios. */
  readonly aliases: Readonly<Record<string, string>>;
}

let loaded: OfficialSuite | undefined;

function official(): OfficialSuite {
  loaded ??= JSON.parse(
    readFileSync(new URL('../../spec/official-suite.json', import.meta.url), 'utf8'),
  ) as OfficialSuite;
  return loaded;
}

/** The requirements, with wildcards, that belong to a scenario of the official suite; undefined for an unknown one. */
export function requirementsOf(scenario: string, role: Party): readonly string[] | undefined {
  const { aliases, [role]: table } = official();
  return table[aliases[scenario] ?? scenario];
}

export const officialScenarios = (role: Party): string[] => Object.keys(official()[role]);

interface ExpectedFailures {
  readonly entries: readonly KnownEntry[];
  /** What of the file has no effect here, in words. */
  readonly remarks: readonly string[];
}

/**
 * Reads the entries for a role. An entry covers every requirement of its scenario, and of its check where the check
 * has requirements of its own. Entries that hold here are not stale: the official suite may still need them.
 * @throws {UsageError} for a file of another form, with the line
 */
export function parseExpectedFailures(text: string, file: string, role: Party): ExpectedFailures {
  const entries: KnownEntry[] = [];
  const remarks: string[] = [];
  const unknownHere: { line: number; name: string }[] = [];
  for (const { line, name } of namesFor(text, file, role)) {
    const [scenario = '', check] = name.split(':');
    const ids =
      (check !== undefined ? official().checks[check] : undefined) ?? requirementsOf(scenario, role);
    if (ids === undefined) {
      const guess = suggest(scenario, officialScenarios(role));
      remarks.push(
        `${file}:${line}: "${scenario}" is not in the table of the official suite${guess ? `; did you mean "${guess}"?` : ' and has no effect.'}`,
      );
    } else if (ids.length === 0) unknownHere.push({ line, name });
    for (const id of ids ?? [])
      entries.push({
        line,
        pattern: parsePattern(`**#${id}`),
        reason: `"${name}" in ${file}`,
        isOfOfficialSuite: true,
      });
  }
  if (unknownHere.length > 0) {
    const names = unknownHere.map(({ name }) => name);
    const shown =
      names.length > NAMED ? [...names.slice(0, NAMED - 1), `${names.length - NAMED + 1} more`] : names;
    remarks.push(
      `${file}:${unknownHere[0]!.line}: no effect here, because no requirement of mcp-conform stands for: ${shown.join(', ')}.`,
    );
  }
  return { entries, remarks };
}

/** The names in the list of a role. The format is a small part of YAML: two keys with lists of plain texts. */
function namesFor(text: string, file: string, role: Party): { line: number; name: string }[] {
  const names: { line: number; name: string }[] = [];
  let section: string | undefined;
  for (const [index, content] of text
    .replace(/^\uFEFF/, '')
    .split(/\r?\n/)
    .entries()) {
    const plain = content.replace(/(^|\s)#.*$/, '').trimEnd();
    if (plain.trim() === '' || plain === '---') continue;
    const [, key, empty] = /^([\w-]+):\s*(\[\s*\]|null|~)?$/.exec(plain) ?? [];
    const [, item] = /^\s*-\s+(\S.*)$/.exec(plain) ?? [];
    if (key !== undefined) section = empty === undefined ? key : undefined;
    else if (item !== undefined && section !== undefined) {
      if (section === role) names.push({ line: index + 1, name: unquoted(item) });
    } else
      throw new UsageError(
        `${file}:${index + 1}: expected "server:", "client:" or "- <scenario>", not "${plain.trim()}".`,
      );
  }
  return names;
}

const unquoted = (item: string): string => item.trim().replace(/^(["'])(.*)\1$/, '$2');
