/**
 * Shrinks failures of generated values: smaller values run off the record, then the smallest is replayed on
 * the record.
 */

import type { Json, JsonObject } from '../../../spec/json-rpc.js';
import type { RequirementId } from '../../../spec/requirement.js';
import type { Counterexample } from '../../judge/counterexample.js';
import { type Finding, unjudged } from '../../judge/finding.js';
import { judgeConversation } from '../../judge/judge.js';
import type { Rule, RunRule } from '../../judge/rule.js';
import type { Peer } from '../../peer/peer.js';
import type { Conversation } from '../../record/conversation.js';
import type { History } from '../../record/history.js';
import { candidateAt, type Span, spanOf } from '../../scenario/property.js';
import type { Timing } from '../../time/timing.js';
import { reportTo } from '../case-findings.js';
import type { Case } from '../plan.js';
import { type CaseSetting, type CaseTrials, contextOf } from './case.js';

/** Budget for shrinking. Failures beyond the budget are reported as observed. */
export interface Patience {
  /** Values per failure. */
  readonly values: number;
  /** Conversations per failure; most subjects start a process for each conversation. */
  readonly conversations: number;
  /** Time in milliseconds, per failure and for all failures of a revision. */
  readonly ms: number;
  readonly msInAll: number;
}

/** Of a requirement that fails in the same way hundreds of times, only the first failure is shrunk. */
const usualPatience = ({ answer }: Timing): Patience => ({
  values: 400,
  conversations: 12,
  ms: Math.max(2_000, answer / 4),
  msInAll: Math.max(6_000, answer),
});

/** What the harness declares in a conversation of a case; undefined for the default. */
const declaredIn = ({ scenario }: Case): JsonObject | undefined =>
  'declares' in scenario ? scenario.declares : undefined;

interface ShrinkSetting extends CaseSetting {
  readonly history: History;
  readonly rules: readonly (Rule | RunRule)[];
  readonly timing: Timing;
  readonly patience?: Patience | undefined;
  /** Receives the final findings. */
  readonly tell: (findings: readonly Finding[]) => void;
}

/** A case with a property, and its failures so far. */
interface Tried {
  readonly planned: Case;
  readonly trials: CaseTrials[];
  readonly failures: { readonly finding: Finding; readonly trials: CaseTrials; readonly span: Span }[];
}

type Failure = Tried['failures'][number];

/** Holds back the failures of generated values until their smallest value is known. */
export class Shrinker {
  private readonly cases = new Map<number, Tried>();
  /** Requirements that fail without generated values need no counterexample. */
  private readonly plain = new Set<RequirementId>();
  /** One counterexample per requirement is sufficient. */
  private readonly seenSmall = new Set<RequirementId>();
  /** Requirements that failed by an exit with code 0, where the same value does not end a new process. */
  private readonly uncaused = new Set<RequirementId>();
  /** The value of the current replay, and its failed requirements. */
  private shown: { readonly counterexample: Counterexample; readonly failed: Set<RequirementId> } | undefined;

  /** Records a property of a case in one conversation. */
  note(number: number, planned: Case, trials: CaseTrials | undefined): void {
    if (!trials) return;
    const tried = this.cases.get(number) ?? { planned, trials: [], failures: [] };
    tried.trials.push(trials);
    this.cases.set(number, tried);
  }

  /** Returns the finding to report now; undefined while the finding is held back. */
  pass(finding: Finding, history: History): Finding | undefined {
    if (finding.verdict !== 'fail') return finding;
    if (this.shown) {
      this.shown.failed.add(finding.requirement);
      if (this.plain.has(finding.requirement)) return finding;
      return withMessage(finding, this.shown.counterexample, history);
    }
    const tried = this.cases.get(finding.case);
    const found = tried && spanOf(tried.trials, finding);
    if (found) tried.failures.push({ finding, trials: found[0], span: found[1] });
    else this.plain.add(finding.requirement);
    return found ? undefined : finding;
  }

  /** Reports the findings held back. All conversations are closed by then. */
  async settle(setting: ShrinkSetting): Promise<void> {
    const { patience = usualPatience(setting.timing) } = setting;
    const until = performance.now() + patience.msInAll;
    for (const [number, tried] of this.cases) {
      for (let open = tried.failures; open[0]; open = tried.failures) {
        const [{ finding }] = open as [Failure];
        const first = firstOf(open.filter(f => f.finding.requirement === finding.requirement));
        const worthwhile =
          !this.plain.has(finding.requirement) &&
          setting.generation.path === undefined &&
          setting.timing.budget?.reason === undefined;
        // an exit that its value did not cause tells nothing about the exit of another value
        const isNew =
          !this.seenSmall.has(finding.requirement) || this.endsByItself(first.finding, setting.history);
        const anew = worthwhile && isNew && performance.now() < until;
        this.seenSmall.add(finding.requirement);
        const budget = new Budget(patience, until);
        const failed = anew ? await this.show(number, tried, first, budget, setting) : undefined;
        if (!failed?.has(finding.requirement)) this.tellAsSeen(tried, first, setting);
        const done = new Set(failed).add(finding.requirement);
        tried.failures.splice(0, open.length, ...open.filter(f => !done.has(f.finding.requirement)));
      }
    }
    this.cases.clear();
    this.plain.clear();
    this.seenSmall.clear();
    this.uncaused.clear();
  }

  /** The failure of the first failing value, not shrunk. */
  private tellAsSeen({ failures }: Tried, { span, trials, finding }: Failure, setting: ShrinkSetting): void {
    const { generation, history } = setting;
    const counterexample = describe(span.value, generation.path ?? null, trials, generation.seed);
    const same = failures.filter(f => f.span === span && f.finding.requirement === finding.requirement);
    setting.tell(
      same.map(f =>
        this.endsByItself(f.finding, history)
          ? unjudged(f.finding, byItself)
          : withMessage(f.finding, counterexample, history),
      ),
    );
  }

  /** Whether a failure is an exit with code 0, of which the requirement had one that its value did not cause. */
  private endsByItself(finding: Finding, history: History): boolean {
    return this.uncaused.has(finding.requirement) && isOrderlyEnd(finding, history);
  }

  /**
   * Finds the smallest value and replays it in a recorded conversation; returns the requirements that fail
   * there.
   */
  private async show(
    number: number,
    tried: Tried,
    failure: Failure,
    budget: Budget,
    setting: ShrinkSetting,
  ): Promise<ReadonlySet<RequirementId> | undefined> {
    // one value may break the subject for good, and all later values would seem to fail
    for (const renew of ['when lost', 'after failures'] as const) {
      const search = new Search(number, tried.planned, failure, renew, budget, setting);
      const smallest = await search.run();
      if (search.isRefuted && isOrderlyEnd(failure.finding, setting.history))
        this.uncaused.add(failure.finding.requirement);
      if (!smallest) continue;
      const failed = await this.replay(number, tried.planned, failure.trials, smallest, setting);
      if (failed.has(failure.finding.requirement)) return failed;
    }
    return undefined;
  }

  private async replay(
    number: number,
    planned: Case,
    trials: CaseTrials,
    { value, path }: { value: unknown; path: string },
    setting: ShrinkSetting,
  ): Promise<ReadonlySet<RequirementId>> {
    const { connections, revision, generation } = setting;
    const failed = new Set<RequirementId>();
    this.shown = { counterexample: describe(value, path, trials, generation.seed), failed };
    const request = { revision, case: number, attempt: 2, declares: declaredIn(planned) };
    const { peer } = await connections.open(request);
    const findings: Finding[] = [];
    const { context } = contextOf(number, peer, setting, reportTo(planned, number, findings));
    if (peer.declared) await trials.act(value, context).catch(() => {});
    await peer.barrier();
    connections.close(peer);
    await connections.allClosed();
    setting.tell(findings.flatMap(f => this.pass(f, setting.history) ?? []));
    this.shown = undefined;
    return failed;
  }
}

const byItself =
  'the process exited with code 0 while a request was open, and the same request did not end a new process';

/** Whether the evidence of a failure has an exit of the process with code 0. */
const isOrderlyEnd = ({ evidence }: Finding, history: History): boolean =>
  evidence.some(seq => {
    const event = history.events[seq - 1];
    return event?.kind === 'exit' && event.code === 0;
  });

type Candidate = ReturnType<typeof candidateAt>;

const indexOf = ({ span }: Failure): number => Number.parseInt(span.path, 10);
const firstOf = (failures: readonly Failure[]): Failure =>
  failures.reduce((first, f) => (indexOf(f) < indexOf(first) ? f : first));

/** The remaining budget for one failure. */
class Budget {
  private values: number;
  private conversations: number;
  private readonly until: number;

  constructor(patience: Patience, until: number) {
    this.values = patience.values;
    this.conversations = patience.conversations;
    this.until = Math.min(until, performance.now() + patience.ms);
  }

  /** Whether another value may run. */
  takeValue(): boolean {
    return this.values-- > 0 && performance.now() < this.until;
  }

  /** Whether another conversation may be opened. */
  takeConversation(): boolean {
    return this.conversations-- > 0;
  }
}

/** One search for the smallest value that violates a requirement. */
class Search {
  private readonly rules: readonly (Rule | RunRule)[];
  private readonly timing: Timing;
  private peer: Peer | undefined;
  /** Whether the failing value was sent again in a process of its own, and did not fail. */
  isRefuted = false;

  constructor(
    private readonly number: number,
    private readonly planned: Case,
    private readonly failure: Failure,
    private readonly renew: 'when lost' | 'after failures',
    private readonly budget: Budget,
    private readonly setting: ShrinkSetting,
  ) {
    const { timing, rules } = setting;
    this.rules = rules.filter(rule => rule.requirement === failure.finding.requirement);
    // the subject has responded promptly so far: a missing response gets a shorter timeout
    this.timing = { ...timing, answer: timing.answer / 10 };
  }

  /** The smallest value found, and its path; undefined when the first value does not fail alone. */
  async run(): Promise<{ value: unknown; path: string } | undefined> {
    const { trials, span } = this.failure;
    const first = candidateAt(trials, span.path);
    const fails = await this.fails(first.value);
    this.isRefuted = fails === false;
    const smallest = fails ? await this.smaller(first, span.path) : undefined;
    if (this.peer) this.setting.connections.close(this.peer);
    return smallest;
  }

  /**
   * Shrinks a failing value step by step to the first smaller value that fails, with the numbering of
   * fast-check.
   */
  private async smaller(first: Candidate, place: string): Promise<{ value: unknown; path: string }> {
    let [smallest, path] = [first, place];
    for (;;) {
      const next = await this.nextBelow(smallest);
      if (!next) return { value: smallest.value, path };
      smallest = next.candidate;
      path += `:${next.index}`;
    }
  }

  private async nextBelow({
    value_,
    context,
  }: Candidate): Promise<{ candidate: Candidate; index: number } | undefined> {
    let index = 0;
    for (const candidate of this.failure.trials.arbitrary.shrink(value_, context)) {
      const failed = await this.fails(candidate.value);
      if (failed === undefined) return undefined;
      if (failed) return { candidate, index };
      index++;
    }
    return undefined;
  }

  /** Whether a value fails; undefined when the budget is used up. */
  private async fails(value: unknown): Promise<boolean | undefined> {
    if (!this.budget.takeValue()) return undefined;
    const peer = await this.ready();
    if (!peer) return undefined;
    const { requirement } = this.failure.finding;
    const { conversation } = peer;
    const before = conversation.events.length;
    const from = conversation.events.at(-1)?.seq ?? 0;
    const findings: Finding[] = [];
    const report = reportTo(this.planned, this.number, findings);
    const { context } = contextOf(this.number, peer, this.setting, report);
    peer.pending.forgetIds();
    await this.failure.trials.act(value, context).catch(() => {});
    const broken = () => findings.some(f => f.requirement === requirement && f.verdict === 'fail');
    const silent = conversation.events.slice(before).some(e => e.kind === 'deadline');
    if (!broken() && !silent) await peer.barrier();
    const fails = broken() || this.breaksRule(conversation, from);
    if (peer.ended || silent || (fails && this.renew === 'after failures')) {
      this.setting.connections.close(peer);
      this.peer = undefined;
    }
    return fails;
  }

  private breaksRule(conversation: Conversation, from: number): boolean {
    for (const { verdict, evidence } of judgeConversation(conversation, this.rules))
      if (verdict === 'fail' && evidence.some(seq => seq > from)) return true;
    return false;
  }

  /** A conversation that can be used for another value. */
  private async ready(): Promise<Peer | undefined> {
    if (this.peer && !this.peer.ended && !this.peer.liveness.unresponsive) return this.peer;
    if (this.peer) this.setting.connections.close(this.peer);
    this.peer = undefined;
    if (!this.budget.takeConversation()) return undefined;
    const { revision, connections } = this.setting;
    const { peer } = await connections.open({
      revision,
      case: this.number,
      attempt: 2,
      declares: declaredIn(this.planned),
      unrecorded: true,
      timing: this.timing,
    });
    if (peer.declared) this.peer = peer;
    else connections.close(peer);
    return this.peer;
  }
}

/** Maximum length of a frame in a report. */
const longest = 4_096;

const describe = (
  value: unknown,
  path: string | null,
  { label }: CaseTrials,
  seed: number,
): Counterexample => ({
  seed,
  path,
  value: (value ?? null) as Json,
  label: label?.(value) ?? null,
  message: null,
});

/**
 * The finding with its counterexample, and with the last frame of the harness in its evidence, or before the
 * evidence.
 */
function withMessage(finding: Finding, counterexample: Counterexample, history: History): Finding {
  const cited = finding.evidence.map(seq => history.events[seq - 1]);
  const last = cited.at(-1);
  const ours = (e: (typeof cited)[number]) => e?.kind === 'frame' && e.by !== history.party;
  const frame =
    cited.findLast(ours) ??
    (last && history.conversation(last.link).events.findLast(e => e.seq < last.seq && ours(e)));
  const text = frame?.kind === 'frame' ? frame.text : undefined;
  const message = text === undefined ? null : text.length > longest ? `${text.slice(0, longest)}…` : text;
  return { ...finding, counterexample: { ...counterexample, message } };
}
