/**
 * Faults that only generated input finds: never without it, nearly always with it, and always with the
 * smallest counterexample.
 */

import { describe, expect, test } from 'vitest';
import type { Finding } from '../../harness/judge/finding.js';
import { run } from '../../harness/run/server/run.js';
import type { Patience } from '../../harness/run/server/shrink.js';
import type { Fault } from '../../mocks/fault.js';
import { generatedOnlyFaults } from '../../mocks/server/faults/generated-only.js';
import { mockServer } from '../../mocks/server/server.js';
import { latestStateless, newestFirst, type Revision, type TransportId } from '../../spec/revisions.js';
import { suite } from '../index.js';
import { breaksIn } from './fault-matrix.js';
import { explainFindings, observe, reach, steadily, type Trial, tryMock } from './run-mock.js';

/** By fault: the scenario that finds it, and a pattern of the smallest value as JSON. */
const findings: Readonly<Record<string, readonly [scenario: string, smallest: RegExp]>> = {
  'id-wraps-at-31-bits': ['ids/results-and-errors', /^\[{"id":2147483648,"of":"result"}\]$/],
  'id-loses-sign': ['ids/results-and-errors', /^\[{"id":-(1001|2147483648),"of":"result"}\]$/],
  'id-quoted-twice': ['ids/results-and-errors', /^\[{"id":"(\\"|\\\\|\\\\\\u0000)","of":"result"}\]$/],
  'id-inherited-lost': [
    'ids/results-and-errors',
    /^\[{"id":"(__proto__|toString|hasOwnProperty)","of":"result"}\]$/,
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
  'dies-of-a-piece-across-lines': [
    'text/pieces',
    /^{"asks":\[({"ask":{"method":"[\w/]+"(,"params":[^\]]*)?},"id":"[^"]*"},?){2}\],"cuts":(\[\d+\]|"inside characters")}$/,
  ],
  'dies-of-an-escape-in-two-pieces': [
    'text/pieces',
    /^{"asks":\[{"ask":{[^\]]*},"id":"(\\"|\\\\|\\\\\\u\w{4}|\\[a-z]\w*)"}\],"cuts":("everywhere"|\[\d+\])}$/,
  ],
  'body-cut-late-misread': [
    'http/pieces',
    /^{"asks":\[{"ask":{[^\]]*},"id":"\ud800\udc00"}\],"cuts":("everywhere"|"inside characters"|\[\d+\])}$/,
  ],
  'body-in-many-pieces-refused': [
    'http/pieces',
    /^{"asks":\[{"ask":{[^\]]*},"id":"[^"]{0,2}"}\],"cuts":("everywhere"|"inside characters"|\[\d+,\d+,\d+\])}$/,
  ],
  'accept-in-one-order-only': [
    'http/headers',
    /"letters":"as usual","space":"","accept":"text\/event-stream, application\/json"}$/,
  ],
  'accept-with-weights-refused': [
    'http/headers',
    /"letters":"as usual","space":"","accept":"application\/json( ?; ?q=[\d.]+, text\/event-stream|, text\/event-stream ?; ?q=[\d.]+)"}$/,
  ],
  'content-type-with-parameters-refused': [
    'http/media-types',
    /^{"letters":"as usual","parameters":" ?; ?[Cc]harset=\S+","accept":"as usual"}$/,
  ],
  'media-types-in-capitals-refused': [
    'http/media-types',
    /^{"letters":"(upper|mixed)","parameters":"","accept":"as usual"}$/,
  ],
  'progress-token-wraps-at-31-bits': ['features/progress-tokens', /^\[2147483648\]$/],
  'progress-token-quoted-twice': ['features/progress-tokens', /^\["(\\"|\\\\|\\\\\\u0000)"\]$/],
  'progress-token-higher-planes-replaced': ['features/progress-tokens', /^\["\ud840\udc00"\]$/],
  'cursor-good-for-two-uses-in-a-row': ['features/pages', /^{"method":"tools\/list","pages":\[0,0,0\]}$/],
  'second-retry-without-answers-refused': [
    'sequences/rounds',
    /^\[{"call":\d,"do":"call","more":"unasked"},({"call":\d,"do":"answer nothing","more":"unasked"},?){2}\]$/,
  ],
  'inherited-answers-refused': [
    'sequences/rounds',
    /^\[{"call":\d,"do":"call","more":"unasked"},{"call":\d,"do":"answer more","more":"(__proto__|constructor|toString|hasOwnProperty)"}\]$/,
  ],
  'subscription-end-ends-others': [
    'sequences/subscriptions',
    /^\[({"do":"listen","slot":\d,"lists":\[[^\]]*\]},){2,3}({"do":"stop","slot":\d},)?{"do":"change"}\]$/,
  ],
  'task-cancel-loses-questions-of-others': ['sequences/tasks', /^\[({"task":\d,"do":"create"},?){2}\]$/],
  'cursor-forgotten-on-the-way-back': ['features/pages', /^{"method":"tools\/list","pages":\[0,[13],0\]}$/],
};

/** The newest revision that shows a fault: one with a handshake, if possible. */
const revisionOf = (fault: Fault): Revision =>
  [...newestFirst(), latestStateless].find(r => r.transports.some(t => breaksIn(fault, r, t).length > 0))!;

const timing = { answer: 20_000, exit: 250, quiet: 20 };

/** Only the responses of the subject matter here, not their speed. */
const endless: Patience = { values: 2_000, conversations: 200, ms: 60_000, msInAll: 60_000 };
const none: Patience = { ...endless, values: 0 };

/** The transport that shows a fault; stdio if possible. */
const transportOf = (fault: Fault): TransportId =>
  breaksIn(fault, revisionOf(fault), 'stdio').length > 0 ? 'stdio' : 'streamable-http';

/** Scenarios in which the pages of lists matter; the others read each list in one page, which takes less time. */
const aboutPages = /^(features\/(cursors|pages)|params\/one-step-invalid|sequences\/.*)$/;

/** The failures in one scenario alone, in one run. @param also further faults */
async function trial(
  fault: Fault,
  seed: number,
  patience: Patience,
  also: string[] = [],
): Promise<Finding[]> {
  const { findings: found } = await steadily(() => tryOnce(fault, seed, patience, also));
  return found.filter(({ verdict }) => verdict === 'fail');
}

async function tryOnce(fault: Fault, seed: number, patience: Patience, also: string[]): Promise<Trial> {
  const transport = transportOf(fault);
  const [scenario] = findings[fault.id]!;
  const { subject, close } = await reach(
    mockServer({
      delayMs: 2,
      revisions: [revisionOf(fault).id],
      faults: [fault.id, ...also],
      ...(!aboutPages.test(scenario) && { pageSize: 100 }),
    }),
    transport,
  );
  const selected = (name: string) => name.endsWith(`/server/generated/${scenario}`);
  const options = {
    subject,
    transport,
    suite,
    revision: revisionOf(fault),
    fixtures: true,
    seed,
    patience,
    timing,
    selected,
  };
  const trial = await observe(run(options));
  await close();
  return trial;
}

test('there are at least 20 faults, each with a scenario', () => {
  expect(generatedOnlyFaults.length).toBeGreaterThanOrEqual(20);
  expect(Object.keys(findings).sort()).toEqual(generatedOnlyFaults.map(f => f.id).sort());
});

test('no fault is found without generated values', async () => {
  for (const revision of new Set(generatedOnlyFaults.map(revisionOf)))
    for (const transport of ['stdio', 'streamable-http'] as const) {
      const shown = generatedOnlyFaults.filter(
        f => revisionOf(f) === revision && transportOf(f) === transport,
      );
      const { failed } = await tryMock(revision, { faults: shown.map(f => f.id), transport, runs: 0 });
      expect(explainFindings(failed.values())).toBe('');
    }
});

describe.each(generatedOnlyFaults)('$id', fault => {
  const breaks = breaksIn(fault, revisionOf(fault), transportOf(fault)).sort();

  test('is found with 99 of 100 seeds, without any other failure', async () => {
    const missed: number[] = [];
    for (let seed = 1; seed <= 100; seed++) {
      const failed = await trial(fault, seed, none);
      if (failed.length === 0) missed.push(seed);
      else expect([...new Set(failed.map(f => f.requirement))].sort()).toEqual(breaks);
    }
    expect(missed.length, `not found with the seeds ${missed.join(', ')}`).toBeLessThanOrEqual(1);
  });

  test('is shown with the smallest value', async () => {
    for (const seed of [1, 2, 3]) {
      const [finding] = await trial(fault, seed, endless);
      expect(JSON.stringify(finding?.counterexample?.value)).toMatch(findings[fault.id]![1]);
      expect(finding?.counterexample?.path).toMatch(/^\d+(:\d+)*$/);
    }
  });
});

test('a warning by one value hides no violation by a later one', async () => {
  const warned = generatedOnlyFaults.find(({ id }) => id === 'completion-by-pattern')!;
  const [pattern, limit] = ['completion.server-validates-inputs', 'completion.max-100-values'];
  for (let seed = 1; seed <= 10; seed++) {
    const failed = await trial(warned, seed, none, ['completion-of-space-unlimited']);
    expect([seed, ...new Set(failed.map(f => f.requirement))].sort()).toEqual([seed, limit, pattern]);
  }
});
