/**
 * Compiles `requirements/*.yaml`, `fixes/*.yaml`, the rows and fixes of extensions, `seps.yaml` and `topics.yaml` into
 * JSON and the `RequirementId` union.
 */

import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parse } from 'yaml';
import { resolveTopics } from './compile-topics.js';
import { type Extension, extensionPath, extensions } from './extensions/index.js';
import type { Fix } from './fix.js';
import type { Basis, Binds, Clause, Level, Requirement } from './requirement.js';
import { type RevisionId, revisionIds, type TransportId } from './revisions.js';
import type { Sep } from './sep.js';

/** Lines of one section of one page on which a clause is based. */
interface Citation {
  readonly place: string;
  readonly lines: readonly (readonly [first: number, last: number])[];
}

/** A clause as in the YAML: the citations are for `verify.ts` and are not part of the JSON. */
interface CitedClause extends Clause {
  readonly citations: readonly Citation[];
}

export interface SourceRow extends Omit<Requirement, 'id' | 'clauses'> {
  readonly id: string;
  readonly clauses: Partial<Record<RevisionId, CitedClause>>;
  /** The file that contains the row. */
  readonly file: string;
}

const levels: readonly Level[] = ['MUST', 'MUST NOT', 'SHOULD', 'SHOULD NOT', 'MAY'];
const parties: readonly Binds[] = [
  'server',
  'client',
  'both',
  'authorization-server',
  'host',
  'intermediary',
];
const transports: readonly TransportId[] = ['stdio', 'http-sse', 'streamable-http'];
const bases: readonly Basis[] = ['prose', 'schema', 'json-rpc', 'linked'];
const fields = [
  'id',
  'binds',
  'needs',
  'over',
  'says',
  'clauses',
  'basis',
  'see',
  'contested',
  'judging',
  'breaches',
  'legal',
  'unjudged',
] as const;

const patterns = {
  id: /^[a-z0-9]+(-[a-z0-9]+)*\.[a-z0-9]+(-[a-z0-9]+)*$/,
  facet: /^[a-z0-9]+(-[a-z0-9]+)*$/,
  needs: /^((client|server):)?([a-z]+(\.[a-zA-Z]+)*|extensions\/[a-z0-9.-]+(\/[a-z0-9-]+)+(#[a-zA-Z]+)?)$/,
  clause: /^(MUST NOT|MUST|SHOULD NOT|SHOULD|MAY) (.+)$/,
  citation: /^([a-z0-9/-]+(?:#[\w-]+)?)((?: L\d+(?:-L\d+)?)*)$/,
};

/** Files in the folder that contain no rows. */
const otherFiles = ['not-normative.yaml'];

const folder = new URL('./requirements/', import.meta.url);

/** All rows, in the order of the files. @throws {Error} with all malformed rows, by file and id. */
export function readRows(from: URL = folder): SourceRow[] {
  const problems: string[] = [];
  const rows: SourceRow[] = [];
  const files = readdirSync(from).filter(name => name.endsWith('.yaml') && !otherFiles.includes(name));
  for (const file of files.sort()) {
    for (const raw of parse(readFileSync(new URL(file, from), 'utf8')) as Record<string, unknown>[]) {
      const row = toRow(raw, file, problem => problems.push(`${file}: ${raw.id}: ${problem}`));
      if (rows.some(other => other.id === row.id))
        problems.push(`${file}: ${row.id}: the id is already in use`);
      rows.push(row);
    }
  }
  if (problems.length > 0) throw new Error(`The requirements are malformed:\n  ${problems.join('\n  ')}`);
  return rows;
}

const extensionFolder = (id: string): URL => new URL(`./extensions/${id}/`, import.meta.url);

/**
 * The rows of one version of an extension: one file, in the same form; the clauses are for the revisions with which the
 * version is used. @throws {Error} with all malformed rows
 */
export function readExtensionRows(
  extension: Extension,
  folder: URL = extensionFolder(extension.id),
): SourceRow[] {
  const file = `extensions/${extension.id}/requirements.yaml`;
  const problems: string[] = [];
  const raws = parse(readFileSync(new URL('requirements.yaml', folder), 'utf8')) as Record<string, unknown>[];
  const rows = raws.map(raw => {
    const problem = (what: string) => problems.push(`${file}: ${raw.id}: ${what}`);
    const row = toRow(raw, file, problem);
    const path = String(row.needs ?? '').replace(/^(client|server):/, '');
    if (path.split('#')[0] !== extensionPath(extension.identifier))
      problem(`needs is "${row.needs}", not ${extensionPath(extension.identifier)}`);
    const clauses = Object.entries(row.clauses).map(([revision, clause]) => {
      if (!extension.revisions.includes(revision as RevisionId))
        problem(`a clause of ${revision}, with which this version is not used`);
      return [revision, { ...clause, extension: extension.id }] as const;
    });
    const draft = extension.status === 'draft' && { contested: row.contested ?? 'The extension is a draft.' };
    return { ...row, ...draft, clauses: Object.fromEntries(clauses) };
  });
  if (problems.length > 0) throw new Error(`The requirements are malformed:\n  ${problems.join('\n  ')}`);
  return rows;
}

/**
 * The rows of the revisions and of all extensions. A row that several versions of an extension have is one row with the
 * clauses of all of them, and the text of the newest. @throws {Error} for an id that is in use already
 */
export function readAllRows(): SourceRow[] {
  const rows = new Map(readRows().map(row => [row.id, row]));
  for (const extension of extensions)
    for (const row of readExtensionRows(extension)) {
      const known = rows.get(row.id);
      const name = extension.id.split('/')[0]!;
      if (known && !known.file.startsWith(`extensions/${name}/`))
        throw new Error(`${row.file}: ${row.id}: the id is already in use`);
      rows.set(row.id, { ...known, ...row, clauses: { ...known?.clauses, ...row.clauses } });
    }
  return [...rows.values()];
}

/** Checks the form of one row; flaws are reported instead of thrown, so that one run shows all of them. */
export function toRow(
  raw: Record<string, unknown>,
  file: string,
  problem: (what: string) => void,
): SourceRow {
  const allow = (field: string, allowed: readonly unknown[], value: unknown = raw[field]) => {
    if (!allowed.includes(value)) problem(`${field} is "${value}", not one of ${allowed.join(', ')}`);
  };
  for (const field of Object.keys(raw)) {
    if (!fields.includes(field as never)) problem(`there is no field "${field}"`);
  }
  if (!patterns.id.test(String(raw.id))) problem('the id is not <area>.<kebab>');
  allow('binds', parties);
  if (raw.needs !== undefined && !patterns.needs.test(String(raw.needs)))
    problem(`needs is "${raw.needs}", not a dotted path`);
  for (const transport of (raw.over as unknown[]) ?? []) allow('over', transports, transport);
  const isText = (value: unknown) => typeof value === 'string' && value.trim() !== '';
  for (const field of ['see', 'contested', 'judging', 'unjudged'] as const) {
    const value = raw[field];
    const byRole = field === 'unjudged' && typeof value === 'object' && value !== null;
    if (value !== undefined && !(byRole ? Object.values(value).every(isText) : isText(value)))
      problem(`${field} is not text`);
    if (byRole && raw.binds !== 'both') problem('unjudged is given by role, but the row binds only one role');
    for (const role of byRole ? Object.keys(value) : []) allow('role', ['server', 'client'], role);
  }
  if (typeof raw.says !== 'string' || !isOneSentence(raw.says)) problem('says is not one sentence');
  const isJudged = raw.judging !== undefined || raw.breaches !== undefined;
  if (isJudged === (typeof raw.unjudged === 'string'))
    problem('exactly one of judging and unjudged is needed; breaches may stand for judging');
  for (const field of ['breaches', 'legal'] as const)
    for (const [name, facet] of Object.entries((raw[field] as object | undefined) ?? {})) {
      const { is, unproven, by } =
        typeof facet === 'string' ? { is: facet, unproven: 'ok', by: undefined } : (facet ?? {});
      if (!patterns.facet.test(name)) problem(`${field}: "${name}" is not a name like over-http`);
      const isShown = field === 'legal' && by === 'reference' && unproven === undefined;
      if (!isText(is) || !(isShown || (isText(unproven) && by === undefined)))
        problem(`${field}: ${name} is not text, is and unproven, or (legal) is and by: reference`);
    }

  const clauses: Partial<Record<RevisionId, CitedClause>> = {};
  for (const [revision, text] of Object.entries((raw.clauses as object | undefined) ?? {})) {
    allow('revision', revisionIds, revision);
    const clause = parseClause(String(text));
    if (clause) clauses[revision as RevisionId] = clause;
    else problem(`clause of ${revision} is "${text}", not <level> <page>#<anchor> L<line>; ...`);
  }
  if (Object.keys(clauses).length === 0) problem('no clauses');

  const basis = raw.basis as Requirement['basis'];
  for (const [revision, value] of basis && typeof basis === 'object' ? Object.entries(basis) : []) {
    allow('basis', bases, value);
    if (!clauses[revision as RevisionId]) problem(`basis for ${revision}, which has no clause`);
  }
  if (typeof basis !== 'object') allow('basis', [undefined, ...bases]);
  if (raw.see === undefined && JSON.stringify(basis ?? '').includes('linked'))
    problem('basis is linked, but see names no document');
  if (raw.see !== undefined && basis === undefined) problem('see names a document, but there is no basis');
  return { ...(raw as unknown as SourceRow), clauses, file };
}

/** `MUST server/tools#calling-tools L12-L14; schema#Tool L3`; undefined when malformed. */
export function parseClause(text: string): CitedClause | undefined {
  const [, level, places] = patterns.clause.exec(text) ?? [];
  if (!places || !levels.includes(level as Level)) return undefined;
  const citations: Citation[] = [];
  for (const part of places.split('; ')) {
    const [, place, lines] = patterns.citation.exec(part) ?? [];
    if (!place) return undefined;
    const ranges = [...(lines ?? '').matchAll(/L(\d+)(?:-L(\d+))?/g)].map(
      ([, first, last]) => [Number(first), Number(last ?? first)] as const,
    );
    citations.push({ place, lines: ranges });
  }
  const [place, ...others] = citations.map(citation => citation.place);
  const overHttp = isAbout('stdio', place!) ? others.find(other => isAbout('http', other)) : undefined;
  return { level: level as Level, place: place!, ...(overHttp && { placeOverHttp: overHttp }), citations };
}

/** Whether a place is in a section about stdio, or in one about HTTP. */
const isAbout = (transport: 'stdio' | 'http', place: string): boolean =>
  place.startsWith('basic/transports') && /[#/]stdio/.test(place) === (transport === 'stdio');

/**
 * Whether a text has one full stop, at its end; those in version numbers, file names and the like do not
 * count.
 */
export const isOneSentence = (text: string): boolean => /\.$/.test(text) && !/[.!?] +["(]?[A-Z]/.test(text);

/** The published form of a row: known fields in a fixed order, no line numbers. */
function toJson(row: SourceRow): string {
  const clauses = Object.fromEntries(
    revisionIds.flatMap(revision => {
      const clause = row.clauses[revision];
      if (!clause) return [];
      const { citations, ...published } = clause;
      return [[revision, published]];
    }),
  );
  return JSON.stringify(
    Object.fromEntries(fields.map(field => [field, field === 'clauses' ? clauses : row[field]])),
  );
}

/**
 * The fixes by id, in the order of the ids. @throws {Error} for an entry without a row, in another file than its row,
 * or without one of its two texts
 */
function readFixes(rows: readonly SourceRow[]): Record<string, Fix> {
  const from = new URL('./fixes/', import.meta.url);
  const all: [string, Fix][] = [];
  const files = readdirSync(from).map(file => ({ file, at: new URL(file, from), rowsIn: file }));
  for (const { id } of extensions) {
    const at = new URL('fixes.yaml', extensionFolder(id));
    const file = `extensions/${id}/fixes.yaml`;
    if (existsSync(at)) files.push({ file, at, rowsIn: `extensions/${id}/requirements.yaml` });
  }
  for (const { file, at, rowsIn } of files.sort((a, b) => (a.file < b.file ? -1 : 1)))
    for (const [id, fix] of Object.entries(parse(readFileSync(at, 'utf8')) as Record<string, Fix>)) {
      if (rows.find(row => row.id === id)?.file !== rowsIn)
        throw new Error(`fixes/${file}: ${id} is no row of ${rowsIn}`);
      if (!fix.fix || !fix.example || Object.keys(fix).length !== 2)
        throw new Error(`fixes/${file}: ${id} needs fix and example, and nothing else`);
      all.push([id, fix]);
    }
  return Object.fromEntries(all.sort(([a], [b]) => (a < b ? -1 : 1)));
}

/**
 * The SEPs with the ids of their rows instead of patterns. @throws {Error} for an unknown revision, and for a pattern without
 * a row that has a clause in the revision
 */
export function resolveSeps(
  source: Readonly<Record<string, Omit<Sep, 'rows'> & { readonly rows: readonly string[] }>>,
  rows: readonly Pick<SourceRow, 'id' | 'clauses'>[],
): Record<string, Sep> {
  return Object.fromEntries(
    Object.entries(source).map(([number, { title, revision, rows: patterns }]) => {
      if (!revisionIds.includes(revision))
        throw new Error(`seps.yaml: ${number}: there is no revision ${revision}`);
      const found = patterns.flatMap(pattern => {
        const form = new RegExp(`^${pattern.replaceAll('.', '\\.').replaceAll('*', '.*')}$`);
        const fitting = rows.filter(({ id, clauses }) => {
          const first = revisionIds.find(each => clauses[each] !== undefined);
          return (
            form.test(id) && (pattern.includes('*') ? first === revision : clauses[revision] !== undefined)
          );
        });
        if (fitting.length === 0)
          throw new Error(`seps.yaml: ${number}: no row of ${revision} fits ${pattern}`);
        return fitting.map(({ id }) => id);
      });
      return [number, { title, revision, rows: [...new Set(found)].sort() as Sep['rows'] }];
    }),
  );
}

/** The generated files, as text. */
function render(rows: readonly SourceRow[]): Record<string, string> {
  const fixes = Object.entries(readFixes(rows)).map(
    ([id, { fix, example }]) => `${JSON.stringify(id)}:${JSON.stringify({ fix, example })}`,
  );
  const sorted = [...rows].sort((a, b) => (a.id < b.id ? -1 : 1));
  const seps = resolveSeps(parse(readFileSync(new URL('./seps.yaml', import.meta.url), 'utf8')), rows);
  const topics = resolveTopics(parse(readFileSync(new URL('./topics.yaml', import.meta.url), 'utf8')), rows);
  const sepLines = Object.entries(seps).map(([number, sep]) => `"${number}":${JSON.stringify(sep)}`);
  return {
    'requirements.json': `[\n${sorted.map(toJson).join(',\n')}\n]\n`,
    'fixes.json': `{\n${fixes.join(',\n')}\n}\n`,
    'seps.json': `{\n${sepLines.join(',\n')}\n}\n`,
    'topics.json': `[\n${topics.map(topic => JSON.stringify(topic)).join(',\n')}\n]\n`,
    'requirements.generated.ts': `// Generated by \`npm run spec\` from requirements/*.yaml. Do not edit.\n\nexport type RequirementId =\n${sorted
      .map(row => `  | '${row.id}'`)
      .join('\n')};\n`,
  };
}

/**
 * Writes `requirements.json`, `fixes.json`, `seps.json`, `topics.json` and `requirements.generated.ts`.
 *
 * @param options.check compare only, and write nothing
 * @throws {Error} when a row is malformed or, with `check`, when a file is out of date
 */
export function compileRequirements(options: { check?: boolean } = {}): void {
  for (const [name, text] of Object.entries(render(readAllRows()))) {
    const file = new URL(name, import.meta.url);
    if (!options.check) writeFileSync(file, text);
    else if (readFileSync(file, 'utf8') !== text)
      throw new Error(`spec/${name} is out of date: run "npm run spec" and commit the result.`);
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url))
  compileRequirements({ check: process.argv.includes('--check') });
