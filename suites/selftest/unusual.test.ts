/** Faults that only generated input finds: not without it, nearly always with it, and what is shown is the smallest there is. */

import { describe, expect, test } from 'vitest';
import { run } from '../../harness/run.js';
import type { RunEvent } from '../../harness/run-event.js';
import type { Patience } from '../../harness/shrink.js';
import { inProcess } from '../../harness/subject.js';
import { breaksIn } from '../../mocks/fault.js';
import { unusualFaults } from '../../mocks/faults/unusual.js';
import { mockServer } from '../../mocks/server.js';
import { newestFirst } from '../../spec/revisions.js';
import { suite } from '../index.js';
import { explainFindings, tryMock } from './trial.js';

/** By fault: the scenario that finds it, and what the smallest value looks like as JSON. */
const findings: Readonly<Record<string, readonly [scenario: string, smallest: RegExp]>> = {
  'id-wraps-at-31-bits': ['ids/results-and-errors', /^\[{"id":2147483648,"of":"result"}\]$/],
  'id-loses-sign': ['ids/results-and-errors', /^\[{"id":-(1001|2147483648),"of":"result"}\]$/],
  'id-quoted-twice': ['ids/results-and-errors', /^\[{"id":"(\\"|\\\\|\\\\\\u0000)","of":"result"}\]$/],
  'id-inherited-lost': [
    'ids/results-and-errors',
    /^\[{"id":"(__proto__|constructor|toString|hasOwnProperty)","of":"result"}\]$/,
  ],
  'id-control-characters-replaced': [
    'ids/results-and-errors',
    /^\[{"id":"(\\u0000|\\t|\\n)","of":"result"}\]$/,
  ],
  'id-higher-planes-replaced': ['ids/results-and-errors', /^\[{"id":"\ud840\udc00","of":"result"}\]$/],
  'id-of-error-retyped': ['ids/results-and-errors', /^\[{"id":-(1|2147483648),"of":"error"}\]$/],
  'methods-in-any-case': ['methods/requests', /^\["(PING|Ping)"\]$/],
  'methods-trimmed': ['methods/requests', /^\["ping "\]$/],
  'methods-inherited': ['methods/requests', /^\["(__proto__|constructor|toString|hasOwnProperty)"\]$/],
  'empty-notification-answered': ['methods/notifications', /^{"method":"notifications\/[^"]*","params":{}}$/],
  'nested-members-refused': ['params/unknown-members', /"members":{"\w+":(\[\]|{})}}$/],
  'inherited-members-refused': [
    'params/unknown-members',
    /"members":{"(__proto__|constructor|toString|hasOwnProperty)":null}}$/,
  ],
  'metadata-with-prefix-refused': [
    'params/unknown-metadata',
    /"reserved":{},"free":{"(com|io)\.(example|vendor)[^"]*":null}}$/,
  ],
  'reserved-metadata-nested-refused': [
    'params/unknown-metadata',
    /"reserved":{"io.modelcontextprotocol\/x-0":(\[\]|{})},"free":{}}$/,
  ],
  'cursor-of-other-type-ignored': ['params/one-step-invalid', /"params":{"cursor":({}|\[\])}/],
  'absent-params-internal-error': [
    'params/one-step-invalid',
    /^{"method":"[\w/]+","what":"\w+: required member dropped"}$/,
  ],
  'long-cursor-internal-error': ['features/cursors', /^{"method":"tools\/list","text":"a{30}"}$/],
  'cursor-beyond-ascii-ignored': [
    'features/cursors',
    /^{"method":"tools\/list","text":"(\\u00..|[^ -~]{1,2})"}$/,
  ],
  'completion-by-pattern': ['features/completion', /"value":"(\(|\[|\*|\\\\|\+|\?)"}$/],
  'completion-of-space-unlimited': ['features/completion', /"value":"( | a|a |\\t|\\n)"}$/],
  'uri-undecodable-internal-error': ['features/unknown-resources', /no-such-resource\/(%FF|%C3|%E2%82)"$/],
  'levels-by-their-beginning': ['features/unknown-levels', /^"debug "$/],
  'higher-planes-lost': ['features/echoed-texts', /^"\ud840\udc00"$/],
  'unknown-arguments-refused': [
    'tools/fitting-arguments',
    /^\[{"name":"\w+","arguments":{"x":null(,"\w+":("\w*"|\[\]))?}}\]$/,
  ],
  'empty-texts-refused': ['tools/fitting-arguments', /^\[{"name":"\w+","arguments":{.*"".*}}\]$/],
  'structured-content-misfit': [
    'tools/fitting-arguments',
    /^\[{"name":"test_order","arguments":{"quantity":(2|100)}}\]$/,
  ],
  'nested-requirement-unchecked': [
    'tools/incomplete-arguments',
    /^{"name":"test_order","arguments":{"lines":\[{}\]},"path":"\/lines\/0\/sku"}$/,
  ],
  'escaped-id-as-written': [
    'text/spellings',
    /"id":"[^"]*","spelling":{"order":"\w+","space":"","escape":"(all|some|non-ascii)","solidus":false,/,
  ],
  'dies-of-upper-case-escapes': [
    'text/spellings',
    /"order":"given","space":"","escape":"(all|some|non-ascii)","solidus":false,"upperCase":true/,
  ],
  'lists-empty-after-a-cancelled-one': [
    'sequences/commands',
    /^\[{"do":"cancel","ask":{"method":"[\w/]+\/list"},"when":"at once"},({"do":"ask","ask":{"method":"[\w/]+\/list"}}|{"do":"together","asks":\[[^\]]*\]})\]$/,
  ],
};

const [revision] = newestFirst();
const timing = { answer: 20_000, exit: 250, quiet: 20 };

/** Only how the subject answers matters here, not how fast. */
const endless: Patience = { values: 2_000, conversations: 200, ms: 60_000, msInAll: 60_000 };
const none: Patience = { ...endless, values: 0 };

/** What fails in one scenario alone, in one run. */
async function trial(id: string, seed: number, patience: Patience) {
  const subject = inProcess(mockServer({ delayMs: 2, faults: [id] }).serve);
  const selected = (name: string) => name.endsWith(`/server/generated/${findings[id]![0]}`);
  const failed: Extract<RunEvent, { kind: 'finding' }>['finding'][] = [];
  const options = { subject, suite, revision: revision!, fixtures: true, seed, patience, timing, selected };
  for await (const event of run(options))
    if (event.kind === 'finding' && event.finding.verdict === 'fail') failed.push(event.finding);
  return failed;
}

test('there are twenty and more, each with a scenario', () => {
  expect(unusualFaults.length).toBeGreaterThanOrEqual(20);
  expect(Object.keys(findings).sort()).toEqual(unusualFaults.map(f => f.id).sort());
});

test('none is found without generated values', { timeout: 60_000 }, async () => {
  const { failed } = await tryMock(revision!, { faults: unusualFaults.map(f => f.id), runs: 0 });
  expect(explainFindings(failed.values())).toBe('');
});

describe.each(unusualFaults)('$id', fault => {
  const breaks = breaksIn(fault, revision!, 'stdio').sort();

  test('is found with 99 of 100 seeds, and nothing else', { timeout: 60_000 }, async () => {
    const missed: number[] = [];
    for (let seed = 1; seed <= 100; seed++) {
      const failed = await trial(fault.id, seed, none);
      if (failed.length === 0) missed.push(seed);
      else expect([...new Set(failed.map(f => f.requirement))].sort()).toEqual(breaks);
    }
    expect(missed.length, `not with the seeds ${missed.join(', ')}`).toBeLessThanOrEqual(1);
  });

  test('is shown with the smallest value', { timeout: 60_000 }, async () => {
    for (const seed of [1, 2, 3]) {
      const [finding] = await trial(fault.id, seed, endless);
      expect(JSON.stringify(finding?.counterexample?.value)).toMatch(findings[fault.id]![1]);
      expect(finding?.counterexample?.path).toMatch(/^\d+(:\d+)*$/);
    }
  });
});
