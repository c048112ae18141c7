/** Everything that can be observed on a link. The history is a list of these and nothing else. */

import type { RequestId, Role } from '../spec/json-rpc.js';

interface Observed {
  /** Order of observation at the tap, from 1, over the whole run. Not causality across links. */
  readonly seq: number;
  /** Milliseconds since the run began. */
  readonly at: number;
  /** The link it was observed on, from 1. */
  readonly link: number;
  /** The case that had the link at that moment; 0 when none had. */
  readonly case: number;
}

/** A frame is the recorded truth; messages are derived from it. */
export interface Frame extends Observed {
  readonly kind: 'frame';
  readonly by: Role;
  /** One line without its newline (a `\r` before it is kept). */
  readonly text: string;
  /** Our own end broke a rule on purpose here. */
  readonly deliberate?: true;
  /** The bytes were not UTF-8; `text` shows U+FFFD for them. */
  readonly invalidUtf8?: true;
  /** Only the beginning is kept; the line had this many bytes. */
  readonly cutFrom?: number;
  /** The output ended without a newline after this. */
  readonly unterminated?: true;
}

export interface LinkOpened extends Observed {
  readonly kind: 'open';
  readonly transport: string;
  /** The revision the case was planned for; the negotiated one is in the frames. */
  readonly revision: string;
  readonly argv?: readonly string[];
  readonly pid?: number;
  /** 2 when a case is repeated alone to see whether it was the cause of an exit. */
  readonly attempt?: number;
}

/** Our end closed the subject's standard input. */
export interface InputClosed extends Observed {
  readonly kind: 'input-closed';
}
/** The subject closed its standard output. */
export interface OutputClosed extends Observed {
  readonly kind: 'output-closed';
}
export interface Signalled extends Observed {
  readonly kind: 'signal';
  readonly signal: string;
}
export interface Exited extends Observed {
  readonly kind: 'exit';
  readonly code: number | null;
  readonly signal: string | null;
}
/** Processes the subject started were still alive after it had gone; they were killed. */
export interface LeftBehind extends Observed {
  readonly kind: 'left-behind';
  readonly pids: readonly number[];
}
export interface Stderr extends Observed {
  readonly kind: 'stderr';
  readonly text: string;
}
/** A wait ended without what it waited for. */
export interface Deadline extends Observed {
  readonly kind: 'deadline';
  readonly label: 'answer' | 'exit-after-eof' | 'exit-after-sigterm' | 'message';
  readonly ms: number;
  readonly request?: RequestId;
}
/** A window of time that was watched on purpose. */
export interface Quiet extends Observed {
  readonly kind: 'quiet';
  readonly ms: number;
}
/** The subject wrote more than any conversation needs; reading was stopped. */
export interface Overflow extends Observed {
  readonly kind: 'overflow';
  readonly what: 'line' | 'bytes' | 'frames';
  readonly amount: number;
}

export type Event =
  | Frame
  | LinkOpened
  | InputClosed
  | OutputClosed
  | Signalled
  | Exited
  | LeftBehind
  | Stderr
  | Deadline
  | Quiet
  | Overflow;

type Unplaced<E> = E extends unknown ? Omit<E, keyof Observed> : never;
/** An event before the history has given it its number, time and case. */
export type NewEvent = Unplaced<Event>;
