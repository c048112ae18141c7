/** One connection to the other side, whatever carries it. Everything that crosses it is recorded below the peer. */

import type { RevisionId, TransportId } from '../../spec/revisions.js';
import type { Conversation } from '../record/conversation.js';
import type { HttpExchange, SseEvent } from '../record/http-exchange.js';
import type { Message } from '../record/message.js';
import type { Secrets } from '../record/redaction.js';
import type { Tap } from '../record/tap.js';
import type { Endpoint } from '../subject/subject.js';
import type { Clock } from '../time/clock.js';
import type { Timing } from '../time/timing.js';
import type { HttpListenOptions, HttpServer, HttpServerLink } from './http/server/behaviour.js';
import type { Web } from './http/side-request.js';

/** What our end puts on the wire. */
export interface Outgoing {
  /** One frame, without delimiter. */
  readonly text: string;
  /** Breaks a rule on purpose. */
  readonly deliberate?: true;
  /**
   * When our end is the server: the request of the subject that this has to do with. Over Streamable HTTP a question or a
   * notification goes onto the stream of that request; what has to do with none goes onto the stream opened with GET.
   * Answers need nothing here.
   */
  readonly during?: Message;
}

export interface Link {
  readonly transport: TransportId;
  /** Measures waits for the other side. */
  readonly clock: Clock;
  /** Whether what is sent still reaches the other side. */
  readonly writable: boolean;
  /** Hands a frame to the transport; returns the messages it was recorded as, none while it has to be held back. */
  send(out: Outgoing): Message[];
  /** Messages of the other side, in order. */
  onMessage(listener: (message: Message) => void): void;
  /** Called when something comes over HTTP that is no message: the head of an answer, a block of a stream, an end. */
  onActivity?(listener: () => void): void;
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
  readonly failure?: ConnectionFailure | undefined;
  /** What only stdio can do. */
  readonly stdio?: StdioControl;
  /** What only HTTP can do. */
  readonly http?: HttpControl;
  /**
   * When our end is the server and only the client opens streams: resolves with true when what has to do with `during`
   * (with no request, when it is absent) has a stream to go on, with false when none came in time. Absent over stdio.
   */
  carrier?(during?: Message): Promise<boolean>;
  /** What only a server on stdio can do. */
  readonly stdioServer?: StdioServerControl;
  /** What only an HTTP server can do. */
  readonly httpServer?: HttpServerLink;
}

export interface ConnectionFailure {
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
  /** The body in the pieces in which it goes out, one after the other, its length said before; `body` is their text. */
  readonly pieces?: readonly Uint8Array[];
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
  /** Requests beside the endpoint, without anything the user gave: documents and endpoints of OAuth. */
  readonly web: Web;
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

/**
 * What a client is given: a URL, or the words of the command that is our end; in this process a function that starts our
 * end as such a command would.
 */
export type Address =
  | { readonly url: string }
  | { readonly command: readonly string[] }
  | { readonly connect: () => Endpoint };

/** Accepts what a client under test opens. One per case: its own port or pipe. */
export interface Listener {
  readonly transport: TransportId;
  readonly address: Address;
  /** Each conversation the client opens. Links that came before the call are handed over at once. */
  onLink(accept: (link: Link, conversation: Conversation) => void): void;
  /** How our end behaves as an HTTP server; absent over stdio. */
  readonly http?: HttpServer;
  /** Ends all links; resolves when port, pipe and streams are gone. */
  close(): Promise<void>;
}

export interface ListenOptions {
  /** Called for each new link: where it is recorded. The transport is the one it was listened for, or the older one of HTTP. */
  readonly newLink: (transport: TransportId) => { readonly tap: Tap; readonly conversation: Conversation };
  readonly timing: Timing;
  /** Measures waits for the client; default: by what this process gets. */
  readonly clock?: Clock;
  readonly http?: HttpListenOptions;
  readonly stdio?: StdioListenOptions;
  /** What nobody may read in the record; default: what the listener comes to know of. */
  readonly secrets?: Secrets;
}

/** What a server process does not heed; `SIGKILL` cannot be ignored. */
export type Ignorable = 'eof' | 'SIGTERM' | 'SIGINT' | 'SIGHUP';

export interface StdioListenOptions {
  /** What every server process ignores from its start; default: nothing, so that it exits when its input is closed. */
  readonly ignores?: readonly Ignorable[];
}

/** The server process that the client has started, which is ours. */
export interface StdioServerControl {
  readonly pid: number;
  /** Writes bytes as they are to its standard output. Recorded as deliberate frames, line by line. */
  write(bytes: string | Buffer, options?: { deliberate?: boolean }): void;
  /** Writes to its standard error. */
  writeError(text: string): void;
  closeOutput(): void;
  /** From now on this is not heeded: whether a client goes on to SIGTERM, and to SIGKILL. */
  ignore(...what: readonly Ignorable[]): void;
  /** Ends the process. */
  exit(code: number): void;
  /** Resolves when the process is gone. */
  readonly exited: Promise<void>;
}

export interface DialOptions {
  readonly tap: Tap;
  readonly conversation: Conversation;
  readonly revision: RevisionId;
  readonly attempt?: number;
  readonly timing: Timing;
  /** What nobody may read in the record. */
  readonly secrets: Secrets;
  /** Without the user's Authorization header. */
  readonly anonymous?: boolean;
}
