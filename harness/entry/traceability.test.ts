/** The export of the SEPs in the form of the official suite. */

import { expect, test } from 'vitest';
import { requirements as allRows } from '../../spec/requirement.js';
import { seps } from '../../spec/sep.js';
import { suite } from '../../suites/index.js';
import { traceability } from './traceability.js';

interface Described {
  readonly requirements: readonly { readonly check: string; readonly status: string }[];
  readonly excluded: readonly { readonly text: string; readonly reason: string }[];
}

test('each requirement of a SEP is tested, or excluded with a reason', () => {
  const { seps: described } = traceability(suite) as { seps: Record<string, Described> };
  const bySentence = new Map([...allRows().values()].map(row => [row.says, row]));
  for (const [number, { revision, rows }] of seps()) {
    const { requirements, excluded } = described[number]!;
    expect(requirements.length + excluded.length, String(number)).toBe(rows.length);
    for (const { text, reason } of excluded) {
      const { unjudged, clauses } = bySentence.get(text)!;
      if (unjudged === undefined) expect([text, clauses[revision]!.level]).toEqual([text, 'MAY']);
      else expect(reason).not.toMatch(/^A permission/);
    }
  }
  const byRule = described[2549]!.requirements.find(({ check }) => check === 'caching.ttl-not-negative');
  expect(byRule?.status).toBe('tested');
});
