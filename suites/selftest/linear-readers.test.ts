/** The time of each reader grows with the size of its input, not with the square of the size. */

import { describe, expect, test } from 'vitest';
import { SseReader } from '../../harness/framing/sse.js';
import { parseChallenges } from '../../harness/oauth/challenge.js';
import { formsOf, wordsOf } from '../../harness/oauth/forms.js';
import { Secrets } from '../../harness/record/redaction.js';
import { parseKnownFailing } from '../../harness/report/known-failing.js';

describe('time grows with the size', () => {
  const secrets = new Secrets();
  secrets.learn('aB3+/x~"K9 q<Z&7é=Wp');
  const stream = (text: string) => {
    const reader = new SseReader(() => {});
    reader.push(Buffer.from(text));
    reader.end();
  };
  const readers: Record<
    string,
    [size: number, make: (size: number) => string, read: (text: string) => void]
  > = {
    'comments in one block': [20_000, size => ':\n'.repeat(size), stream],
    'carriage returns': [20_000, size => '\r'.repeat(size), stream],
    'data lines': [20_000, size => 'data: x\n'.repeat(size), stream],
    'escapes around secrets': [200_000, size => '\\u0041'.repeat(size / 6), text => secrets.hide(text)],
    // eight times as many are within the limit of tags
    'forms in a page': [
      800,
      size => '<form><input name=a></form>'.repeat(size),
      t => formsOf(t, new URL('http://a/')),
    ],
    'nested elements': [2_000, size => '<div>'.repeat(size), text => wordsOf(text)],
    'a form of many parameters': [20_000, size => '='.repeat(size), text => secrets.learnFrom(text)],
    challenges: [20_000, size => 'Bearer a="b",'.repeat(size / 10), text => parseChallenges([text])],
    'known failures': [
      2_000,
      size => Array.from({ length: size }, (_, at) => `a${at}#b c`).join('\n'),
      text => parseKnownFailing(text, 'known.txt'),
    ],
  };

  /** Milliseconds of CPU time, which other programs do not change. */
  const best = (act: () => void): number =>
    Math.min(
      ...Array.from({ length: 5 }, () => {
        const before = process.cpuUsage();
        act();
        const { user, system } = process.cpuUsage(before);
        return (user + system) / 1_000;
      }),
    );

  test.each(Object.entries(readers))('%s', (_, [size, make, read]) => {
    const [small, large] = [make(size), make(size * 8)];
    read(small);
    // a quadratic reader takes 64 times as long
    expect(best(() => read(large))).toBeLessThan(best(() => read(small)) * 32 + 100);
  });
});
