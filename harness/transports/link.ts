/** One connection to the other side, over any transport. All traffic is recorded below the peer. */

import type { JsonObject } from '../../spec/json-rpc.js';
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
import type { StreamPatience } from './http/stream-patience.js';
import type { Intake } from './intake.js';
import type { ExitPatience } from './stdio/exit-patience.js';

/** An outgoing frame of the harness. */
export interface Outgoing {
  /** One frame, without delimiter. */
  readonly text: string;
  /** The frame breaks a rule on purpose. */
  readonly deliberate?: true;
  /**
   * For the harness as the server: the related request of the subject. Over Streamable HTTP, a request or
   * notification goes to the stream of that request; without a related request, to the stream opened with
   * GET. Responses need no value here.
   */
  readonly during?: Message;
}

export interface Link {
  readonly transport: TransportId;
  /** Measures waits for the other side. */
  readonly clock: Clock;
  /** Whether frames still reach the other side. */
  readonly writable: boolean;
  /** Passes a frame to the transport; returns the recorded messages, none while the frame is queued. */
  send(out: Outgoing): Message[];
  /** Messages of the other side, in order. */
  onMessage(listener: (message: Message) => void): void;
  /** Called for HTTP events without a message: a head, a block of a stream, an end. */
  onActivity?(listener: () => void): void;
  /** Called once when nothing more can arrive. */
  onEnd(listener: () => void): void;
  /**
   * Closes the connection as the transport prescribes and resolves when no resource of the subject is left.
   */
  close(): Promise<void>;
  /**
   * Called for requests that can get no response: refused by the HTTP status, or their stream is over and
   * cannot be resumed. Never called over stdio, where only the end of the process shows this.
   */
  onUnanswerable?(listener: (request: Message) => void): void;
  /**
   * The reason why the subject cannot be reached, with its last output; undefined while the subject is
   * reachable.
   */
  readonly failure?: ConnectionFailure | undefined;
  /** Operations of stdio only. */
  readonly stdio?: StdioControl;
  /** Operations of HTTP only. */
  readonly http?: HttpControl;
  /**
   * For the harness as the server, where only the client opens streams: resolves with true when there is a
   * stream for messages related to `during` (for unrelated messages, when `during` is absent), with false at
   * the timeout. Absent over stdio.
   */
  carrier?(during?: Message): Promise<boolean>;
  /** Operations of a stdio server only. */
  readonly stdioServer?: StdioServerControl;
  /** Operations of an HTTP server only. */
  readonly httpServer?: HttpServerLink;
}

export interface ConnectionFailure {
  /** A sentence. */
  readonly reason: string;
  readonly details: readonly string[];
}

export interface StdioControl {
  /** Writes bytes unchanged; each line is recorded as a deliberate frame. */
  write(bytes: string | Buffer, options?: { deliberate?: boolean }): void;
  closeInput(): void;
  /** Resolves when the process has exited or the window is over; true for an exit. */
  exited(window: 'exit-after-eof' | 'exit-after-sigterm'): Promise<boolean>;
}

/** A manual HTTP request. Each field that is absent has the value of a conforming client in this session. */
export interface HttpAsk {
  /** Default: POST with a body, GET without. */
  readonly method?: string;
  /** Absolute, or relative to the endpoint; default: the endpoint. */
  readonly url?: string;
  /** Changes to the default headers: a value replaces or adds, null removes. */
  readonly headers?: Readonly<Record<string, string | null>>;
  /** Sends nothing but `host` and the headers given here. */
  readonly bare?: boolean;
  /** Text and bytes are sent unchanged, other values as JSON. */
  readonly body?: string | Buffer | object;
  /** The body in chunks, sent one after the other, with its length in the header; `body` is their text. */
  readonly pieces?: readonly Uint8Array[];
  /** The request breaks no rule; default false, as most manual requests break a rule on purpose. */
  readonly polite?: boolean;
}

/**
 * Manual control of HTTP: the same tap records all traffic, including responses. No method throws or waits
 * without a limit.
 */
export interface HttpControl {
  /** The MCP endpoint; for the older transport the URL of the stream. */
  readonly url: string;
  /** The URL for POSTs of messages; undefined before the endpoint event of the older transport. */
  readonly messageUrl: string | undefined;
  readonly sessionId: string | undefined;
  /** The negotiated revision, in the spelling of the server. */
  readonly protocolVersion: string | undefined;
  /**
   * The open stream of the GET after the handshake (the only stream of the older transport), if there is one.
   */
  readonly listening: HttpExchange | undefined;
  /** Requests outside the endpoint, without any credentials of the user: OAuth documents and endpoints. */
  readonly web: Web;
  /** Sends without waiting, bypassing the queue that keeps ordinary messages in order. */
  send(ask?: HttpAsk): HttpExchange;
  /**
   * Sends, after the ordinary messages before, and waits: for the whole response; in case of a stream until
   * the requests in the body have responses, without requests until the stream is open. The limit is the
   * timeout of one response; at the limit a deadline is recorded.
   */
  fetch(ask?: HttpAsk): Promise<HttpExchange>;
  /** Opens a stream with GET and waits for the head of the response. */
  openGet(options?: { lastEventId?: string; headers?: HttpAsk['headers'] }): Promise<HttpExchange>;
  /** Waits until a condition holds for an exchange, or the exchange is over; false at the timeout. */
  until(exchange: HttpExchange, holds: (exchange: HttpExchange) => boolean): Promise<boolean>;
  /** Waits until an exchange is over; false at the timeout. */
  over(exchange: HttpExchange): Promise<boolean>;
  /** The next matching block of a stream, received already or later; undefined at the timeout. */
  block(exchange: HttpExchange, fits: (event: SseEvent) => boolean): Promise<SseEvent | undefined>;
  /**
   * Interrupts an exchange. A stream with open requests is resumed as a conforming client does, unless
   * `resume` is false.
   */
  drop(exchange: HttpExchange, options?: { resume?: boolean }): void;
}

/**
 * The address for a client: a URL, or the words of the command that starts the server side of the harness; in
 * this process a function that replaces such a command.
 */
export type Address =
  | { readonly url: string }
  | { readonly command: readonly string[] }
  | { readonly connect: () => Endpoint };

/** Accepts the connections of a client under test. One listener per case: its own port or pipe. */
export interface Listener {
  readonly transport: TransportId;
  readonly address: Address;
  /**
   * Called for each conversation that the client opens. Links opened before the call are passed on at once.
   */
  onLink(accept: (link: Link, conversation: Conversation) => void): void;
  /** Behaviour of the harness as an HTTP server; absent over stdio. */
  readonly http?: HttpServer;
  /** Closes all links; resolves when port, pipe and streams are closed. */
  close(): Promise<void>;
}

export interface ListenOptions {
  /**
   * Called for each new link; returns its record. The transport is that of the listener, or the older one of
   * HTTP.
   */
  readonly newLink: (transport: TransportId) => { readonly tap: Tap; readonly conversation: Conversation };
  readonly timing: Timing;
  /** Measures waits for the client; default: by the CPU time of this process. */
  readonly clock?: Clock;
  readonly http?: HttpListenOptions;
  readonly stdio?: StdioListenOptions;
  /**
   * The revision has no handshake: there is no session, and each request is independent; `either`: the first
   * request of a client decides. Default: false.
   */
  readonly stateless?: boolean | 'either';
  /** Learn the secrets that the listener detects; the record hides them. */
  readonly secrets?: Secrets;
  /** Counts the input of the run; default: of each connection alone. */
  readonly intake?: Intake | undefined;
}

/** A signal or end of input that a server process ignores; `SIGKILL` cannot be ignored. */
export type Ignorable = 'eof' | 'SIGTERM' | 'SIGINT' | 'SIGHUP';

export interface StdioListenOptions {
  /**
   * Events that every server process ignores from its start; default: none, so that the process exits when
   * its input is closed.
   */
  readonly ignores?: readonly Ignorable[];
}

/** The server process started by the client; its implementation is the harness. */
export interface StdioServerControl {
  readonly pid: number;
  /** Writes bytes unchanged to standard output; each line is recorded as a deliberate frame. */
  write(bytes: string | Buffer, options?: { deliberate?: boolean }): void;
  /** Writes to standard error. */
  writeError(text: string): void;
  closeOutput(): void;
  /** Ignores this event from now on: shows whether a client escalates to SIGTERM, and to SIGKILL. */
  ignore(...what: readonly Ignorable[]): void;
  /** Terminates the process. */
  exit(code: number): void;
  /** Resolves when the process has exited. */
  readonly exited: Promise<void>;
}

export interface DialOptions {
  readonly tap: Tap;
  readonly conversation: Conversation;
  readonly revision: RevisionId;
  readonly attempt?: number;
  readonly timing: Timing;
  /** Values hidden in the record. */
  readonly secrets: Secrets;
  /** Counts the input of the run; default: of the connection alone. */
  readonly intake?: Intake | undefined;
  /** stdio: how long exits are waited for, shared by the links of a revision; default: each one in full. */
  readonly exits?: () => ExitPatience;
  /** HTTP: how long the heads of GET streams are waited for, shared by the links of a run; default: each one in full. */
  readonly streams?: StreamPatience;
  /** Without the user's Authorization header. */
  readonly anonymous?: boolean;
  /** Input schemas of listed tools by name, shared by all links of a run: some parameters need a header. */
  readonly inputSchemas?: Map<string, JsonObject>;
}
