/**
 * The harness as an HTTP server for clients under test: its behaviour, and manual control of its responses.
 */

import type { SseFields } from '../../../framing/sse.js';
import type { SseDialect } from '../../../framing/sse-dialect.js';
import type { HeaderList, OAuthEndpoint } from '../../../record/event.js';
import type { HttpExchange } from '../../../record/http-exchange.js';
import type { Message } from '../../../record/message.js';

/** A request of the client, before it is recorded. */
export interface HttpCall {
  readonly method: string;
  readonly url: URL;
  readonly headers: HeaderList;
  /** The value of a header; several values are joined with a comma. @param name in any case */
  header(name: string): string | undefined;
  readonly body: string;
}

/** A request of the client, with its whole body. */
export interface HttpIncoming extends HttpCall {
  /** Messages in the body. */
  readonly messages: readonly Message[];
  /** The recorded exchange of the request. */
  readonly exchange: HttpExchange;
}

/** A response set by a scenario. */
export interface HttpAnswer {
  readonly status: number;
  /** A list stands for several lines of the same name. */
  readonly headers?: Readonly<Record<string, string | readonly string[]>>;
  /** Text and bytes are sent unchanged, other values as JSON. */
  readonly body?: string | Buffer | object;
  /** Closes the connection without sending a byte. */
  readonly reset?: true;
}

/**
 * The authentication gate in front of the MCP endpoint: it checks each request before the request is
 * recorded.
 */
interface AuthGate {
  /** Refuses a request, so that its content is not part of a conversation; undefined admits the request. */
  admit(call: HttpCall): HttpAnswer | undefined;
  /** Called when a request to the MCP endpoint has been recorded, admitted or not. */
  noted(exchange: HttpExchange): void;
  /** The purpose of a request that is not for the MCP endpoint. */
  endpointOf(call: HttpCall): OAuthEndpoint | undefined;
}

/** A host with its own origin, whose requests are recorded together with those of MCP. */
export interface ExtraHost {
  endpointOf(call: HttpCall): OAuthEndpoint;
  /** The host uses TLS, with this certificate. */
  readonly tls?: { readonly key: string; readonly cert: string } | undefined;
  /** Called for each connection, with or without a request. */
  connected?(): void;
  answer(request: HttpIncoming): HttpAnswer | Promise<HttpAnswer>;
}

/**
 * Inspects a request before all other code: returns a response (also later) instead of the default one, or
 * undefined.
 */
type Intercept = (request: HttpIncoming) => HttpAnswer | undefined | Promise<HttpAnswer | undefined>;

/** All choices that the specification leaves to a server; the default is a basic conforming server. */
export interface HttpBehaviour {
  /** Form of the response to a POST with requests. Default: `sse`. */
  readonly answers: 'sse' | 'json';
  /** The response to initialize contains a session id; a function creates the id. Default: true. */
  readonly sessions: boolean | (() => string);
  /** True: a stream opened with GET is offered; false: refused with 405. Default: true. */
  readonly getStream: boolean;
  /** True: DELETE ends the session; false: refused with 405. Default: true. */
  readonly deletes: boolean;
  /** Media types contain a charset parameter. Default: false. */
  readonly charset: boolean;
  /** Formatting of streams. Default: basic. */
  readonly dialect: Partial<SseDialect>;
  /** Each message has the event type `message`, which is the default of event streams. Default: true. */
  readonly namesMessages: boolean;
  /** Blocks before each message, such as blocks of unknown types or with comments only. Default: none. */
  readonly before: readonly (SseFields | string)[];
  /** A message spans several lines, each a data field. Default: false. */
  readonly multiline: boolean;
  /** Bytes per write; default: all available bytes. */
  readonly chunk: number | undefined;
  /** Events have ids, and a broken stream can be resumed. Default: true. */
  readonly resumable: boolean;
  /**
   * Streams begin with an event that has an id and no data. Default: where the revision requires such an
   * event.
   */
  readonly primes: boolean | undefined;
  /** Reconnection delay in milliseconds in each event. Default: none. */
  readonly retry: number | undefined;
  /**
   * The stream of a POST is closed right after its first event, and the response follows when the stream is
   * resumed. Default: false.
   */
  readonly polling: boolean;
  /** Older transport: the data of the endpoint event. Default: `relative`, with a query string. */
  readonly endpoint: 'relative' | 'absolute' | ((session: string, origin: string) => string);
  /**
   * Older transport: the status for a POST to the URL of the stream, which causes newer clients to fall back.
   * Default: 405.
   */
  readonly refusesNewer: number;
  /** The older transport replaces the newer one, at the URL given to the client. Default: false. */
  readonly older: boolean;
  readonly intercept: Intercept | undefined;
  /** Default: every request is admitted. */
  readonly authGate: AuthGate | undefined;
}

export interface HttpListenOptions extends Partial<HttpBehaviour> {
  /** Path of the MCP endpoint; default: that of the transport. */
  readonly path?: string;
}

/** The server of one listener, for all its links. */
export interface HttpServer {
  /** The URL given to the client. */
  readonly url: string;
  /** Without a path. */
  readonly origin: string;
  /** Changes the behaviour of the server from now on; an open stream keeps its behaviour. */
  behave(changes: HttpListenOptions): void;
  /**
   * Sends this response to the next matching request (default: any), with precedence over `intercept`.
   * @returns the exchange, when the response is sent
   */
  answerNext(answer: HttpAnswer, fits?: (request: HttpIncoming) => boolean): Promise<HttpExchange>;
  /** Opens a port for another host. @returns its origin */
  addHost(host: ExtraHost): Promise<string>;
}

/** The server, restricted to one link. */
export interface HttpServerLink extends Omit<HttpServer, 'addHost'> {
  readonly sessionId: string | undefined;
  /** The open stream of a GET (the only stream of the older transport), if there is one. */
  readonly listening: HttpExchange | undefined;
  /** The first matching request, received already or later; undefined at the timeout. */
  request(fits: (exchange: HttpExchange) => boolean): Promise<HttpExchange | undefined>;
  /** Waits until a condition holds for an exchange, or the exchange is over; false at the timeout. */
  until(exchange: HttpExchange, holds: (exchange: HttpExchange) => boolean): Promise<boolean>;
  /** Writes a block, or bytes, unchanged to an open stream. */
  write(exchange: HttpExchange, block: SseFields | string | Buffer): void;
  /**
   * Ends a stream: the response is complete, or the connection breaks. Unsent messages wait for a client that
   * resumes the stream.
   */
  endStream(exchange: HttpExchange, how: 'complete' | 'break'): void;
  /** Ends the session: later requests with its id get status 404. */
  expire(): void;
}
