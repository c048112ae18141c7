/** The report of a matrix, version 1: what `mcp-conform matrix` writes as JSON. */

import type { Json, Role } from '../../spec/json-rpc.js';
import type { RequirementId } from '../../spec/requirement.js';
import type { RevisionId, TransportId } from '../../spec/revisions.js';

/** From best to worst. */
export const cellVerdicts = [
  'works',
  'works-with-violations',
  'refuses',
  'breaks',
  'hangs',
  'cannot-be-tried',
] as const;
export type CellVerdict = (typeof cellVerdicts)[number];

/** What became of a step of the script. */
const stepOutcomes = [
  /** The server responded with a result. */
  'done',
  /** The server responded with a result that says `isError`. */
  'tool-error',
  /** The server responded with an error. */
  'error',
  /** The server did not respond. */
  'unanswered',
  /** The client did not wait for the response. */
  'not-awaited',
  /** The client did not send the request. */
  'left-out',
  /** The server does not list the item, or does not know the method. */
  'not-offered',
  /** The server needs a capability that the client has not declared. */
  'needs-capability',
] as const;
export type StepOutcome = (typeof stepOutcomes)[number];

export interface StepReport {
  /** The number of the step in the script, from 1. */
  readonly step: number;
  /** The verb and its subject: `call test_simple_text`. */
  readonly name: string;
  readonly outcome: StepOutcome;
  /** The code of an error, and the beginning of its message. */
  readonly error?: string;
  /** The beginning of the result on the wire, without `_meta`, and a hash where it is longer; for a list the names of its items. */
  readonly result?: string;
  /** What the driver reported: that its user got the result, or an error. */
  readonly reported?: { readonly ok: true } | { readonly error: string };
}

/** A requirement that a side of the cell violates, or (`warning`) does not follow. */
export interface CellFinding {
  readonly side: Role;
  readonly requirement: RequirementId;
  readonly grade: 'violation' | 'warning';
  readonly url: string;
  readonly expected: readonly string[];
  readonly actual: string | null;
  readonly count: number;
  /** Numbers of lines of `conversation`, from 0. */
  readonly lines: readonly number[];
}

/** A line of the conversation: milliseconds since the start, the sender, and the beginning of the text. */
export type ConversationLine = readonly [at: number, by: Role | '', text: string];

export interface CellReport {
  /** `<server>/<client>/<transport>/<revision>`; pairs without a common one: `<server>/<client>`. */
  readonly name: string;
  readonly server: string;
  readonly client: string;
  readonly transport: TransportId | null;
  readonly revision: RevisionId | null;
  readonly verdict: CellVerdict;
  /** The sides that cause the verdict. */
  readonly whose: readonly Role[];
  /** The reason in a sentence; null for a cell that works. */
  readonly reason: string | null;
  /** The revision in use; null when no conversation began. */
  readonly negotiated: string | null;
  readonly durationMs: number;
  readonly steps: readonly StepReport[];
  readonly findings: readonly CellFinding[];
  readonly conversation: readonly ConversationLine[];
  /** The last output of the client and of the server. */
  readonly output: { readonly client: readonly string[]; readonly server: readonly string[] };
  /** A command that runs this cell again. */
  readonly replay: string;
  /** The record for `mcp-conform judge`, relative to the folder of the report; null without one. */
  readonly record: string | null;
}

/** What differs between cells of a row or a column: always a note. */
export interface Difference {
  readonly kind: 'result-by-client' | 'result-by-server' | 'other-revision' | 'one-transport-only';
  /** The point in a sentence. */
  readonly what: string;
  /** Each side of the difference, with its cells. */
  readonly sides: readonly { readonly value: string; readonly cells: readonly string[] }[];
}

/** A row or a column. */
export interface Participant {
  readonly name: string;
  readonly about: string;
  readonly transports: readonly TransportId[];
  readonly revisions: readonly RevisionId[];
  /** Name and version by the program itself, from the first cell that has them. */
  readonly info: Json;
}

export interface MatrixReport {
  readonly matrixVersion: 1;
  readonly tool: { readonly name: string; readonly version: string };
  readonly title: string;
  readonly startedAt: string;
  readonly durationMs: number;
  readonly exitCode: number;
  /** Number of cells of the whole matrix; more than `cells` in the report of a shard. */
  readonly planned: number;
  /** Number of cells that this run was to try and did not: the time ended, or the user ended the run. */
  readonly missing: number;
  readonly totals: Readonly<Record<CellVerdict, number>>;
  readonly servers: readonly Participant[];
  readonly clients: readonly Participant[];
  readonly steps: readonly Json[];
  readonly cells: readonly CellReport[];
  readonly differences: readonly Difference[];
}
