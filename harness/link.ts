/** One connection to the other side, whatever carries it. Everything that crosses it is recorded below the peer. */

import type { RevisionId, TransportId } from '../spec/revisions.js';
import type { NewEvent } from './event.js';
import type { Message } from './history.js';

/** What our end puts on the wire. */
export interface Outgoing {
  /** One frame, without delimiter. */
  readonly text: string;
  /** Breaks a rule on purpose. */
  readonly deliberate?: true;
}

/** Where a transport reports what it sees; returns the messages found in a frame. */
export type Tap = (event: NewEvent) => Message[];

export interface Link {
  readonly transport: TransportId;
  /** Whether what is sent still reaches the other side. */
  readonly writable: boolean;
  /** Hands a frame to the transport; returns the messages it was recorded as. */
  send(out: Outgoing): Message[];
  /** Messages of the other side, in order. */
  onMessage(listener: (message: Message) => void): void;
  /** Called once when nothing more can come. */
  onEnd(listener: () => void): void;
  /** Ends the connection the way the transport prescribes and resolves when nothing of the subject is left. */
  close(): Promise<void>;
  /** What only stdio can do. */
  readonly stdio?: StdioControl;
}

export interface StdioControl {
  /** Writes bytes as they are. Recorded as deliberate frames, line by line. */
  write(bytes: string | Buffer, options?: { deliberate?: boolean }): void;
  closeInput(): void;
  /** Resolves when the process is gone or the window is over; true when it is gone. */
  exited(window: 'exit-after-eof' | 'exit-after-sigterm'): Promise<boolean>;
}

export interface DialOptions {
  readonly tap: Tap;
  readonly revision: RevisionId;
  readonly attempt?: number;
  readonly timing: Timing;
}

/** The only durations there are, in milliseconds; `--slow` multiplies all, `--timeout` sets `answer`. */
export interface Timing {
  /** The longest wait for one answer. */
  readonly answer: number;
  /** How long a process may take to go after its input was closed. */
  readonly exit: number;
  /** The window watched where only waiting can show that nothing comes. */
  readonly quiet: number;
}

export const defaultTiming: Timing = { answer: 10_000, exit: 2_000, quiet: 100 };

export const scaleTiming = (timing: Timing, factor: number): Timing => ({
  answer: timing.answer * factor,
  exit: timing.exit * factor,
  quiet: timing.quiet * factor,
});
