/** Failures the user knows of and has listed, each with a reason. A listed failure that no longer happens is reported. */

import type { Finding } from '../judge/finding.js';
import { concerns, matches, type Pattern, parsePattern, UsageError } from './pattern.js';
import type { FindingReport, Report } from './report.js';

export interface KnownEntry {
  readonly line: number;
  readonly pattern: Pattern;
  readonly reason: string;
}

/** What stands for a reason in a list that was written by us; whoever uses the list has to replace it. */
const REASON_MISSING = '# reason missing';

/** A requirement that fails in more cases than this under one revision and transport is listed once for all of them. */
const FEW = 3;

/**
 * A list of what fails the run, in the form `parseKnownFailing` reads. Failures that were known keep their reasons; the
 * others get a note that is refused until somebody has written why. What fails without generated values is listed for that
 * alone.
 * @param strict warnings fail the run
 */
export function formatKnownFailing(report: Report, strict: boolean): string {
  const failing = ({ grade }: FindingReport) =>
    grade === 'violation' || grade === 'knownFailing' || (strict && grade === 'warning');
  const lines = new Map<string, string>();
  for (const run of report.runs) {
    const all = run.findings.filter(failing);
    const plain = new Set(all.flatMap(f => (f.counterexample ? [] : [f.requirement])));
    const findings = all.filter(f => !f.counterexample || !plain.has(f.requirement));
    for (const finding of findings) {
      const { requirement, knownFailing, expected, actual } = finding;
      const cases = new Set(findings.filter(f => f.requirement === requirement).map(f => f.case));
      const path = cases.size > FEW ? `${run.revision}/${run.transport}/**` : finding.case;
      const key = `${path}#${requirement}`;
      const seen = `expected ${expected.join(' or ')}${actual === null ? '' : `, got ${actual}`}`;
      const reason = knownFailing ?? `${REASON_MISSING}: ${oneLine(seen)}`;
      const former = lines.get(key);
      // A known one of several cases must not hide that another has no reason yet.
      if (!former || (knownFailing === null && !former.startsWith(REASON_MISSING))) lines.set(key, reason);
    }
  }
  const head = [
    `# Failures of ${oneLine(report.subject.command?.join(' ') ?? report.subject.url ?? report.role)}`,
    `# that are expected, found by ${report.tool.name} ${report.tool.version}. Each needs a reason, such as the URL of an issue.`,
  ];
  const width = Math.min(100, Math.max(0, ...[...lines.keys()].map(key => key.length)));
  return `${[...head, ...[...lines].map(([key, reason]) => `${key.padEnd(width)}  ${reason}`)].join('\n')}\n`;
}

/** Text of a subject, short and on one line. */
const oneLine = (text: string): string => text.replace(/[\s\p{C}]+/gu, ' ').slice(0, 160);

/**
 * Reads the file. One entry a line: `pattern#requirement`, white space, the reason up to the end of the line. A line whose
 * first visible character is `#` is a comment, as are empty lines; a `#` further on never starts a comment, so that
 * reasons can name `#12`. The requirement is mandatory, because a whole case hides too much by accident; `#*` says all.
 * @param file its name, for messages
 * @throws {UsageError} one line, with file and line number
 */
export function parseKnownFailing(text: string, file: string): KnownEntry[] {
  const entries: KnownEntry[] = [];
  for (const [index, content] of text
    .replace(/^\uFEFF/, '')
    .split(/\r?\n/)
    .entries()) {
    const line = index + 1;
    const found = /^(\S+)(?:\s+(.*))?$/.exec(content.trim());
    if (!found || found[1]!.startsWith('#')) continue;
    const entry = { line, pattern: readPattern(found[1]!, `${file}:${line}`), reason: found[2] ?? '' };
    if (entry.reason === '')
      throw new UsageError(
        `${file}:${line}: a reason is missing after "${entry.pattern.text}", e.g. the URL of an issue.`,
      );
    if (entry.reason.startsWith(REASON_MISSING))
      throw new UsageError(
        `${file}:${line}: say why "${entry.pattern.text}" is expected to fail, in place of "${REASON_MISSING}".`,
      );
    const earlier = entries.find(e => e.pattern.text === entry.pattern.text);
    if (earlier)
      throw new UsageError(
        `${file}:${line}: "${entry.pattern.text}" is already listed in line ${earlier.line}.`,
      );
    entries.push(entry);
  }
  return entries;
}

function readPattern(text: string, where: string): Pattern {
  let pattern: Pattern;
  try {
    pattern = parsePattern(text);
  } catch (error) {
    if (error instanceof UsageError) throw new UsageError(`${where}: ${error.message}`);
    throw error;
  }
  if (pattern.requirement === undefined)
    throw new UsageError(
      `${where}: "${text}" names no requirement; append "#" and its id, or "#*" for all of them.`,
    );
  return pattern;
}

/** Applies the entries to the findings of a run and remembers which were needed. */
export class KnownFailures {
  private readonly failed = new Set<KnownEntry>();
  /** Entries whose findings could not be judged: not known to be fixed. */
  private readonly unclear = new Set<KnownEntry>();
  private readonly passed = new Set<KnownEntry>();
  /** Requirements that fail without generated values, and are listed: by revision and transport, with the reason. */
  private readonly plain = new Map<string, string>();

  constructor(readonly entries: readonly KnownEntry[]) {}

  /**
   * Notes a finding; to be called for each, whatever its verdict. Those of generated values come last, and are known when
   * the same requirement is known to fail without them.
   * @returns the reason when it is a failure that is listed
   */
  apply(
    finding: Pick<Finding, 'verdict' | 'requirement' | 'counterexample'>,
    caseName: string,
  ): string | undefined {
    let reason: string | undefined;
    for (const entry of this.entries) {
      if (finding.verdict === 'none' || !matches(entry.pattern, caseName, finding.requirement)) continue;
      if (finding.verdict === 'fail') {
        this.failed.add(entry);
        reason ??= entry.reason;
      } else (finding.verdict === 'pass' ? this.passed : this.unclear).add(entry);
    }
    // nearly all that is told passes, and most runs have no list
    if (finding.verdict !== 'fail' || this.entries.length === 0) return undefined;
    const where = [...placeOf(caseName), finding.requirement].join();
    if (finding.counterexample) return reason ?? this.plain.get(where);
    if (reason !== undefined) this.plain.set(where, reason);
    return reason;
  }

  /**
   * Entries to delete: all they list passed, or nothing like it was judged. Entries about other revisions or transports,
   * or about cases that were left out, are not called stale.
   * @param ran full names of the cases that ran, the probe's too
   * @param all names of every case there is under the revisions and transports that ran, also of those that --run, --skip
   * or a missing capability left out
   * @param otherwise names of those that ran with other generated values than before: that nothing failed there says little
   */
  stale(ran: Iterable<string>, all: Iterable<string>, otherwise: readonly string[] = []): string[] {
    const ranNames = new Set(ran);
    const names = [...new Set([...ranNames, ...all])];
    return this.entries
      .filter(entry => !this.failed.has(entry) && !this.unclear.has(entry))
      .filter(({ pattern }) => names.some(name => concerns(pattern, ...placeOf(name))))
      .filter(({ pattern }) => names.every(name => ranNames.has(name) || !matches(pattern, name)))
      .filter(({ pattern }) => !otherwise.some(name => matches(pattern, name)))
      .map(entry => {
        const what = this.passed.has(entry) ? 'no longer fails' : 'matches nothing that was judged';
        return `line ${entry.line}: ${entry.pattern.text} ${what}; delete it`;
      });
  }
}

const placeOf = (caseName: string): [revision: string, transport: string] => {
  const [revision = '', transport = ''] = caseName.split('/');
  return [revision, transport];
};
