/**
 * Other bytes with the same meaning: a conforming reader gives the same result. Pure functions, and
 * arbitraries of their options.
 */

import fc from 'fast-check';
import type { Json } from '../../spec/json-rpc.js';

// --- Chunks ---------------------------------------------------------------------------------------------------------

/** Splits bytes into pieces, with a cut before each of these indexes. */
export function chunked(bytes: Uint8Array, cuts: readonly number[]): Uint8Array[] {
  const places = [...new Set(cuts)].filter(at => at > 0 && at < bytes.length).sort((a, b) => a - b);
  return [0, ...places].map((start, index) => bytes.subarray(start, places[index] ?? bytes.length));
}

/** The indexes inside a UTF-8 sequence. */
export const insideCharacters = (bytes: Uint8Array): number[] =>
  [...bytes.keys()].filter(index => (bytes[index]! & 0xc0) === 0x80);

/** Largest number of pieces; more pieces make a conversation slow and find no other defects. */
const manyPieces = 2_000;

/**
 * The ways to split bytes (or a text in UTF-8) into pieces: not at all, inside characters, anywhere,
 * everywhere.
 */
export function chunkings(content: Uint8Array | string): fc.Arbitrary<Uint8Array[]> {
  const bytes = typeof content === 'string' ? new TextEncoder().encode(content) : content;
  const inside = insideCharacters(bytes).slice(0, manyPieces);
  const cuts: fc.Arbitrary<readonly number[]> =
    bytes.length < 2
      ? fc.constant([])
      : fc.oneof(
          { withCrossShrink: true },
          fc.constant([]),
          fc.array(fc.integer({ min: 1, max: bytes.length - 1 }), { maxLength: 8 }),
          fc.array(fc.integer({ min: 1, max: bytes.length - 1 }), { maxLength: 64, size: 'max' }),
          ...(inside.length > 0 ? [fc.subarray(inside, { minLength: 1 })] : []),
          ...(bytes.length < manyPieces ? [fc.constant([...bytes.keys()])] : []),
        );
  return cuts.map(places => chunked(bytes, places));
}

// --- JSON -----------------------------------------------------------------------------------------------------------

/** The style of a JSON text; all styles have the same meaning. */
export interface Spelling {
  /** The order of members. */
  readonly order: 'given' | 'reversed' | 'sorted' | 'shuffled';
  /** White space around every token. */
  readonly space: '' | ' ' | '\t' | ' \t ' | '\n' | '\r\n';
  /** Characters written as `\uXXXX`, also in names of members. */
  readonly escape: 'needed' | 'non-ascii' | 'some' | 'all';
  /** `\/` for `/`. */
  readonly solidus: boolean;
  readonly upperCase: boolean;
  /**
   * Whole numbers as `1e0`; part of `spellings()` only if requested: some readers treat them as another type.
   */
  readonly exponents: boolean;
  /** Seed of the choices made at each place. */
  readonly seed: number;
}

const plainSpelling: Spelling = {
  order: 'given',
  space: '',
  escape: 'needed',
  solidus: false,
  upperCase: false,
  exponents: false,
  seed: 0,
};

export interface SpellingOptions {
  /** Whether a text may contain line breaks, which stdio forbids. */
  readonly lines?: boolean;
  /** Whether numbers may have other forms. */
  readonly exponents?: boolean;
}

/** All styles of JSON; they shrink towards the plain style. */
export const spellings = ({
  lines = false,
  exponents = false,
}: SpellingOptions = {}): fc.Arbitrary<Spelling> =>
  fc.record(
    {
      order: fc.constantFrom('given', 'reversed', 'sorted', 'shuffled'),
      space: fc.constantFrom('', ' ', '\t', ' \t ', ...(lines ? (['\n', '\r\n'] as const) : [])),
      escape: fc.constantFrom('needed', 'non-ascii', 'some', 'all'),
      solidus: fc.boolean(),
      upperCase: fc.boolean(),
      exponents: exponents ? fc.boolean() : fc.constant(false),
      seed: fc.nat(1000),
    },
    { noNullPrototype: true },
  );

/** A JSON text with the meaning of a value. */
export function spelled(json: Json, spelling: Partial<Spelling>): string {
  const choices = { ...plainSpelling, ...spelling };
  let state = choices.seed;
  const toss = (): number => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
  const { space } = choices;
  const write = (value: Json): string => space + token(value) + space;
  const token = (value: Json): string => {
    if (typeof value === 'string') return text(value, choices, toss);
    if (typeof value === 'number')
      return choices.exponents && Number.isInteger(value) && Math.abs(value) < 1e15
        ? `${value}e0`
        : JSON.stringify(value);
    if (Array.isArray(value)) return `[${value.length > 0 ? value.map(write).join(',') : space}]`;
    if (value === null || typeof value !== 'object') return String(value);
    const members = ordered(Object.entries(value), choices.order, toss);
    const inside = members.map(
      ([name, member]) => `${space}${text(name, choices, toss)}${space}:${write(member)}`,
    );
    return `{${inside.length > 0 ? inside.join(',') : space}}`;
  };
  return write(json);
}

/** The texts of one value. */
export const respellings = (json: Json, options?: SpellingOptions): fc.Arbitrary<string> =>
  spellings(options).map(spelling => spelled(json, spelling));

function text(value: string, { escape: which, solidus, upperCase }: Spelling, toss: () => number): string {
  const hex = (unit: number): string => {
    const digits = unit.toString(16).padStart(4, '0');
    return `\\u${upperCase ? digits.toUpperCase() : digits}`;
  };
  // Chooses unit by unit, but never escapes only one half of a surrogate pair: the written text must stay
  // valid Unicode.
  const escaped = (part: string): string =>
    Array.from({ length: part.length }, (_, index) => hex(part.charCodeAt(index))).join('');
  const one = (part: string): string => {
    if (/^\\u/.test(part)) return hex(Number.parseInt(part.slice(2), 16));
    if (part.startsWith('\\')) return which === 'all' ? escaped(JSON.parse(`"${part}"`) as string) : part;
    if (which === 'all' || (which === 'non-ascii' && part > '\u007f')) return escaped(part);
    if (which === 'some' && toss() < 0.3) return escaped(part);
    return part === '/' && solidus ? '\\/' : part;
  };
  return `"${JSON.stringify(value)
    .slice(1, -1)
    .replace(/\\u[0-9a-f]{4}|\\.|./gsu, one)}"`;
}

function ordered<T>(members: [string, T][], order: Spelling['order'], toss: () => number): [string, T][] {
  if (order === 'reversed') return members.toReversed();
  if (order === 'sorted') return members.toSorted(([a], [b]) => (a < b ? -1 : 1));
  if (order === 'given') return members;
  return members
    .map(member => ({ member, key: toss() }))
    .sort((a, b) => a.key - b.key)
    .map(({ member }) => member);
}

// --- HTTP headers ---------------------------------------------------------------------------------------------------

/** Header names in other letter case and order; field names are case-insensitive (RFC 9110 §5.1). */
export const headerSpellings = (
  headers: Readonly<Record<string, string>>,
): fc.Arbitrary<[name: string, value: string][]> => {
  const cases = fc.constantFrom<(name: string) => string>(
    name => name,
    name => name.toLowerCase(),
    name => name.toUpperCase(),
    name =>
      name.replace(/[a-z]/gi, (letter, index: number) =>
        index % 2 ? letter.toUpperCase() : letter.toLowerCase(),
      ),
  );
  const entries = Object.entries(headers);
  return fc
    .tuple(
      fc.shuffledSubarray(entries, { minLength: entries.length }),
      fc.array(cases, { minLength: entries.length, maxLength: entries.length }),
    )
    .map(([list, spell]) => list.map(([name, value], index) => [spell[index]!(name), value]));
};
