/** One connection to the other side, whatever carries it. Everything that crosses it is recorded below the peer. */

import type { RevisionId, TransportId } from '../spec/revisions.js';
import type { NewEvent } from './event.js';
import type { Conversation, Message } from './history.js';
import type { HttpExchange, SseEvent } from './http-exchange.js';

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
  /**
   * Requests that can no longer be answered: refused by the HTTP status, or their stream is over and cannot be resumed.
   * Never called over stdio, where only the end of the process says so.
   */
  onUnanswerable?(listener: (request: Message) => void): void;
  /** Why the subject cannot be reached, with the last it said; undefined while it can. */
  readonly trouble?: Trouble | undefined;
  /** What only stdio can do. */
  readonly stdio?: StdioControl;
  /** What only HTTP can do. */
  readonly http?: HttpControl;
}

export interface Trouble {
  /** A sentence. */
  readonly reason: string;
  readonly details: readonly string[];
}

export interface StdioControl {
  /** Writes bytes as they are. Recorded as deliberate frames, line by line. */
  write(bytes: string | Buffer, options?: { deliberate?: boolean }): void;
  closeInput(): void;
  /** Resolves when the process is gone or the window is over; true when it is gone. */
  exited(window: 'exit-after-eof' | 'exit-after-sigterm'): Promise<boolean>;
}

/** A request made by hand. Unless said otherwise it is what a polite client of this session would send. */
export interface HttpAsk {
  /** Default: POST with a body, GET without. */
  readonly method?: string;
  /** Absolute, or relative to the endpoint; default: the endpoint. */
  readonly url?: string;
  /** Changes to the polite headers: a value replaces or adds, null takes away. */
  readonly headers?: Readonly<Record<string, string | null>>;
  /** Sends nothing but `host` and the headers given here. */
  readonly bare?: boolean;
  /** Text and bytes go out as they are, anything else as JSON. */
  readonly body?: string | Buffer | object;
  /** It breaks no rule; default false, as most are made to break one. */
  readonly polite?: boolean;
}

/** HTTP at hand: everything is recorded by the same tap, answers too. Nothing here throws or waits without end. */
export interface HttpControl {
  /** The MCP endpoint; of the older transport the one that streams. */
  readonly url: string;
  /** Where messages are POSTed; undefined until the endpoint event of the older transport has come. */
  readonly messageUrl: string | undefined;
  readonly sessionId: string | undefined;
  /** The negotiated revision, as the server wrote it. */
  readonly protocolVersion: string | undefined;
  /** The stream opened with GET after the handshake (the only stream of the older transport), if there is one now. */
  readonly listening: HttpExchange | undefined;
  /** Sends without waiting, past the queue that keeps ordinary messages in order. */
  send(ask?: HttpAsk): HttpExchange;
  /**
   * Sends, after the ordinary messages before it, and waits for what can be waited for: the whole answer; of a stream until the requests in the body are answered,
   * without requests until it is open. No longer than one answer may take; then a deadline is recorded.
   */
  fetch(ask?: HttpAsk): Promise<HttpExchange>;
  /** Opens a stream with GET and waits for its head. */
  openGet(options?: { lastEventId?: string; headers?: HttpAsk['headers'] }): Promise<HttpExchange>;
  /** Waits until something holds of an exchange, or it is over; false when neither came in time. */
  until(exchange: HttpExchange, holds: (exchange: HttpExchange) => boolean): Promise<boolean>;
  /** Waits until an exchange is over; false when it was not in time. */
  over(exchange: HttpExchange): Promise<boolean>;
  /** The next block of a stream that fits, seen or to come; undefined when none came in time. */
  block(exchange: HttpExchange, fits: (event: SseEvent) => boolean): Promise<SseEvent | undefined>;
  /** Breaks an exchange off. A stream with open requests is resumed as a polite client would, unless told not to. */
  drop(exchange: HttpExchange, options?: { resume?: boolean }): void;
}

export interface DialOptions {
  readonly tap: Tap;
  readonly conversation: Conversation;
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
