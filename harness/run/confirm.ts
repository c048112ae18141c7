/**
 * Replays the violations of a run before they are reported: a violation that its command does not show again is
 * replayed with the cases that ran beside it, and marked as unconfirmed if no replay shows it.
 */

import type { Role } from '../../spec/json-rpc.js';
import { type RequirementId, requirement } from '../../spec/requirement.js';
import type { RevisionId } from '../../spec/revisions.js';
import { gradeOf } from '../judge/verdict.js';
import { EvidenceCases } from '../report/evidence-cases.js';
import type { Confirmation, RunEnd, RunEvent } from '../report/run-event.js';

/** A part of a run. */
export interface Part {
  /** Full names of the cases; none: only the probe. */
  readonly cases: readonly string[];
  readonly seed: number;
  /** Path of the only generated value. */
  readonly path?: string;
}

/** Limits of the replays in milliseconds. */
export interface ConfirmLimits {
  /** Time for all replays; no further one begins when it would take longer. */
  readonly ms: number;
  /** No replay at all where the subject took longer to start. Default: no limit. */
  readonly startMs?: number;
  /** Marks violations for which there is no time as unconfirmed. Default: their replay is not mentioned. */
  readonly marksAll?: boolean;
}

/** Replays of one violation with other cases, after the replay of its case alone. */
const mostSearches = 6;

interface CaseTrace {
  readonly name: string;
  /** Numbers of the events between which the case ran. */
  readonly from: number;
  to: number;
  readonly links: Set<number>;
}

interface Target {
  readonly requirement: RequirementId;
  readonly case: number;
  readonly path: string | undefined;
  /** Numbers of further cases whose messages are evidence. */
  readonly evidence: readonly number[];
}

/**
 * Passes the events on; replays the violations before the last one.
 * @param again runs a part of the run again
 */
export async function* confirming(
  events: AsyncIterable<RunEvent>,
  again: (part: Part) => AsyncIterable<RunEvent>,
  limits: ConfirmLimits,
): AsyncGenerator<RunEvent> {
  const seen = new Seen();
  let end: RunEnd | undefined;
  for await (const event of events) {
    seen.add(event);
    if (event.kind === 'run-end') end = event;
    else yield event;
  }
  if (end) {
    const isWhole = !end.unjudged && end.stopped === undefined;
    yield* new Replays(seen, again, isWhole ? limits : { ...limits, ms: 0 }).run();
    yield end;
  }
}

/** What a replay needs to know of the run. */
class Seen {
  readonly cases = new Map<number, CaseTrace>();
  readonly targets = new Map<string, Target>();
  seed = 0;
  /** Milliseconds between the begin of the run and the first response of the subject. */
  startMs = 0;
  private readonly began = performance.now();
  private revision: RevisionId | undefined;
  private count = 0;
  private readonly evidenceCases = new EvidenceCases();
  private subject: Role = 'server';

  add(event: RunEvent): void {
    this.count++;
    if (event.kind === 'run-start') {
      this.seed = event.seed;
      this.subject = event.role === 'client' ? 'client' : 'server';
    } else if (event.kind === 'revision-start') {
      this.startMs ||= performance.now() - this.began;
      this.revision = event.revision;
    } else if (event.kind === 'case-start')
      this.cases.set(event.case, {
        name: event.name,
        from: this.count,
        to: Number.POSITIVE_INFINITY,
        links: new Set(),
      });
    else if (event.kind === 'case-end') {
      const trace = this.cases.get(event.case);
      if (trace) trace.to = this.count;
    } else if (event.kind === 'wire') {
      this.evidenceCases.add(event.event, this.subject);
      this.cases.get(event.event.case)?.links.add(event.event.link);
    } else if (event.kind === 'finding' && event.knownFailing === undefined) {
      const { requirement: id, verdict, case: number, counterexample, evidence } = event.finding;
      if (gradeOf(requirement(id), this.revision!, verdict) !== 'violation') return;
      const key = `${number} ${id}`;
      if (!this.targets.has(key))
        this.targets.set(key, {
          requirement: id,
          case: number,
          path: counterexample?.path ?? undefined,
          evidence: this.evidenceCases.of(evidence).filter(other => other !== number),
        });
    }
  }

  /** The cases that ran at the same time, and those that used the same conversations before; the latest first. */
  beside(number: number): { atOnce: string[]; before: string[] } {
    const own = this.cases.get(number);
    if (!own) return { atOnce: [], before: [] };
    const others = [...this.cases.values()].filter(c => c !== own).reverse();
    const atOnce = others.filter(c => c.from < own.to && c.to > own.from);
    const before = others.filter(c => c.to <= own.from && [...c.links].some(link => own.links.has(link)));
    return { atOnce: atOnce.map(c => c.name), before: before.map(c => c.name) };
  }
}

class Replays {
  private readonly began = performance.now();
  private longest = 0;
  /** Requirements that failed in a replay, by the cases and the value. */
  private readonly results = new Map<string, Promise<ReadonlySet<RequirementId>>>();

  constructor(
    private readonly seen: Seen,
    private readonly again: (part: Part) => AsyncIterable<RunEvent>,
    private readonly limits: ConfirmLimits,
  ) {}

  async *run(): AsyncGenerator<Confirmation> {
    if (this.seen.startMs > (this.limits.startMs ?? Number.POSITIVE_INFINITY)) return;
    for (const target of this.seen.targets.values()) {
      if (this.hasTime) yield await this.confirm(target);
      else if (this.limits.marksAll)
        yield {
          kind: 'confirmation',
          requirement: target.requirement,
          case: target.case,
          seen: 1,
          runs: 1,
          beside: [],
        };
      else return;
    }
  }

  private get hasTime(): boolean {
    return performance.now() - this.began + this.longest < this.limits.ms;
  }

  private async confirm(target: Target): Promise<Confirmation> {
    const name = this.seen.cases.get(target.case)?.name;
    const own = name === undefined ? [] : [name];
    const told = { kind: 'confirmation', requirement: target.requirement, case: target.case } as const;
    let runs = 1;
    const shows = async (others: readonly string[]): Promise<boolean> => {
      runs++;
      return (await this.replay([...own, ...others], target.path)).has(target.requirement);
    };
    if (await shows([])) return { ...told, seen: 2, runs, beside: [] };
    const { atOnce, before } = this.seen.beside(target.case);
    // what was found while the subject was examined, before any case, may need all of them
    const all = name === undefined ? [...this.seen.cases.values()].map(c => c.name) : [];
    const evidence = target.evidence.flatMap(number => this.seen.cases.get(number)?.name ?? []);
    for (const others of [evidence, atOnce, before, [...atOnce, ...before], all]) {
      if (others.length === 0 || !this.hasTime) continue;
      if (await shows(others)) return { ...told, seen: 2, runs, beside: await this.fewest(others, shows) };
    }
    return { ...told, seen: 1, runs, beside: [] };
  }

  /** A smaller part of the cases that shows the violation too: halves are left out while that is possible. */
  private async fewest(
    cases: readonly string[],
    shows: (others: readonly string[]) => Promise<boolean>,
  ): Promise<readonly string[]> {
    let left = cases;
    for (
      let tried = 0, size = Math.ceil(left.length / 2), at = 0;
      tried < mostSearches && left.length > 1;
      tried++
    ) {
      if (!this.hasTime) break;
      const fewer = [...left.slice(0, at), ...left.slice(at + size)];
      if (await shows(fewer)) {
        left = fewer;
        at = 0;
        size = Math.ceil(left.length / 2);
      } else if (at + size < left.length) at += size;
      else if (size > 1) {
        size = Math.ceil(size / 2);
        at = 0;
      } else break;
    }
    return left;
  }

  private replay(cases: readonly string[], path: string | undefined): Promise<ReadonlySet<RequirementId>> {
    const key = JSON.stringify([cases, path]);
    const known = this.results.get(key);
    if (known) return known;
    const result = this.failedIn({ cases, seed: this.seen.seed, ...(path !== undefined && { path }) });
    this.results.set(key, result);
    return result;
  }

  private async failedIn(part: Part): Promise<ReadonlySet<RequirementId>> {
    const began = performance.now();
    const failed = new Set<RequirementId>();
    for await (const event of this.again(part))
      if (event.kind === 'finding' && event.finding.verdict === 'fail') failed.add(event.finding.requirement);
    this.longest = Math.max(this.longest, performance.now() - began);
    return failed;
  }
}
