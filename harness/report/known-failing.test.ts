import { describe, expect, it } from 'vitest';
import type { RequirementId } from '../../spec/requirement.js';
import { newestFirst } from '../../spec/revisions.js';
import type { Verdict } from '../judge/verdict.js';
import { formatKnownFailing, KnownFailures, parseKnownFailing } from './known-failing.js';
import type { FindingReport, Report } from './report.js';

const [latest, older] = newestFirst().map(r => r.id) as [string, string];
const read = (text: string) => parseKnownFailing(text, 'known.txt');
const counterexample = { seed: 0, path: null, value: 1, label: null, message: null };
const name = (scenario: string, revision = latest) => `${revision}/stdio/${scenario}`;

describe('the file', () => {
  it('holds patterns with reasons, comments and empty lines', () => {
    const entries = read(
      '\uFEFF# ours\n\n  # indented comment\r\nserver/**#a.b   see #12, https://example.org/#x \r\n**#*\tall',
    );
    expect(entries.map(e => [e.line, e.pattern.text, e.reason])).toEqual([
      [4, 'server/**#a.b', 'see #12, https://example.org/#x'],
      [5, '**#*', 'all'],
    ]);
  });

  it.each([
    ['server/**#a.b', 'known.txt:1: a reason is missing after "server/**#a.b", e.g. the URL of an issue.'],
    [
      '\nserver/** why',
      'known.txt:2: "server/**" names no requirement; append "#" and its id, or "#*" for all of them.',
    ],
    ['a//b#c why', 'known.txt:1: "a//b#c" is not a pattern: a segment between two "/" is empty.'],
    ['a#b why\na#b because', 'known.txt:2: "a#b" is already listed in line 1.'],
  ])('%j is refused', (text, message) => {
    expect(() => read(text)).toThrow(message);
  });
});

describe('known failures', () => {
  const apply = (known: KnownFailures, verdict: Verdict, requirement = 'a.b', scenario = 'server/x') =>
    known.apply({ verdict, requirement: requirement as RequirementId }, name(scenario));
  const ran = [name('server/x'), name('probe')];

  it('give the reason of a listed failure only', () => {
    const known = new KnownFailures(read('server/x#a.b first\nserver/*#* second'));
    expect(apply(known, 'fail')).toBe('first');
    expect(apply(known, 'fail', 'c.d')).toBe('second');
    expect(apply(known, 'pass')).toBeUndefined();
    expect(apply(known, 'fail', 'a.b', 'client/x')).toBeUndefined();
    expect(known.stale(ran, ran)).toEqual([]);
  });

  it('are stale when they pass or match nothing', () => {
    const known = new KnownFailures(read('# note\nserver/x#a.b why\nserver/x#c.d why\nserver/gone#a.b why'));
    apply(known, 'pass');
    expect(known.stale(ran, ran)).toEqual([
      'line 2: server/x#a.b no longer fails; delete it',
      'line 3: server/x#c.d matches nothing that was judged; delete it',
      'line 4: server/gone#a.b matches nothing that was judged; delete it',
    ]);
  });

  it('are not stale when one of them still fails, or has no verdict', () => {
    const known = new KnownFailures(read('server/**#a.b why\nserver/**#c.d why\nserver/**#e.f why'));
    apply(known, 'pass');
    apply(known, 'fail', 'a.b', 'server/y');
    apply(known, 'inconclusive', 'c.d');
    apply(known, 'pass', 'c.d');
    apply(known, 'error', 'e.f');
    expect(known.stale([...ran, name('server/y')], [])).toEqual([]);
  });

  it('are not stale when the generated values differ from earlier runs', () => {
    const generated = name('server/generated/x');
    const known = new KnownFailures(read('server/**#a.b why\nserver/generated/x#a.b why\nserver/x#a.b why'));
    const lines = (otherwise: string[]) =>
      known.stale([...ran, generated], [], otherwise).map(line => line.split(':')[0]);
    expect(lines([generated])).toEqual(['line 3']);
    expect(lines([])).toEqual(['line 1', 'line 2', 'line 3']);
  });

  it('cover a generated value when the same requirement is listed for plain values', () => {
    const known = new KnownFailures(read('server/x#a.b why'));
    const generated = { verdict: 'fail', requirement: 'a.b' as RequirementId, counterexample } as const;
    const at = name('server/generated/x');
    expect(known.apply(generated, at)).toBeUndefined();
    expect(apply(known, 'fail')).toBe('why');
    expect(known.apply(generated, at)).toBe('why');
    expect(known.apply({ ...generated, requirement: 'c.d' as RequirementId }, at)).toBeUndefined();
    expect(known.apply(generated, name('server/generated/x', older))).toBeUndefined();
    expect(apply(known, 'fail', 'a.b', 'server/y')).toBeUndefined();
  });

  it('are not stale when their cases did not run', () => {
    const entries = [`${older}/**#a.b why`, '*/http-sse/**#a.b why', 'server/left-out#a.b why', '**#a.b why'];
    const known = new KnownFailures(read(entries.join('\n')));
    apply(known, 'pass');
    expect(known.stale(ran, [name('server/x'), name('server/left-out')])).toEqual([]);
  });
});

describe('a new list', () => {
  const finding = (requirement: string, at: string, more: Partial<FindingReport> = {}) =>
    ({
      requirement,
      grade: 'violation',
      case: name(at),
      expected: ['x'],
      actual: null,
      counterexample: null,
      knownFailing: null,
      ...more,
    }) as FindingReport;
  const written = (findings: FindingReport[], strict = false) =>
    formatKnownFailing(
      {
        tool: { name: 'mcp-conform', version: '1.2.3' },
        subject: { command: ['node', 'a\nb'], url: null },
        runs: [{ revision: latest, transport: 'stdio', findings }],
      } as unknown as Report,
      strict,
    ).replaceAll(latest, '<revision>');

  it('names each failure once, without the reason', () => {
    expect(
      written([
        finding('a.b', 'server/x', { actual: 'a\n\x1bb' }),
        finding('a.b', 'server/x', { actual: 'other' }),
        finding('c.d', 'server/x', { grade: 'warning' }),
        ...['1', '2', '3', '4'].map(n => finding('e.f', `server/${n}`)),
      ]),
    ).toMatchInlineSnapshot(`
      "# Failures of node a b
      # that are expected, found by mcp-conform 1.2.3. Each needs a reason, such as the URL of an issue.
      <revision>/stdio/server/x#a.b  # reason missing: expected x, got a b
      <revision>/stdio/**#e.f        # reason missing: expected x
      "
    `);
  });

  it('lists a requirement that fails without generated values once, and not for generated values', () => {
    const text = written([
      finding('a.b', 'server/x'),
      finding('a.b', 'server/generated/x', { counterexample }),
      finding('c.d', 'server/generated/x', { counterexample }),
    ]);
    expect(text.match(/server\S+/g)).toEqual(['server/x#a.b', 'server/generated/x#c.d']);
  });

  it('keeps existing reasons, and lists warnings with --strict', () => {
    const text = written(
      [
        finding('a.b', 'server/x', { grade: 'knownFailing', knownFailing: 'see #12' }),
        finding('c.d', 'server/x', { grade: 'warning' }),
      ],
      true,
    );
    expect(text.split('\n').slice(2, -1)).toEqual([
      '<revision>/stdio/server/x#a.b  see #12',
      '<revision>/stdio/server/x#c.d  # reason missing: expected x',
    ]);
  });

  it('is refused until every reason is present', () => {
    const text = written([finding('a.b', 'server/x')]).replaceAll('<revision>', latest);
    expect(() => read(text)).toThrow(`known.txt: replace "# reason missing" with a reason in line 3.`);
    expect(read(text.replace(/# reason missing.*/, 'see #12'))).toMatchObject([{ reason: 'see #12' }]);
  });
});
