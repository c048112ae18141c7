/** Texts that match a regular expression of a schema. */

import fc from 'fast-check';

const readings = new Map<string, RegExp>();

/**
 * A pattern as its author intended: with the Unicode flag, and without this flag if the pattern has escapes
 * that the flag forbids.
 */
export const regExp: {
  (pattern: string): RegExp;
  code: string;
} = Object.assign(
  (pattern: string): RegExp => {
    let reading = readings.get(pattern);
    if (!reading) {
      reading = compile(pattern);
      readings.set(pattern, reading);
    }
    return reading;
  },
  { code: 'regExp' },
);

/** Whether ECMAScript can read a pattern: other languages have more syntax, such as `(?i)`. */
export function isReadable(pattern: string): boolean {
  try {
    return regExp(pattern) !== undefined;
  } catch {
    return false;
  }
}

function compile(pattern: string): RegExp {
  try {
    return new RegExp(pattern, 'u');
  } catch {
    return new RegExp(pattern);
  }
}

interface Lengths {
  readonly minLength: number;
  readonly maxLength: number;
}

/**
 * Generators of texts that probably match, the best first; the result must be checked. Empty when the
 * expression uses syntax that cannot be inverted.
 */
export function attempts(pattern: string, { minLength, maxLength }: Lengths): fc.Arbitrary<string>[] {
  const stretched = minLength > 1 ? stretch(pattern, minLength, maxLength) : undefined;
  // Look-around assertions are left to the check: the rest of the expression often satisfies them.
  return [stretched, pattern, withoutAssertions(pattern)].flatMap(candidate => {
    if (candidate === undefined) return [];
    try {
      return [fc.stringMatching(regExp(candidate), Number.isFinite(maxLength) ? { maxLength } : {})];
    } catch {
      return [];
    }
  });
}

/** Extends the open-ended repetitions of an expression for a minimal length. */
function stretch(pattern: string, least: number, most: number): string | undefined {
  const bounds = `{${least},${Number.isFinite(most) ? most : least + 8}}`;
  let changed = false;
  const result = pattern.replace(
    /\\.|\[(?:\\.|[^\]\\])*\]|[+*](\??)|\{\d+,\}/gsu,
    (token: string): string => {
      if (!/^[+*{]/.test(token)) return token;
      changed = true;
      return bounds;
    },
  );
  return changed ? result : undefined;
}

/** Without `\b`, `(?=…)`, `(?!…)`, `(?<=…)` and `(?<!…)`. */
function withoutAssertions(pattern: string): string | undefined {
  let result = '';
  let index = 0;
  while (index < pattern.length) {
    const token = /^(?:\\.|\[(?:\\.|[^\]\\])*\]|\(\?<?[=!]|.)/su.exec(pattern.slice(index))?.[0];
    if (token === undefined) return undefined;
    if (/^\(\?<?[=!]$/.test(token)) index = closing(pattern, index);
    else {
      if (token !== '\\b' && token !== '\\B') result += token;
      index += token.length;
    }
  }
  return result === pattern ? undefined : result;
}

/** The index after the bracket that closes the bracket here. */
function closing(pattern: string, start: number): number {
  let depth = 0;
  const tokens = /\\.|\[(?:\\.|[^\]\\])*\]|[()]/gsu;
  tokens.lastIndex = start;
  for (let match = tokens.exec(pattern); match; match = tokens.exec(pattern)) {
    if (match[0] === '(') depth++;
    if (match[0] === ')' && --depth === 0) return tokens.lastIndex;
  }
  return pattern.length;
}
