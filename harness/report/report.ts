/** The JSON report, version 1: what `--reporter json` writes. `reports/report.schema.json` says the same as a schema. */

import type { Json, Role } from '../../spec/json-rpc.js';
import type { Level, RequirementId } from '../../spec/requirement.js';
import type { RevisionId, TransportId } from '../../spec/revisions.js';
import type { Counterexample } from '../judge/counterexample.js';
import type { Grade, Verdict } from '../judge/verdict.js';
import type { RunEnd, RunStart } from './run-event.js';

export interface Report {
  readonly reportVersion: 1;
  readonly tool: RunStart['tool'];
  readonly role: RunStart['role'];
  readonly subject: {
    readonly command: readonly string[] | null;
    readonly url: string | null;
    /** What the subject says about itself. */
    readonly info: Json;
    readonly offers: readonly string[];
  };
  readonly startedAt: string;
  readonly durationMs: number;
  readonly seed: number;
  readonly exitCode: number;
  readonly summary: Totals;
  readonly runs: readonly RunReport[];
  /** Why nothing could be judged; null when something was. */
  readonly unjudged: NonNullable<RunEnd['unjudged']> | null;
  /** Lines of the known-failing file to delete. */
  readonly stale: readonly string[];
}

/** The first eight grades, and `notApplicable`, count requirements, once for each revision and transport. */
export interface Totals extends Record<Grade, number> {
  readonly notApplicable: number;
  readonly stale: number;
  /** Requirements with a pass or a failure; the inconclusive and unobserved ones are not among them. */
  readonly requirementsJudged: number;
  /** Single judgements of any verdict. */
  readonly checks: number;
  /** Frames on the wire, of both sides. */
  readonly messages: number;
  readonly processesStarted: number;
}

/** What was judged under one revision over one transport. */
export interface RunReport {
  readonly revision: RevisionId;
  readonly transport: TransportId;
  /** Which end was judged; only where both were. */
  readonly side?: Role;
  readonly durationMs: number;
  readonly requirements: readonly RequirementReport[];
  readonly findings: readonly FindingReport[];
  readonly cases: readonly CaseReport[];
  readonly notApplicable: readonly { readonly id: RequirementId; readonly reason: string }[];
}

export interface RequirementReport {
  readonly id: RequirementId;
  readonly level: Level;
  /** The worst of its findings. */
  readonly grade: Grade;
  /** Number of judgements. */
  readonly examined: number;
  readonly url: string;
}

/** Anything but a pass. Identical findings of one case are one, with the evidence of all. */
export interface FindingReport {
  readonly requirement: RequirementId;
  readonly grade: Exclude<Grade, 'pass' | 'notObserved'>;
  readonly case: string;
  /** Any of these would have been right. */
  readonly expected: readonly string[];
  readonly actual: string | null;
  readonly message: string | null;
  /** Numbers of the events that show it, as in `run.jsonl`. */
  readonly events: readonly number[];
  /** How many identical findings this stands for. */
  readonly count: number;
  /** The generated value that shows it, as small as it could be made. */
  readonly counterexample: Counterexample | null;
  /** Why it is expected to fail, when it is. */
  readonly knownFailing: string | null;
  /** A command line for a POSIX shell. */
  readonly reproduce: string;
}

export interface CaseReport {
  readonly name: string;
  readonly verdict: Verdict;
  readonly durationMs: number;
}
