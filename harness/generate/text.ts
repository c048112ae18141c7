/** Texts: empty, huge, of every Unicode plane, and those that programs stumble over. Never half of a surrogate pair. */

import fc from 'fast-check';
import { lengthOf } from '../../spec/is-valid.js';
import { type Occasions, occasionally } from './rarely.js';

/** Legal text that breaks programs that are careless about text. */
const awkward: readonly string[] = [
  ' ',
  '0',
  'null',
  'undefined',
  '__proto__',
  'constructor',
  'toString',
  '\u0000',
  '\u0001\u001b[31m',
  '"\\/\b\f\n\r\t',
  'a\r\nb',
  '\u007f\u0080\u0085',
  '\u2028\u2029',
  '\ufeffBOM',
  '\u202egnp.exe',
  '\ud83d\udc69\u200d\ud83d\udc69\u200d\ud83d\udc67',
  'e\u0301 \u00e9',
  '\uffff',
  '\u{1f600}',
  '\u{10ffff}',
  '\\u0041',
  '%00%2e%2e/',
  '../../etc/passwd',
  '{"jsonrpc":"2.0"}',
  '<!--&amp;-->',
  "'; --",
  '0x10',
  '1e400',
  '-0',
  '\u0130\u0131\u00df',
];

/** No half surrogate pair, which no UTF-8 can carry. */
export const isWellFormed = (text: string): boolean => !/\p{Surrogate}/u.test(text);

/** Characters of any plane, as many from each. fast-check has them too, and makes a table of all of them first. */
export const anyCharacter: fc.Arbitrary<string> = fc
  .integer({ min: 0, max: 0x10ffff - 0x800 })
  .map(n => (n < 0xd800 ? n : n + 0x800))
  // They shrink towards the first of them, which had better be "a" than NUL.
  .map(point => String.fromCodePoint(point === 0 ? 0x61 : point === 0x61 ? 0 : point));
const asciiCharacter = fc.string({ minLength: 1, maxLength: 1 });

export interface TextLimits {
  /** Ordinary texts have at most so many characters. */
  readonly text: number;
  /** Once in a while a text has so many. */
  readonly hugeText: number;
}

/** Texts of some length in code points, hostile ones among them. */
export function texts(
  minLength: number,
  maxLength: number,
  limits: TextLimits,
  occasions: Occasions,
): fc.Arbitrary<string> {
  const most = Math.min(maxLength, Math.max(minLength, limits.text));
  const lengths = { minLength, maxLength: most, size: 'max' } as const;
  const fitting = awkward.filter(text => lengthOf(text) >= minLength && lengthOf(text) <= maxLength);
  const usual = fc.oneof(
    { withCrossShrink: true },
    { weight: 1, arbitrary: fc.constant('a'.repeat(minLength)) },
    { weight: 3, arbitrary: fc.string({ unit: asciiCharacter, ...lengths }) },
    { weight: 2, arbitrary: fc.string({ unit: anyCharacter, ...lengths }) },
    ...(fitting.length > 0 ? [{ weight: 2, arbitrary: fc.constantFrom(...fitting) }] : []),
  );
  const huge = Math.min(maxLength, limits.hugeText);
  if (huge <= most) return usual;
  const long = fc
    .tuple(anyCharacter, fc.constantFrom(huge, Math.ceil(huge / 16)))
    .map(([character, length]) => character.repeat(Math.max(length, minLength)));
  return occasionally(occasions, usual, long, 300);
}
