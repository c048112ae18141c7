/** Events of a run, in order. Reports are views of this stream and of nothing else. */

import type { Json, Role } from '../../spec/json-rpc.js';
import type { RequirementId } from '../../spec/requirement.js';
import type { RevisionId, TransportId } from '../../spec/revisions.js';
import type { Finding } from '../judge/finding.js';
import type { Event } from '../record/event.js';
import type { Shard } from './shard.js';

export type RunEvent =
  | RunStart
  | RevisionStart
  | CaseStart
  | { readonly kind: 'wire'; readonly event: Event }
  | FindingEvent
  | Confirmation
  | CaseEnd
  | RevisionEnd
  | RunEnd;

/** Command or URL of a subject. */
export interface SubjectPlace {
  readonly command: readonly string[] | null;
  readonly url: string | null;
  /** Working directory of the command, for a reader who cannot start the command. */
  readonly cwd?: string;
}

export interface RunStart {
  readonly kind: 'run-start';
  readonly tool: { readonly name: string; readonly version: string };
  readonly role: 'server' | 'client' | 'authorization-server' | 'watch' | 'gateway' | 'network' | 'judge';
  readonly subject: SubjectPlace;
  readonly startedAt: string;
  readonly seed: number;
  readonly strict: boolean;
  readonly fixtures: boolean;
  /** The revision that the run was asked to judge; absent when the run chose among those on offer. */
  readonly revision?: RevisionId;
  /** True if only some of the cases were selected. */
  readonly partial?: boolean;
  /** The part of the cases that this run has; `--min-judged` then holds for the merged run only. */
  readonly shard?: Shard;
  /** Requirements that have to be judged, as a number or as a percentage of those that apply: `70`, `50%`. */
  readonly minJudged?: string;
  /** True if requirements that the release only announces count too. */
  readonly pending?: boolean;
  /**
   * Options to repeat in `reproduce`, as argument words: `['--timeout', '5']`. Without those that the report
   * adds itself: --run, --skip, --revision, --transport, --url, --seed, --reporter.
   */
  readonly options: readonly string[];
  /** The words that started the program; default: `mcp-conform`. */
  readonly program?: readonly string[];
}

/** The subject has responded; judging under one revision and transport begins. */
export interface RevisionStart {
  readonly kind: 'revision-start';
  readonly revision: RevisionId;
  readonly transport: TransportId;
  /** The judged side, where both sides are judged. */
  readonly side?: Role | 'intermediary';
  /** The revision of the client before a gateway, where the gateway speaks another one behind it. */
  readonly pass?: RevisionId;
  /** Command or URL for this transport, if it differs from `run-start`. */
  readonly subject?: SubjectPlace;
  readonly info: Json;
  readonly capabilities: Json;
  readonly offers: readonly string[];
  /** Cases that will run. */
  readonly planned: number;
  /** Requirements that are judged here if they are observed. */
  readonly requirements: readonly RequirementId[];
  readonly notApplicable: readonly { readonly id: RequirementId; readonly reason: string }[];
}

export interface CaseStart {
  readonly kind: 'case-start';
  /** From 1; 0 is the probe. */
  readonly case: number;
  /** `<revision>/<transport>/<scenario>`. */
  readonly name: string;
  readonly title: string;
}

export interface FindingEvent {
  readonly kind: 'finding';
  readonly finding: Finding;
  /** The reason given in the known-failing file; set only on failures listed there. */
  readonly knownFailing?: string;
}

/** The violations of a requirement in a case were replayed after the run. */
export interface Confirmation {
  readonly kind: 'confirmation';
  readonly requirement: RequirementId;
  readonly case: number;
  /** Number of runs that showed the violation, and of all runs, the first one included. */
  readonly seen: number;
  readonly runs: number;
  /** Full names of the cases that have to run too. */
  readonly beside: readonly string[];
}

interface CaseEnd {
  readonly kind: 'case-end';
  readonly case: number;
  /**
   * Requirements that the client declined (exit code 127): not applicable, unless another case judges them.
   */
  readonly declined?: readonly RequirementId[];
  readonly durationMs: number;
}

interface RevisionEnd {
  readonly kind: 'revision-end';
  readonly revision: RevisionId;
  readonly transport: TransportId;
  readonly durationMs: number;
}

export interface RunEnd {
  readonly kind: 'run-end';
  readonly durationMs: number;
  readonly exitCode: number;
  readonly processesStarted: number;
  /**
   * What the run cost this process, in milliseconds: CPU time, and wall time of the rules; and the begin and end of each
   * conversation that is not recorded.
   */
  readonly own?: {
    readonly cpuMs: number;
    readonly judgingMs: number;
    readonly unrecorded?: readonly (readonly [from: number, to: number])[];
  };
  /** Set when nothing could be judged: the reason in full sentences, with the last output of the subject. */
  readonly unjudged?: { readonly reason: string; readonly details: readonly string[] };
  /** The limit or the signal that ended the run before all cases had run, in words. */
  readonly stopped?: string;
  /** Stale lines of the known-failing file and similar notices. */
  readonly stale?: readonly string[];
}
