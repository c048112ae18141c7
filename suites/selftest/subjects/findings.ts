/**
 * The stored findings on the real subjects: `findings.txt`, one finding a line, each with a verdict by eye.
 * A line is `subject | grade | requirement | verdict | whose | reason`.
 */

import { readFileSync, writeFileSync } from 'node:fs';
import type { Report } from '../../../harness/report/summary.js';

const file = new URL('./findings.txt', import.meta.url);

/** A verdict by eye: `right`, `contested` (argued in the reason), or `todo` for a line that nobody has read. */
const verdicts = ['right', 'contested', 'todo'] as const;
/** The party to blame: the SDK, the program that uses it, the driver, the network, or the machine. */
const blamed = ['sdk', 'program', 'driver', 'network', '?'] as const;

export interface Line {
  readonly subject: string;
  readonly grade: string;
  readonly requirement: string;
  readonly verdict: string;
  readonly whose: string;
  readonly reason: string;
}

const key = ({ subject, grade, requirement }: Pick<Line, 'subject' | 'grade' | 'requirement'>): string =>
  `${subject} | ${grade} | ${requirement}`;

/** A finding that depends on the order of events inside the subject: not every run shows it. */
const isRace = ({ reason }: Line): boolean => reason.startsWith('at times: ');

/** @throws {Error} for a line that does not have six columns, or an unknown verdict */
export function stored(): Line[] {
  return readFileSync(file, 'utf8')
    .split('\n')
    .flatMap((text, at) => {
      if (text.trim() === '' || text.startsWith('#')) return [];
      const [subject, grade, requirement, verdict, whose, reason] = text
        .split(' | ')
        .map(part => part.trim());
      const known = verdicts.some(v => v === verdict) && blamed.some(b => b === whose);
      if (!reason || !known) throw new Error(`findings.txt:${at + 1}: not a finding with a verdict: ${text}`);
      return [{ subject, grade, requirement, verdict, whose, reason } as Line];
    });
}

/**
 * The findings of one run that count: violations, warnings, and the differences that a gateway makes, which are notes;
 * each requirement once for each grade.
 */
export function found(subject: string, report: Report): Pick<Line, 'subject' | 'grade' | 'requirement'>[] {
  const all = report.runs.flatMap(run =>
    run.findings
      .filter(
        f =>
          f.grade === 'violation' ||
          f.grade === 'warning' ||
          f.grade === 'error' ||
          (f.grade === 'note' && run.side === 'intermediary'),
      )
      .map(f => ({ subject, grade: f.grade as string, requirement: f.requirement as string })),
  );
  return [...new Map(all.map(line => [key(line), line])).values()].sort((a, b) =>
    key(a).localeCompare(key(b)),
  );
}

/** The differences between the stored findings of a subject and those of a run: one line each. */
export function differences(
  subject: string,
  now: readonly Pick<Line, 'subject' | 'grade' | 'requirement'>[],
  before: readonly Line[],
): string[] {
  const own = before.filter(line => line.subject === subject);
  const [old, current] = [own, now].map(lines => new Set(lines.map(key))) as [Set<string>, Set<string>];
  return [
    ...[...current].filter(text => !old.has(text)).map(text => `+ ${text}`),
    ...own.filter(line => !isRace(line) && !current.has(key(line))).map(line => `- ${key(line)}`),
  ];
}

/** Writes the findings of the given subjects; a line that was there before keeps its verdict and reason. */
export function store(
  now: ReadonlyMap<string, readonly Pick<Line, 'subject' | 'grade' | 'requirement'>[]>,
  order: readonly string[],
): void {
  const before = stored();
  const known = new Map(before.map(line => [key(line), line]));
  const linesOf = (subject: string) => {
    const own = before.filter(line => line.subject === subject);
    const seen = now.get(subject);
    if (!seen) return own;
    const missed = own.filter(line => isRace(line) && !seen.some(other => key(other) === key(line)));
    return [...seen, ...missed];
  };
  const lines = order.flatMap(subject =>
    linesOf(subject).map(line => {
      const { verdict, whose, reason } = known.get(key(line)) ?? { verdict: 'todo', whose: '?', reason: '-' };
      return `${key(line)} | ${verdict} | ${whose} | ${reason}`;
    }),
  );
  const head = readFileSync(file, 'utf8')
    .split('\n')
    .filter(line => line.startsWith('#'));
  writeFileSync(file, `${[...head, ...lines].join('\n')}\n`);
}
