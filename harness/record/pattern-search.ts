/**
 * Search for many texts at once (the algorithm of Wu and Manber). The time does not depend on their number: most
 * characters of the searched text are skipped.
 */

import { shortestSecret } from './spellings.js';

/** Characters at the beginning of each pattern that are compared first. */
const windowLength = shortestSecret;
const blockLength = 3;
const buckets = 2 ** 16;

/** Shift of a block that no pattern contains. */
const farthest = windowLength - blockLength + 1;

const hashAt = (text: string, at: number): number =>
  (text.charCodeAt(at) * 1_009 + text.charCodeAt(at + 1) * 257 + text.charCodeAt(at + 2)) & (buckets - 1);

export interface Match<T> {
  readonly from: number;
  readonly to: number;
  readonly value: T;
}

export class PatternSearch<T> {
  /** The distance to the next possible end of a window, by block. */
  private readonly shifts = new Uint8Array(buckets).fill(farthest);
  /** Patterns with their values by their first characters, the longest pattern first. */
  private readonly byWindow = new Map<string, { readonly pattern: string; readonly value: T }[]>();

  /** @param pattern at least `shortestSecret` characters; a pattern that is known already keeps its value */
  add(pattern: string, value: T): void {
    for (let at = 0; at <= windowLength - blockLength; at++) {
      const hash = hashAt(pattern, at);
      this.shifts[hash] = Math.min(this.shifts[hash]!, windowLength - blockLength - at);
    }
    const key = pattern.slice(0, windowLength);
    const same = this.byWindow.get(key) ?? [];
    if (same.some(known => known.pattern === pattern)) return;
    same.push({ pattern, value });
    this.byWindow.set(
      key,
      same.sort((a, b) => b.pattern.length - a.pattern.length),
    );
  }

  /** Matches from left to right that do not overlap; of several at one position the longest. */
  find(text: string): Match<T>[] {
    const found: Match<T>[] = [];
    const { shifts } = this;
    const last = text.length - blockLength;
    for (let at = windowLength - blockLength; at <= last; ) {
      const shift = shifts[hashAt(text, at)]!;
      if (shift > 0) {
        at += shift;
        continue;
      }
      const from = at - windowLength + blockLength;
      const same = this.byWindow.get(text.slice(from, from + windowLength));
      const match = same?.find(({ pattern }) => text.startsWith(pattern, from));
      if (match) found.push({ from, to: from + match.pattern.length, value: match.value });
      at += match ? match.pattern.length : 1;
    }
    return found;
  }
}
