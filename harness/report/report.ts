/**
 * The JSON report, version 1: the output of `--reporter json`. `reports/report.schema.json` is the equivalent
 * schema.
 */

import type { Json, Role } from '../../spec/json-rpc.js';
import type { Level, RequirementId } from '../../spec/requirement.js';
import type { RevisionId, TransportId } from '../../spec/revisions.js';
import type { Counterexample } from '../judge/counterexample.js';
import type { Grade, Verdict } from '../judge/verdict.js';
import type { RunEnd, RunStart } from './run-event.js';
import type { Shard } from './shard.js';

export interface Report {
  readonly reportVersion: 1;
  readonly tool: RunStart['tool'];
  readonly role: RunStart['role'];
  readonly subject: {
    readonly command: readonly string[] | null;
    readonly url: string | null;
    /** Information from the subject about itself. */
    readonly info: Json;
    readonly offers: readonly string[];
  };
  readonly startedAt: string;
  readonly durationMs: number;
  readonly seed: number;
  readonly exitCode: number;
  readonly summary: Totals;
  readonly runs: readonly RunReport[];
  /** The reason why nothing could be judged; null otherwise. */
  readonly unjudged: NonNullable<RunEnd['unjudged']> | null;
  /** The limit or the signal that ended the run before all cases had run, in words. */
  readonly stopped?: string;
  /** The part of the cases that the run had; absent for a whole run. */
  readonly shard?: Shard;
  /** Lines of the known-failing file to delete. */
  readonly stale: readonly string[];
}

/** The first eight grades, and `notApplicable`, count requirements, once for each revision and transport. */
export interface Totals extends Record<Grade, number> {
  readonly notApplicable: number;
  readonly stale: number;
  /** Requirements with a pass or a failure, without inconclusive and unobserved ones. */
  readonly requirementsJudged: number;
  /** Single judgements of any verdict. */
  readonly checks: number;
  /** Frames of both sides. */
  readonly messages: number;
  readonly processesStarted: number;
}

/** Results under one revision over one transport. */
export interface RunReport {
  readonly revision: RevisionId;
  readonly transport: TransportId;
  /** The judged side; only where both sides were judged. */
  readonly side?: Role | 'intermediary';
  /** The revision of the client before a gateway, where the gateway speaks another one behind it. */
  readonly pass?: RevisionId;
  readonly durationMs: number;
  readonly requirements: readonly RequirementReport[];
  readonly findings: readonly FindingReport[];
  readonly cases: readonly CaseReport[];
  readonly notApplicable: readonly { readonly id: RequirementId; readonly reason: string }[];
  /** The use of the tools, prompts and resources of a server; only where it listed some. */
  readonly usage?: UsageReport;
}

/** What a server listed, and what the run did with it. */
export interface UsageReport {
  readonly tools: readonly ItemUsage[];
  readonly prompts: readonly ItemUsage[];
  readonly resources: readonly ItemUsage[];
}

export interface ItemUsage {
  /** The name, or the URI of a resource. */
  readonly name: string;
  /** Valid requests that got a response. */
  readonly uses: number;
  /** Responses with an error or isError. */
  readonly failures: number;
  /** The first failure; null without one. */
  readonly failure: string | null;
  /** The reason why it was not used; null for one that was. */
  readonly unused: string | null;
}

export interface RequirementReport {
  readonly id: RequirementId;
  readonly level: Level;
  /** The worst grade of its findings. */
  readonly grade: Grade;
  /** Number of judgements. */
  readonly examined: number;
  readonly url: string;
  /** The reason why it was not observed, if a case gives one. */
  readonly reason?: string;
}

/** Any finding except a pass. Identical findings of one case are merged, with the evidence of all. */
export interface FindingReport {
  readonly requirement: RequirementId;
  readonly grade: Exclude<Grade, 'pass' | 'notObserved'>;
  readonly case: string;
  /** Alternatives, any of which is valid. */
  readonly expected: readonly string[];
  readonly actual: string | null;
  readonly message: string | null;
  /** Numbers of the events that are the evidence, as in `run.jsonl`. */
  readonly events: readonly number[];
  /** Number of merged findings. */
  readonly count: number;
  /** The generated value that causes the finding, shrunk as far as possible. */
  readonly counterexample: Counterexample | null;
  /** The reason for an expected failure; null for others. */
  readonly knownFailing: string | null;
  /**
   * The finding that tells the cause: it is about the same event of the subject, and is graver or more specific; null
   * for a finding that tells its own.
   */
  readonly causedBy: { readonly requirement: RequirementId; readonly case: string } | null;
  /** Number of runs that showed it, and of all runs, if it was replayed; null otherwise. */
  readonly confirmed: { readonly seen: number; readonly runs: number } | null;
  /** A command line for a POSIX shell. */
  readonly reproduce: string;
}

export interface CaseReport {
  readonly name: string;
  readonly verdict: Verdict;
  readonly durationMs: number;
}
