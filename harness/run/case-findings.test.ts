/** Findings of cases whose generated values ended at a limit. */

import { expect, test } from 'vitest';
import type { RequirementId } from '../../spec/requirement.js';
import { suite } from '../../suites/index.js';
import { notObservedWhereOthersJudge } from './case-findings.js';

const finding = (requirement: RequirementId) =>
  ({ requirement, source: 'suite', case: 1, verdict: 'inconclusive', evidence: [] }) as const;

test('are not observed where a scenario without generated values judges the requirement too', () => {
  const rows = ['ext-tasks.unknown-keys-ignored', 'streamable-http.read-as-http'] as const;
  const verdicts = notObservedWhereOthersJudge(rows.map(finding), suite, 'server').map(
    ({ verdict }) => verdict,
  );
  expect(verdicts).toEqual(['none', 'inconclusive']);
});
