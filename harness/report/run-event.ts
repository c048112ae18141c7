/** What a run tells, as it happens. Reports are views of this stream and of nothing else. */

import type { Json, Role } from '../../spec/json-rpc.js';
import type { RequirementId } from '../../spec/requirement.js';
import type { RevisionId, TransportId } from '../../spec/revisions.js';
import type { Finding } from '../judge/finding.js';
import type { Event } from '../record/event.js';

export type RunEvent =
  | RunStart
  | RevisionStart
  | CaseStart
  | { readonly kind: 'wire'; readonly event: Event }
  | FindingEvent
  | CaseEnd
  | RevisionEnd
  | RunEnd;

/** Where a subject is found. */
export interface SubjectPlace {
  readonly command: readonly string[] | null;
  readonly url: string | null;
  /** Working directory of the command, for a reader who cannot make it start. */
  readonly cwd?: string;
}

export interface RunStart {
  readonly kind: 'run-start';
  readonly tool: { readonly name: string; readonly version: string };
  readonly role: 'server' | 'client' | 'authorization-server' | 'watch' | 'judge';
  readonly subject: SubjectPlace;
  readonly startedAt: string;
  readonly seed: number;
  readonly strict: boolean;
  readonly fixtures: boolean;
  /** Only some of the cases were asked for. */
  readonly partial?: boolean;
  /**
   * Options to repeat in `reproduce`, as argument words: `['--timeout', '5']`. Without what the report adds itself:
   * --run, --skip, --revision, --transport, --url, --seed, --reporter.
   */
  readonly options: readonly string[];
}

/** The subject answered; judging under one revision and transport begins. */
export interface RevisionStart {
  readonly kind: 'revision-start';
  readonly revision: RevisionId;
  readonly transport: TransportId;
  /** Which end is judged, where it is both. */
  readonly side?: Role;
  /** Where it is found over this transport, when not where `run-start` says. */
  readonly subject?: SubjectPlace;
  readonly info: Json;
  readonly capabilities: Json;
  readonly offers: readonly string[];
  /** Cases that will run. */
  readonly planned: number;
  /** Requirements that are judged here if they are met. */
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

export interface CaseEnd {
  readonly kind: 'case-end';
  readonly case: number;
  /** The client said that it does not do this one: these are not applicable, unless something else judges them. */
  readonly declined?: readonly RequirementId[];
  readonly durationMs: number;
}

export interface RevisionEnd {
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
  /** Set when nothing could be judged: why, in full sentences, with what the subject last said. */
  readonly unjudged?: { readonly reason: string; readonly details: readonly string[] };
  /** Stale lines of the known-failing file and the like. */
  readonly stale?: readonly string[];
}
