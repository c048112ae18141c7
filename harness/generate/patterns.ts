/** Texts that match a regular expression of a schema. */

import fc from 'fast-check';
import { isQuickPattern } from '../../spec/schema-cost.js';
import { inWorker, notChecked } from '../../spec/schema-worker.js';
import { CannotGenerate } from './cannot-generate.js';

/** Whether a text matches; throws CannotGenerate when this takes too long. */
interface Matcher {
  test(text: string): boolean;
}

const readings = new Map<string, Matcher>();

/**
 * A pattern as its author intended: with the Unicode flag, and without this flag if the pattern has escapes
 * that the flag forbids. Texts for which the pattern may take long are tested in a worker with a deadline.
 */
export const regExp: {
  (pattern: string): Matcher;
  code: string;
} = Object.assign(
  (pattern: string): Matcher => {
    let reading = readings.get(pattern);
    if (!reading) {
      reading = matcher(pattern, compile(pattern));
      readings.set(pattern, reading);
    }
    return reading;
  },
  { code: 'regExp' },
);

function matcher(pattern: string, expression: RegExp): Matcher {
  let isSlow = false;
  return {
    test(text) {
      if (isQuickPattern(pattern, text.length)) return expression.test(text);
      const { flags } = expression;
      const outcome = isSlow ? tooLate : inWorker<boolean>({ kind: 'pattern', pattern, flags, text });
      if (outcome.value !== undefined) return outcome.value;
      isSlow = true;
      throw new CannotGenerate('#', 'pattern', `${JSON.stringify(pattern)}: ${notChecked}`);
    },
  };
}

const tooLate = { value: undefined };

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
    if (candidate === undefined || isHuge(candidate)) return [];
    try {
      return [fc.stringMatching(compile(candidate), Number.isFinite(maxLength) ? { maxLength } : {})];
    } catch {
      return [];
    }
  });
}

/** Nested repetitions: texts of such an expression may be too long to be generated. */
const deepestRepetition = 3;
const mostRepetitions = 10_000;

/** Whether repetitions contain each other so deep, or so often, that a text may be endless for practical purposes. */
function isHuge(pattern: string): boolean {
  /** For each open group: the largest product of repetitions inside, and their nesting. */
  const groups = [{ times: 1, depth: 0 }];
  let closed = { times: 1, depth: 0 };
  for (const [token, , least, most] of pattern.matchAll(
    /\\.|\[(?:\\.|[^\]\\])*\]|\(|\)|[*+]|(\{(\d+)(?:,(\d*))?\})|./gsu,
  )) {
    const group = groups.at(-1)!;
    if (token === '(') groups.push({ times: 1, depth: 0 });
    else if (token === ')' && groups.length > 1) {
      closed = groups.pop()!;
      const outer = groups.at(-1)!;
      outer.times = Math.max(outer.times, closed.times);
      outer.depth = Math.max(outer.depth, closed.depth);
      continue;
    } else if (/^[*+{]/.test(token) && token !== '{') {
      const times = closed.times * Math.max(Number(least ?? 1), Number(most || 1));
      group.times = Math.max(group.times, times);
      group.depth = Math.max(group.depth, closed.depth + 1);
    }
    closed = { times: 1, depth: 0 };
  }
  const [whole] = groups as [{ times: number; depth: number }];
  return whole.times > mostRepetitions || whole.depth > deepestRepetition;
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
