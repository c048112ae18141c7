/** Grammar of patterns for cases and findings: for --run, --skip and the known-failing file. */

import { revisionIds } from '../../spec/revisions.js';

/** Unusable input of the user: a pattern, a file. The command line exits with code 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

export interface Pattern {
  /** The text from the user. */
  readonly text: string;
  /** Segments of a full case name; `**` matches any number of segments, including none. */
  readonly path: readonly string[];
  /** The part after `#`; any requirement when absent. */
  readonly requirement?: string;
}

/** Characters of a pattern; names of cases are shorter. */
const longestPattern = 1_000;

const special = /[.+?^${}()|[\]\\]/g;
const compiled = new Map<string, RegExp>();

/** Whether a segment (or a requirement id) matches, where `*` matches any sequence of characters. */
export function fits(glob: string, segment: string): boolean {
  let expression = compiled.get(glob);
  if (!expression) {
    expression = new RegExp(`^${glob.replace(special, '\\$&').replaceAll('*', '.*')}$`);
    compiled.set(glob, expression);
  }
  return expression.test(segment);
}

/**
 * Parses `path`, or `path#requirement`. A path that does not begin with a revision, or a wildcard for one,
 * matches every revision and every transport, so that `server/tools/**` is short for `*`, `*`, `server`,
 * `tools`, `**`.
 * @throws {UsageError} when the text is not a pattern
 */
export function parsePattern(text: string): Pattern {
  const problem = (what: string) => new UsageError(`"${text}" is not a pattern: ${what}.`);
  const [pathText = '', requirement, ...rest] = text.split('#');
  if (text.length > longestPattern)
    throw new UsageError(`a pattern has at most ${longestPattern} characters, not ${text.length}.`);
  if (/\s/.test(text)) throw problem('it contains white space');
  if (rest.length > 0) throw problem('it contains more than one "#"');
  if (pathText === '')
    throw problem(requirement ? `write "**#${requirement}" for every case` : 'it is empty');
  if (requirement === '') throw problem('nothing follows the "#"');
  const path = pathText.split('/');
  if (path.includes('')) throw problem('a segment between two "/" is empty');
  const mixed = path.find(segment => segment.includes('**') && segment !== '**');
  if (mixed !== undefined) throw problem(`"**" stands for whole segments, but is part of "${mixed}"`);
  const anyRevision = !revisionIds.some(id => fits(path[0]!, id));
  return {
    text,
    path: anyRevision ? ['*', '*', ...path] : path,
    ...(requirement !== undefined && { requirement }),
  };
}

/**
 * Whether a pattern selects a case; with a requirement, whether the pattern selects that finding of the case.
 * @param caseName the full name, `<revision>/<transport>/<scenario>`
 */
export function matches(pattern: Pattern, caseName: string, requirement?: string): boolean {
  if (
    requirement !== undefined &&
    pattern.requirement !== undefined &&
    !fits(pattern.requirement, requirement)
  )
    return false;
  return matchPath(pattern.path, caseName.split('/'));
}

function matchPath([glob, ...globs]: readonly string[], segments: readonly string[]): boolean {
  if (glob === undefined) return segments.length === 0;
  if (glob === '**')
    return segments.some((_, i) => matchPath(globs, segments.slice(i))) || globs.length === 0;
  const [segment, ...others] = segments;
  return segment !== undefined && fits(glob, segment) && matchPath(globs, others);
}

/** Whether a pattern can match any case of a revision and transport. */
export function concerns(pattern: Pattern, revision: string, transport: string): boolean {
  const [first = '**', second] = pattern.path;
  if (first === '**') return true;
  return fits(first, revision) && (second === '**' || (second !== undefined && fits(second, transport)));
}

/** The candidate closest to a mistyped word; undefined when no candidate is close. */
export function suggest(word: string, candidates: Iterable<string>): string | undefined {
  let best: string | undefined;
  let least = Math.max(2, Math.floor(word.length / 3)) + 1;
  for (const candidate of candidates) {
    if (Math.abs(candidate.length - word.length) >= least) continue;
    const distance = editDistance(word, candidate);
    if (distance < least) [best, least] = [candidate, distance];
  }
  return best;
}

/** Levenshtein distance: number of characters to insert, delete or replace. */
function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const replaced = row[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(replaced, row[j]! + 1, next[j - 1]! + 1));
    }
    row = next;
  }
  return row[b.length]!;
}
