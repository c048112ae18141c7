/** Puts the JSON reports of the parts of a run together. A record has more: see `harness/run/merge.ts`. */

import { entry, grouped } from '../grouped.js';
import { exitCodes, type Grade, worst, worstGrade } from '../judge/verdict.js';
import { incompleteness, inOrder, type PartFile } from './parts.js';
import type {
  CaseReport,
  FindingReport,
  ItemUsage,
  Report,
  RequirementReport,
  RunReport,
  Totals,
  UsageReport,
} from './report.js';

/** The worst last. */
const codes: readonly number[] = [
  exitCodes.conforms,
  exitCodes.couldNotJudge,
  exitCodes.violation,
  exitCodes.defect,
];

/** @throws UsageError for reports that are not parts of one run */
export function mergeReports(files: readonly PartFile<Report>[]): Report {
  const { parts, missing, of } = inOrder(files, report => report);
  const reports = parts.map(({ content }) => content);
  const { shard: _, stopped: __, ...first } = reports[0]!;
  const unfinished = reports.flatMap(({ shard, unjudged, stopped }) => {
    const reason = unjudged?.reason ?? stopped;
    return reason === undefined ? [] : [{ at: shard!.at, reason }];
  });
  const isNothingJudged = reports.every(({ unjudged }) => unjudged);
  const stopped = isNothingJudged ? undefined : incompleteness(missing, of, unfinished);
  const runs = [
    ...grouped(
      reports.flatMap(r => r.runs),
      r => `${r.revision} ${r.transport}`,
    ).values(),
  ].map(mergeRun);
  const stale = [...new Set(reports.flatMap(r => r.stale))];
  const ended = [
    ...reports.map(r => r.exitCode),
    ...(stopped === undefined ? [] : [exitCodes.couldNotJudge]),
  ];
  return {
    ...first,
    startedAt: reports.map(r => r.startedAt).sort()[0]!,
    durationMs: Math.max(...reports.map(r => r.durationMs)),
    exitCode: ended.reduce((a, b) => (codes.indexOf(a) >= codes.indexOf(b) ? a : b)),
    summary: totals(reports, runs, stale.length),
    runs,
    unjudged: isNothingJudged ? first.unjudged : null,
    ...(stopped !== undefined && { stopped }),
    stale,
  };
}

function mergeRun(parts: readonly RunReport[]): RunReport {
  const requirements = new Map<string, RequirementReport>();
  for (const row of parts.flatMap(p => p.requirements)) {
    const { reason: _, ...earlier } = entry(requirements, row.id, () => ({ ...row, examined: 0 }));
    const grade = worstGrade(earlier.grade, row.grade);
    const reason = grade === 'notObserved' ? (requirements.get(row.id)!.reason ?? row.reason) : undefined;
    requirements.set(row.id, {
      ...earlier,
      grade,
      examined: earlier.examined + row.examined,
      ...(reason !== undefined && { reason }),
    });
  }
  const cases = new Map<string, CaseReport>();
  for (const one of parts.flatMap(p => p.cases)) {
    const earlier = cases.get(one.name);
    cases.set(one.name, earlier ? { ...one, verdict: worst(earlier.verdict, one.verdict) } : one);
  }
  const findings = new Map<string, FindingReport>();
  for (const one of parts.flatMap(p => p.findings)) {
    const { requirement, grade, case: name, expected, actual, message } = one;
    const key = JSON.stringify([requirement, grade, name, expected, actual, message]);
    const earlier = findings.get(key);
    findings.set(key, earlier ? { ...earlier, count: earlier.count + one.count } : one);
  }
  const usage = mergeUsage(parts.flatMap(p => p.usage ?? []));
  const notApplicable = new Map(parts.flatMap(p => p.notApplicable.map(row => [row.id, row] as const)));
  return {
    ...parts[0]!,
    durationMs: Math.max(...parts.map(p => p.durationMs)),
    requirements: [...requirements.values()],
    findings: [...findings.values()],
    cases: [...cases.values()],
    notApplicable: [...notApplicable.values()].filter(({ id }) => !requirements.has(id)),
    ...(usage && { usage }),
  };
}

function mergeUsage(parts: readonly UsageReport[]): UsageReport | undefined {
  if (parts.length === 0) return undefined;
  const merge = (items: readonly ItemUsage[]): ItemUsage[] =>
    [...grouped(items, item => item.name).values()].map(same => ({
      name: same[0]!.name,
      uses: same.reduce((sum, { uses }) => sum + uses, 0),
      failures: same.reduce((sum, { failures }) => sum + failures, 0),
      failure: same.find(({ failure }) => failure !== null)?.failure ?? null,
      unused: same.every(({ unused }) => unused !== null) ? same[0]!.unused : null,
    }));
  return {
    tools: merge(parts.flatMap(p => p.tools)),
    prompts: merge(parts.flatMap(p => p.prompts)),
    resources: merge(parts.flatMap(p => p.resources)),
  };
}

function totals(reports: readonly Report[], runs: readonly RunReport[], stale: number): Totals {
  const rows = runs.flatMap(r => r.requirements);
  const count = (grade: Grade) => rows.filter(r => r.grade === grade).length;
  const sum = (of: (totals: Totals) => number) => reports.reduce((n, { summary }) => n + of(summary), 0);
  const [inconclusive, notObserved, error] = [count('inconclusive'), count('notObserved'), count('error')];
  return {
    pass: count('pass'),
    violation: count('violation'),
    warning: count('warning'),
    note: count('note'),
    inconclusive,
    notObserved,
    notApplicable: runs.reduce((n, r) => n + r.notApplicable.length, 0),
    knownFailing: count('knownFailing'),
    stale,
    error,
    requirementsJudged: rows.length - inconclusive - notObserved - error,
    checks: sum(s => s.checks),
    messages: sum(s => s.messages),
    processesStarted: sum(s => s.processesStarted),
  };
}
