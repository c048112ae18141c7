/**
 * Recorder common to runs against servers and against clients: the history, its judgement, and the events of
 * the run.
 */

import { randomInt } from 'node:crypto';
import type { Party } from '../../spec/json-rpc.js';
import type { RequirementId } from '../../spec/requirement.js';
import type { Revision, TransportId } from '../../spec/revisions.js';
import { entry, grouped } from '../grouped.js';
import type { Finding } from '../judge/finding.js';
import { judgeConversation, judgeEach, judgeRun, rulesInForce } from '../judge/judge.js';
import type { Verdict } from '../judge/verdict.js';
import type { Conversation } from '../record/conversation.js';
import { History } from '../record/history.js';
import { ExitCode } from '../report/exit-code.js';
import { hideInRunEvent } from '../report/hide.js';
import { type KnownEntry, KnownFailures } from '../report/known-failing.js';
import { unexercised, withFailedRow } from '../report/occasions.js';
import type { RevisionStart, RunEvent, SubjectPlace } from '../report/run-event.js';
import type { Shard } from '../report/shard.js';
import { defaultRuns, isSteady } from '../scenario/generation.js';
import { toolVersion } from '../version.js';
import { notObservedWhereOthersJudge, notRun } from './case-findings.js';
import type { CouldNotJudge } from './could-not-judge.js';
import { CaseExcuses } from './excuses.js';
import type { Case, Suite } from './plan.js';

/** Options with the same meaning for every party under test. */
export interface CommonOptions {
  readonly suite: Suite;
  /** Selects cases by full name; default: all. */
  readonly selected?: (caseName: string) => boolean;
  /** Runs only this part of the cases. */
  readonly shard?: Shard;
  readonly strict?: boolean;
  /** The subject claims the well-known fixtures. */
  readonly fixtures?: boolean;
  /**
   * Seed of generated values; default: random. The command line uses a constant seed where runs are compared
   * (`usualSeed`).
   */
  readonly seed?: number;
  /** Generated values per property; default 25, none with 0. */
  readonly runs?: number;
  /** Longest duration of the run in milliseconds; default: `runLimits`. */
  readonly maxMs?: number;
  /** Bytes of one message of the subject; default: `intakeLimits`. */
  readonly maxMessageBytes?: number;
  /** Runs only the generated value at this path, which a finding contains. */
  readonly path?: string;
  /** Expected failures. */
  readonly knownFailing?: readonly KnownEntry[];
  /** Requirements that have to be judged: a number or a percentage. */
  readonly minJudged?: string;
  /** Count requirements that the release only announces (`spec/release.json`). */
  readonly pending?: boolean;
  /** Options to repeat when a finding is reproduced. */
  readonly options?: readonly string[];
  /** Ends the run: the remaining cases are not judged. The reason of the signal, in words, is in the report. */
  readonly interrupt?: AbortSignal;
}

/** Findings of one requirement with one verdict in one case; a list of 50,000 tools causes millions. */
const mostAlike = 1_000;

type VerdictCounts = { [V in Verdict]?: number };

/** Holds findings back until they can be reported. */
interface FindingFilter {
  /** @returns the finding to report now; undefined if the filter keeps the finding */
  pass(finding: Finding, history: History): Finding | undefined;
}

/** Reason of a requirement without a judgement in a case whose generated values ended at a limit. */
const untried = 'no generated value got this far before the limit of time or memory';

export class Recorder {
  readonly history: History;
  readonly seed: number;
  private readonly began = performance.now();
  private readonly cpuAtBegin = process.cpuUsage();
  /** Milliseconds in the rules. */
  private judgingMs = 0;
  private readonly exitCode = new ExitCode();
  private readonly known: KnownFailures;
  /** Findings of each case, by requirement and verdict. */
  private readonly judgedBy = new Map<number, Map<RequirementId, VerdictCounts>>();
  /** The counts of the last finding. */
  private last:
    | { readonly case: number; readonly requirement: RequirementId; readonly counts: VerdictCounts }
    | undefined;
  private readonly excuses: CaseExcuses;
  /** Cases that did not run all values. */
  private readonly incompleteProperties = new Set<string>();
  /** Full names of the cases, by number; 0 is the probe of the current revision. */
  private readonly names = new Map<number, string>();
  private readonly cases = new Map<number, { readonly planned: Case; readonly began: number }>();
  /** When only some cases were selected: all possible cases under the revisions that ran. */
  private readonly possible: string[] = [];
  /** Rules for this subject under the current revision. */
  private rules: CommonOptions['suite']['rules'];
  /** Conversations that ended before the revision for their judgement was known. */
  private beforeRevision: Conversation[] | undefined = [];
  /** Conversations in revisions that this run judges later. */
  private ofLaterRevisions: readonly Conversation[] = [];
  private movedTo: SubjectPlace | undefined;
  /** Events that follow one whose facts are not complete. */
  private held: RunEvent[] | undefined;
  /** Resolves when no event is held. */
  allEmitted: Promise<void> = Promise.resolve();
  private current:
    | { readonly revision: Revision; readonly transport: TransportId; began: number }
    | undefined;

  constructor(
    private readonly role: Party,
    private readonly options: CommonOptions,
    private readonly listener: (event: RunEvent) => void,
    /** Sees each finding before it is reported. */
    private readonly filter?: FindingFilter,
  ) {
    this.seed = options.seed ?? randomInt(2 ** 31);
    this.rules = options.suite.rules;
    this.known = new KnownFailures(options.knownFailing ?? []);
    this.excuses = new CaseExcuses(role);
    this.history = new History(
      role,
      () => performance.now() - this.began,
      event => {
        this.excuses.note(event);
        this.emit({ kind: 'wire', event });
      },
    );
  }

  emit(event: RunEvent): void {
    if (this.held) return void this.held.push(event);
    // secrets in wire events were hidden when the events were recorded
    const shown = event.kind === 'wire' ? event : hideInRunEvent(event, this.history.secrets);
    this.exitCode.add(shown);
    this.listener(shown);
  }

  /** Emits an event when its facts are complete; all later events follow it. */
  private async emitWhenComplete(event: Promise<RunEvent>): Promise<void> {
    this.held = [];
    const held = this.held;
    const first = await event;
    this.held = undefined;
    for (const next of [first, ...held]) this.emit(next);
  }

  /** Reports the begin of the run. @param asked the revision that the user chose */
  start(subject: SubjectPlace, asked?: 'latest' | 'all' | Revision): void {
    const { strict, fixtures, options, selected, shard, minJudged, pending } = this.options;
    this.emit({
      kind: 'run-start',
      tool: { name: 'mcp-conform', version: toolVersion },
      role: this.role,
      subject,
      startedAt: new Date().toISOString(),
      seed: this.seed,
      strict: strict ?? false,
      fixtures: fixtures ?? false,
      ...(typeof asked === 'object' && { revision: asked.id }),
      ...(selected && { partial: true }),
      ...(shard && { shard }),
      ...(minJudged !== undefined && { minJudged }),
      ...(pending && { pending }),
      options: options ?? [],
    });
  }

  /**
   * Reports the end of the run. @param transport transport of the observations when nothing could be planned,
   * the last one used @param stopped the limit that ended the run early, in words
   */
  end(
    transport: TransportId,
    processesStarted: number,
    unjudged: CouldNotJudge | undefined,
    stopped?: string,
  ): void {
    if (this.beforeRevision) this.judgeEarlyOnly(transport);
    const stale = this.known.stale(this.names.values(), this.possible, this.casesWithOtherValues());
    const { user, system } = process.cpuUsage(this.cpuAtBegin);
    const totals = {
      kind: 'run-end',
      durationMs: performance.now() - this.began,
      processesStarted,
      own: { cpuMs: (user + system) / 1_000, judgingMs: this.judgingMs, unrecorded: this.history.unrecorded },
      ...(unjudged && { unjudged: { reason: unjudged.message, details: unjudged.details } }),
      ...(stopped !== undefined && { stopped }),
      ...(stale.length > 0 && { stale }),
    } as const;
    this.emit({ ...totals, exitCode: this.exitCode.at(totals) });
  }

  /** Marks a case that did not run all its values: the absence of failures proves little. */
  cutShort({ name }: Case): void {
    this.incompleteProperties.add(name);
  }

  /** Cases that ran other values than the default ones of a run with a list of known failures. */
  private casesWithOtherValues(): string[] {
    const { runs = defaultRuns, path } = this.options;
    if (isSteady({ seed: this.seed, runs, ...(path !== undefined && { path }) }))
      return [...this.incompleteProperties];
    const isGenerated = ({ scenario }: Case) => 'generated' in scenario && scenario.generated === true;
    return [...this.cases.values()].flatMap(({ planned }) => (isGenerated(planned) ? [planned.name] : []));
  }

  /** From now on the subject is tested over another transport. */
  change(transport: TransportId, subject: SubjectPlace): void {
    if (this.beforeRevision) this.judgeEarlyOnly(transport);
    this.beforeRevision = [];
    this.ofLaterRevisions = [];
    this.movedTo = subject;
    this.rules = this.options.suite.rules;
  }

  /**
   * Begins the judgement, including that of earlier conversations.
   * @param later revisions that are judged after this one: conversations that are in one of them wait for it
   * @param allOffers the revisions on offer, where the server is still asked for them; the events wait for it
   */
  startRevision(
    revision: Revision,
    transport: TransportId,
    facts: Partial<RevisionStart>,
    later: readonly Revision[] = [],
    allOffers?: Promise<readonly string[]>,
  ): void {
    this.current = { revision, transport, began: performance.now() };
    this.names.set(0, `${revision.id}/${transport}/probe`);
    const start: RevisionStart = {
      kind: 'revision-start',
      revision: revision.id,
      transport,
      ...(this.movedTo && { subject: this.movedTo }),
      info: null,
      capabilities: {},
      offers: [],
      planned: 0,
      requirements: [],
      notApplicable: [],
      ...facts,
    };
    if (allOffers) this.allEmitted = this.emitWhenComplete(allOffers.then(offers => ({ ...start, offers })));
    else this.emit(start);
    // an inapplicable case cannot fail on this subject; a deselected case might
    const { selected, shard, runs } = this.options;
    if ((selected || shard || runs === 0) && facts.requirements)
      this.possible.push(
        ...this.options.suite.scenarios
          .filter(s => s.role === this.role)
          .map(s => `${revision.id}/${transport}/${s.name}`),
      );
    this.rules = rulesInForce(this.options.suite.rules, facts.notApplicable ?? []);
    const early = [...this.ofLaterRevisions, ...(this.beforeRevision ?? [])];
    this.beforeRevision = undefined;
    this.ofLaterRevisions = early.filter(c => later.includes(c.revision));
    if (!facts.requirements) return;
    for (const conversation of early)
      if (!this.ofLaterRevisions.includes(conversation)) this.judge(conversation);
  }

  endRevision(): void {
    const { revision, transport, began } = this.current!;
    this.emit({
      kind: 'revision-end',
      revision: revision.id,
      transport,
      durationMs: performance.now() - began,
    });
  }

  startCase(planned: Case): number {
    const number = this.cases.size + 1;
    this.cases.set(number, { planned, began: performance.now() });
    this.names.set(number, planned.name);
    this.emit({ kind: 'case-start', case: number, name: planned.name, title: planned.scenario.title });
    return number;
  }

  /**
   * @param declined true if the client reported that it does not support this script
   * @param durationMs default: from the start of the case until now
   */
  endCase(
    number: number,
    { declined = false, durationMs }: { declined?: boolean; durationMs?: number } = {},
  ): void {
    const { planned, began } = this.cases.get(number)!;
    this.emit({
      kind: 'case-end',
      case: number,
      ...(declined && { declined: planned.verifies }),
      durationMs: durationMs ?? performance.now() - began,
    });
  }

  recordFindings(findings: Iterable<Finding>): void {
    for (const finding of findings) this.filterAndReport(finding);
  }

  private filterAndReport(finding: Finding): void {
    const now = this.filter ? this.filter.pass(finding, this.history) : finding;
    if (now) this.reportOne(now);
  }

  /** Reports findings past the filter. */
  report(findings: readonly Finding[]): void {
    for (const finding of findings) this.reportOne(finding);
  }

  private reportOne(told: Finding): void {
    const finding = this.counted(this.excuses.apply(told));
    if (!finding) return;
    const knownFailing = this.known.apply(finding, this.names.get(finding.case) ?? '');
    this.emit(
      knownFailing === undefined ? { kind: 'finding', finding } : { kind: 'finding', finding, knownFailing },
    );
  }

  /** Counts a finding of its case. @returns the part of it that the run has not enough of */
  private counted(finding: Finding): Finding | undefined {
    const { case: number, requirement, verdict, times = 1 } = finding;
    // the findings of a rule about one case come one after the other
    if (this.last?.case !== number || this.last.requirement !== requirement) {
      const judged = entry(this.judgedBy, number, () => new Map<RequirementId, VerdictCounts>());
      const counts = entry(judged, requirement, (): VerdictCounts => ({}));
      this.last = { case: number, requirement, counts };
    }
    const { counts } = this.last;
    const before = counts[verdict] ?? 0;
    counts[verdict] = before + times;
    const left = mostAlike - before;
    if (times <= left) return finding;
    return left > 0 ? { ...finding, times: left } : undefined;
  }

  /** Judges a closed conversation by the rules. */
  judge(conversation: Conversation): void {
    if (this.beforeRevision) {
      this.beforeRevision.push(conversation);
      return;
    }
    this.measured(() => judgeEach(conversation, this.rules, finding => this.filterAndReport(finding)));
    conversation.forgetDerived();
  }

  private measured(judging: () => void): void {
    const began = performance.now();
    judging();
    this.judgingMs += performance.now() - began;
  }

  /** Judges by the rules that need several conversations. */
  judgeAcross(conversations: readonly Conversation[]): void {
    this.measured(() => this.recordFindings(judgeRun(conversations, this.rules)));
  }

  /**
   * Adds a finding for each cited requirement without a judgement, which must not count as passed:
   * inconclusive, or not observed where the subject had no obligation to show it.
   * @param judgedWith the case whose conversation the rules judged for this one
   */
  noVacuousPass(
    number: number,
    reason?: string,
    verdict: 'inconclusive' | 'none' = 'inconclusive',
    judgedWith: number = number,
  ): void {
    const { planned } = this.cases.get(number)!;
    const isCutShort = this.incompleteProperties.has(planned.name);
    const judged = [number, judgedWith].flatMap(one => this.judgedBy.get(one) ?? []);
    const why = withFailedRow(reason ?? (isCutShort ? untried : unexercised), judged, this.judgedBy);
    const idle = planned.verifies.filter(id => !judged.some(findings => findings.has(id)));
    const findings = notRun({ ...planned, verifies: idle }, number, why).map(f => ({ ...f, verdict }));
    this.recordFindings(
      isCutShort ? notObservedWhereOthersJudge(findings, this.options.suite, this.role) : findings,
    );
  }

  /** Reports earlier violations of the subject when nothing can be planned, each under the revision of its conversation. */
  private judgeEarlyOnly(transport: TransportId): void {
    for (const [revision, conversations] of grouped(this.beforeRevision ?? [], c => c.revision)) {
      const wrong = conversations
        .flatMap(c => judgeConversation(c, this.options.suite.rules))
        .filter(f => f.verdict === 'fail');
      if (wrong.length === 0) continue;
      this.startRevision(revision, transport, {});
      this.recordFindings(wrong);
      this.emit({ kind: 'revision-end', revision: revision.id, transport, durationMs: 0 });
    }
  }
}
