/** Failures of tests about the project itself: what is missing, in which file, and what to do next. */

import { expect } from 'vitest';

export interface Gap {
  /** The row, the file or the name that the gap is about. */
  readonly what: string;
  /** The file to change. */
  readonly file: string;
  /** What to do there. */
  readonly next: string;
}

/** One paragraph for each gap. */
const describeGaps = (rule: string, gaps: readonly Gap[]): string =>
  [
    `${rule} (${gaps.length} violated):`,
    ...gaps.map(({ what, file, next }) => `  ${what}\n    file: ${file}\n    next: ${next}`),
  ].join('\n');

/** Fails with a list of the gaps. @param rule the sentence that the gaps violate */
export function expectNoGaps(rule: string, gaps: readonly Gap[]): void {
  if (gaps.length > 0) expect.fail(`${describeGaps(rule, gaps)}\n`);
}
