/**
 * Texts: empty, huge, of every Unicode plane, and texts that often cause failures. No unpaired surrogates.
 */

import fc from 'fast-check';
import { lengthOf } from '../../spec/is-valid.js';
import { type Occasions, occasionally } from './rarely.js';

/** Valid text that causes failures in programs with careless text handling. */
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

/** No unpaired surrogate, because UTF-8 cannot encode it. */
export const isWellFormed = (text: string): boolean => !/\p{Surrogate}/u.test(text);

/**
 * Characters of any plane, each plane equally often. The equivalent in fast-check first creates a table of
 * all characters.
 */
export const anyCharacter: fc.Arbitrary<string> = fc
  .integer({ min: 0, max: 0x10ffff - 0x800 })
  .map(n => (n < 0xd800 ? n : n + 0x800))
  // Texts shrink towards the first character, and "a" is more readable than NUL.
  .map(point => String.fromCodePoint(point === 0 ? 0x61 : point === 0x61 ? 0 : point));
const asciiCharacter = fc.string({ minLength: 1, maxLength: 1 });

export interface TextLimits {
  /** Largest number of characters of an ordinary text. */
  readonly text: number;
  /** Number of characters of a rare, huge text. */
  readonly hugeText: number;
}

/** Texts with a given length in code points, including hostile texts. */
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
