/** Aggregates the events of a run into the report. Every view except a log is made from the report. */

import { clauseIn, type RequirementId, requirement } from '../../spec/requirement.js';
import { entry } from '../grouped.js';
import type { Finding } from '../judge/finding.js';
import { everything, gradeInRelease } from '../judge/release.js';
import { exitCodes, type Grade, type Verdict, worst, worstGrade } from '../judge/verdict.js';
import type { Event } from '../record/event.js';
import { Causes, tellers } from './cause.js';
import { EvidenceCases } from './evidence-cases.js';
import { leastJudged, ranNone } from './least-judged.js';
import { Occasions, sideOf } from './occasions.js';
import { namedIn } from './offers.js';
import type {
  CaseReport,
  FindingReport,
  Report,
  RequirementReport,
  RunReport,
  Totals,
  UsageReport,
} from './report.js';
import { reproduce } from './reproduce.js';
import type {
  CaseStart,
  Confirmation,
  FindingEvent,
  RevisionStart,
  RunEnd,
  RunEvent,
  RunStart,
} from './run-event.js';
import { unobserved } from './unobserved.js';
import { Usage } from './usage.js';

export type {
  CaseReport,
  FindingReport,
  ItemUsage,
  Report,
  RequirementReport,
  RunReport,
  Totals,
  UsageReport,
} from './report.js';

/** Cases that a command names beside the case of its finding; where more are needed, it runs all. */
const mostBeside = 4;

/** Different findings of one requirement in one case that are kept apart, and events of one finding. */
const mostVariants = 100;
const mostEvents = 1_000;

/** Grades of requirements that were judged. */
const judgedGrades: readonly Grade[] = ['pass', 'violation', 'warning', 'note', 'knownFailing'];

type Mutable<T> = { -readonly [K in keyof T]: T[K] };
type OpenFinding = Mutable<FindingReport> & { events: number[] };

/** Results so far for one revision and transport. */
interface OpenRun {
  readonly start: RevisionStart;
  readonly requirements: Map<RequirementId, Mutable<RequirementReport>>;
  readonly findings: Map<string, OpenFinding>;
  /** The different findings of each requirement in each case. */
  readonly variants: Map<string, Set<string>>;
  /** The causes of the findings. */
  readonly causes: Map<OpenFinding, Set<string>>;
  readonly cases: Map<number, Mutable<CaseReport>>;
  /** Requirements of cases that the client declined, with the name of the case. */
  readonly declined: Map<RequirementId, string>;
  durationMs: number;
}

/** Where findings of one requirement in one case are counted. */
interface FindingPlace {
  readonly case: number;
  readonly requirement: RequirementId;
  readonly isInForce: boolean;
  readonly run: OpenRun;
  readonly row: Mutable<RequirementReport>;
  readonly home: Mutable<CaseReport>;
}

export class Summary {
  private start: RunStart | undefined;
  private end: RunEnd | undefined;
  private readonly runs: OpenRun[] = [];
  private checks = 0;
  private messages = 0;
  private inconclusive = 0;
  private readonly pending: CaseStart[] = [];
  private readonly causes = new Causes();
  private readonly usage = new Usage();
  private readonly occasions = new Occasions();
  private readonly evidenceCases = new EvidenceCases();
  /** The place of the last finding: the findings of a rule about one case come one after the other. */
  private last: FindingPlace | undefined;

  /** @throws {Error} when the event is not allowed at this point of a run */
  add(event: RunEvent): void {
    if (event.kind === 'run-start') this.start = event;
    else if (!this.start) throw new Error(`The first event of a run is run-start, not ${event.kind}.`);
    else if (event.kind === 'finding') this.addFinding(event);
    else if (event.kind === 'wire') this.addWire(event.event, this.start);
    else this.addStep(event);
  }

  private addWire(event: Event, { role }: RunStart): void {
    if (event.kind === 'frame') this.messages++;
    this.causes.add(event);
    this.evidenceCases.add(event, role === 'client' ? 'client' : 'server');
    this.occasions.add(event, role);
    if (role !== 'client' && role !== 'gateway' && role !== 'network') this.usage.add(event);
  }

  private addStep(event: Exclude<RunEvent, { kind: 'run-start' | 'finding' | 'wire' }>): void {
    this.last = undefined;
    if (event.kind === 'run-end') this.end = event;
    else if (event.kind === 'revision-start') this.open(event);
    else if (event.kind === 'case-start') this.addCase(event);
    else if (event.kind === 'confirmation') this.addConfirmation(event);
    else {
      const run = event.kind === 'case-end' ? this.runOf(event.case) : this.runs.at(-1);
      const timed = event.kind === 'case-end' ? run?.cases.get(event.case) : run;
      if (timed) timed.durationMs = Math.round(event.durationMs);
      if (event.kind === 'case-end' && run)
        for (const id of event.declined ?? [])
          run.declined.set(id, run.cases.get(event.case)?.name ?? `case ${event.case}`);
    }
  }

  private open(start: RevisionStart): void {
    const run: OpenRun = {
      start,
      requirements: new Map(),
      findings: new Map(),
      variants: new Map(),
      causes: new Map(),
      cases: new Map(),
      declined: new Map(),
      durationMs: 0,
    };
    for (const id of start.requirements) run.requirements.set(id, unobserved(id, start));
    this.runs.push(run);
    // Events of the probe precede the decision on the revision.
    for (const early of this.pending.splice(0)) this.addCase(early);
  }

  private addCase({ case: number, name }: CaseStart): void {
    const run = this.runs.at(-1);
    if (!run || !name.startsWith(`${run.start.revision}/${run.start.transport}/`))
      this.pending.push({ kind: 'case-start', case: number, name, title: '' });
    else if (!run.cases.has(number)) run.cases.set(number, { name, verdict: 'none', durationMs: 0 });
  }

  /** The run of a case: the current one, unless only an earlier one contains the case. */
  private runOf(caseNumber: number): OpenRun | undefined {
    const current = this.runs.at(-1);
    if (caseNumber === 0 || current?.cases.has(caseNumber)) return current;
    return this.runs.findLast(run => run.cases.has(caseNumber)) ?? current;
  }

  private placeOf({ case: number, requirement: id, verdict }: Finding): FindingPlace | undefined {
    const { last } = this;
    if (last?.isInForce && last.case === number && last.requirement === id) return last;
    const run = this.runOf(number);
    if (!run || !this.start) throw new Error('A finding came before revision-start.');
    const { revision, transport } = run.start;
    // the conversation had negotiated another revision: what holds there says nothing about this one
    const isInForce = clauseIn(requirement(id), revision) !== undefined;
    if (verdict !== 'fail' && !isInForce) return undefined;
    const row = entry(run.requirements, id, () => unobserved(id, run.start));
    const home = entry(run.cases, number, () => ({
      name: `${revision}/${transport}/probe`,
      verdict: 'none' as Verdict,
      durationMs: 0,
    }));
    this.last = { case: number, requirement: id, isInForce, run, row, home };
    return this.last;
  }

  private addFinding({ finding, knownFailing }: FindingEvent): void {
    const place = this.placeOf(finding);
    const { expected = [], actual, message, times = 1 } = finding;
    this.checks += times;
    if (!place) return;
    const { run, row, home } = place;
    const { revision } = run.start;
    const grade =
      knownFailing !== undefined
        ? 'knownFailing'
        : finding.verdict === 'pass'
          ? 'pass'
          : gradeInRelease(
              requirement(finding.requirement),
              revision,
              finding.verdict,
              this.start?.pending ? everything : undefined,
            );
    row.examined += times;
    // nearly all findings have the same grade
    if (row.grade !== grade) row.grade = worstGrade(row.grade, grade);
    if (home.verdict !== finding.verdict) home.verdict = worst(home.verdict, finding.verdict);
    if (grade === 'notObserved' && finding.message !== undefined) row.reason ??= finding.message;
    if (grade === 'pass' || grade === 'notObserved') return;
    if (grade === 'inconclusive') this.inconclusive++;

    // An inconclusive finding has only its message; for failures the message is a detail.
    const detail = grade === 'inconclusive' || grade === 'error' ? message : undefined;
    const kind = JSON.stringify([finding.requirement, finding.case, grade]);
    const variant = JSON.stringify([expected, actual, detail]);
    const variants = entry(run.variants, kind, () => new Set());
    const isOther = variants.size >= mostVariants && !variants.has(variant);
    if (!isOther) variants.add(variant);
    const merged = entry(run.findings, `${kind} ${isOther ? 'other' : variant}`, () => ({
      requirement: finding.requirement,
      grade,
      case: home.name,
      expected,
      actual: actual ?? null,
      message: isOther ? `one of the findings after the first ${mostVariants}` : (message ?? null),
      events: [],
      count: 0,
      counterexample: finding.counterexample ?? null,
      knownFailing: knownFailing ?? null,
      causedBy: null,
      confirmed: null,
      reproduce: this.command(run, finding.case, finding.counterexample?.path, this.othersIn(run, finding)),
    }));
    merged.count++;
    if (merged.events.length >= mostEvents) return;
    const cause = this.causes.of(finding.evidence, sideOf(run.start, this.start!));
    const causes = entry(run.causes, merged, () => new Set());
    if (cause !== undefined) causes.add(cause);
    for (const seq of finding.evidence) if (!merged.events.includes(seq)) merged.events.push(seq);
  }

  /** The names of further cases with evidence of a finding; none where a command would become too long. */
  private othersIn({ cases }: OpenRun, { evidence, case: own }: FindingEvent['finding']): string[] {
    const others = this.evidenceCases.of(evidence).filter(number => number !== own && own !== 0);
    return others.length > mostBeside ? [] : others.flatMap(number => cases.get(number)?.name ?? []);
  }

  /** The command that shows a finding again. */
  private command(
    { start, cases }: OpenRun,
    number: number,
    path: string | null | undefined,
    beside: readonly string[] = [],
  ): string {
    return reproduce(this.start!, {
      revision: start.revision,
      transport: start.transport,
      subject: start.subject ?? this.start!.subject,
      offers: start.offers,
      beside,
      ...(number !== 0 && { caseName: cases.get(number)!.name }),
      ...(path && { path }),
    });
  }

  private addConfirmation({ requirement: id, case: number, seen, runs, beside }: Confirmation): void {
    const run = this.runOf(number);
    const name = run?.cases.get(number)?.name;
    for (const finding of run?.findings.values() ?? []) {
      if (finding.requirement !== id || finding.case !== name) continue;
      finding.confirmed = { seen, runs };
      const path = finding.counterexample?.path;
      if (beside.length > mostBeside) finding.reproduce = this.command(run!, 0, path);
      else if (seen > 1) finding.reproduce = this.command(run!, number, path, beside);
    }
  }

  /** Number of requirements with this grade so far, over all revisions and transports. */
  count(grade: Grade): number {
    let n = 0;
    for (const run of this.runs) for (const row of run.requirements.values()) if (row.grade === grade) n++;
    return n;
  }

  /** Exit code of the process for the events so far; the table is in the contract. */
  get exitCode(): number {
    return this.exitCodeAt(this.end ?? {});
  }

  /** Exit code for a run with the given end, computed before run-end is written. */
  exitCodeAt(end: Pick<RunEnd, 'unjudged' | 'stale' | 'stopped'>): number {
    if (this.count('error') > 0) return exitCodes.defect;
    if (end.unjudged) return exitCodes.couldNotJudge;
    const failed = this.count('violation') > 0 || (this.start?.strict && this.count('warning') > 0);
    if (failed || (end.stale?.length ?? 0) > 0) return exitCodes.violation;
    const judged = this.judged();
    return judged === 0 ||
      judged < this.leastJudged() ||
      ranNone(this.start, this.runs) ||
      end.stopped !== undefined ||
      (this.start?.fixtures && this.inconclusive > 0)
      ? exitCodes.couldNotJudge
      : exitCodes.conforms;
  }

  private judged(): number {
    return judgedGrades.reduce((n, grade) => n + this.count(grade), 0);
  }

  /** The number of requirements that --min-judged demands. */
  private leastJudged(): number {
    const all = this.runs.reduce((n, run) => n + run.requirements.size, 0);
    return this.start?.shard ? 0 : leastJudged(this.start?.minJudged, all);
  }

  /** @throws {Error} when there was no run-start */
  report(): Report {
    const { start, end } = this;
    if (!start) throw new Error('There is no run to report.');
    return {
      reportVersion: 1,
      tool: start.tool,
      role: start.role,
      subject: {
        command: start.subject.command,
        url: start.subject.url,
        ...namedIn(this.runs.map(run => run.start)),
      },
      startedAt: start.startedAt,
      durationMs: Math.round(end?.durationMs ?? 0),
      seed: start.seed,
      exitCode: end?.exitCode ?? this.exitCode,
      summary: this.totals(),
      runs: this.runs.map(run => this.close(run, start)),
      unjudged: end?.unjudged ?? null,
      ...(end?.stopped !== undefined && { stopped: end.stopped }),
      ...(start.shard && { shard: start.shard }),
      stale: end?.stale ?? [],
    };
  }

  private close(run: OpenRun, started: RunStart): RunReport {
    const usage = this.usage.report(run.start.revision, run.start.transport, started);
    const side = sideOf(run.start, started);
    const report = closeRun(run, usage, this.causes);
    return { ...report, ...this.occasions.explainAll(report, run.start, side) };
  }

  private totals(): Totals {
    const declined = this.runs.reduce((n, run) => n + leftOut(run).length, 0);
    return {
      pass: this.count('pass'),
      violation: this.count('violation'),
      warning: this.count('warning'),
      note: this.count('note'),
      inconclusive: this.count('inconclusive'),
      notObserved: this.count('notObserved') - declined,
      notApplicable: this.runs.reduce((n, run) => n + notApplicableOf(run).length, 0),
      knownFailing: this.count('knownFailing'),
      stale: this.end?.stale?.length ?? 0,
      error: this.count('error'),
      requirementsJudged: this.judged(),
      checks: this.checks,
      messages: this.messages,
      processesStarted: this.end?.processesStarted ?? 0,
    };
  }
}

/** Declined requirements that no other case has judged. */
function leftOut({ requirements, declined }: OpenRun): RunReport['notApplicable'] {
  const open = [...declined].filter(([id]) => requirements.get(id)?.grade === 'notObserved');
  const reason = (name: string) =>
    `the client does not support ${name.split('/').slice(2).join('/')} (exit code 127)`;
  return open.map(([id, name]) => ({ id, reason: reason(name) }));
}

/** Without what a rule judged nevertheless: what a server sends counts, whatever it declares. */
const notApplicableOf = (run: OpenRun): RunReport['notApplicable'] =>
  run.start.notApplicable.filter(({ id }) => !run.requirements.has(id)).concat(leftOut(run));

function closeRun(run: OpenRun, usage: UsageReport | undefined, causes: Causes): RunReport {
  const { start, requirements, findings, cases, durationMs } = run;
  const told = tellers(run.causes, causes.isDeath);
  const causedBy = (finding: OpenFinding): FindingReport['causedBy'] => {
    const teller = told.get(finding);
    return teller ? { requirement: teller.requirement, case: teller.case } : null;
  };
  const isLeft = new Set(leftOut(run).map(({ id }) => id));
  return {
    revision: start.revision,
    transport: start.transport,
    ...(start.side && { side: start.side }),
    ...(start.pass && { pass: start.pass }),
    durationMs,
    requirements: [...requirements.values()].filter(({ id }) => !isLeft.has(id)),
    findings: [...findings.values()].map(f => ({ ...f, events: [...f.events], causedBy: causedBy(f) })),
    cases: [...cases.values()].map(c => ({ ...c })),
    notApplicable: notApplicableOf(run),
    ...(usage && start.side !== 'client' && { usage }),
  };
}
