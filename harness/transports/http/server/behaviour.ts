/** Our end as an HTTP server, for clients under test: how it behaves, and what can be done with it by hand. */

import type { SseFields } from '../../../framing/sse.js';
import type { SseDialect } from '../../../framing/sse-dialect.js';
import type { HeaderList, OAuthEndpoint } from '../../../record/event.js';
import type { HttpExchange } from '../../../record/http-exchange.js';
import type { Message } from '../../../record/message.js';

/** A request of the client, before it is written down. */
export interface HttpCall {
  readonly method: string;
  readonly url: URL;
  readonly headers: HeaderList;
  /** The value of a header; several are joined with a comma. @param name in any case */
  header(name: string): string | undefined;
  readonly body: string;
}

/** A request of the client, with its whole body. */
export interface HttpIncoming extends HttpCall {
  /** Messages in the body. */
  readonly messages: readonly Message[];
  /** The record of it. */
  readonly exchange: HttpExchange;
}

/** An answer made by hand. */
export interface HttpAnswer {
  readonly status: number;
  /** A list stands for several lines of one name. */
  readonly headers?: Readonly<Record<string, string | readonly string[]>>;
  /** Text and bytes go out as they are, anything else as JSON. */
  readonly body?: string | Buffer | object;
  /** The connection is closed instead, without a byte. */
  readonly reset?: true;
}

/** What is let in to the MCP endpoint, and what is beside it: looked at before a request is written down. */
export interface AuthGate {
  /** Turns a request away, so that what it carries is no part of a conversation; undefined lets it in. */
  admit(call: HttpCall): HttpAnswer | undefined;
  /** A request to the MCP endpoint has been written down, let in or not. */
  noted(exchange: HttpExchange): void;
  /** What a request is for that does not go to the MCP endpoint. */
  endpointOf(call: HttpCall): OAuthEndpoint | undefined;
}

/** A host with an origin of its own, whose requests are written down with those of MCP. */
export interface ExtraHost {
  endpointOf(call: HttpCall): OAuthEndpoint;
  /** It speaks TLS, with this certificate. */
  readonly tls?: { readonly key: string; readonly cert: string } | undefined;
  /** Somebody has connected, whatever comes of it. */
  connected?(): void;
  answer(request: HttpIncoming): HttpAnswer | Promise<HttpAnswer>;
}

/** Looks at a request before anybody else does: an answer in place of the polite one, also later; or nothing. */
export type Intercept = (request: HttpIncoming) => HttpAnswer | undefined | Promise<HttpAnswer | undefined>;

/** All that is left open to a server; the default is a plain polite one. */
export interface HttpBehaviour {
  /** How a POST with requests is answered. Default: `sse`. */
  readonly answers: 'sse' | 'json';
  /** A session id comes with the answer to initialize; a function makes it. Default: true. */
  readonly sessions: boolean | (() => string);
  /** The stream opened with GET is offered, or refused with 405. Default: true. */
  readonly getStream: boolean;
  /** DELETE ends the session, or is refused with 405. Default: true. */
  readonly deletes: boolean;
  /** Media types name their character set. Default: false. */
  readonly charset: boolean;
  /** How streams are written. Default: plainly. */
  readonly dialect: Partial<SseDialect>;
  /** Each message names its event type `message`, which is the default of event streams. Default: true. */
  readonly namesMessages: boolean;
  /** Blocks that come before each message: of unknown types, comments alone. Default: none. */
  readonly before: readonly (SseFields | string)[];
  /** A message is written over several lines, each a data field. Default: false. */
  readonly multiline: boolean;
  /** Bytes of one write; default: as many as there are. */
  readonly chunk: number | undefined;
  /** Events have ids, and a stream that broke can be gone on with. Default: true. */
  readonly resumable: boolean;
  /** Streams begin with an event that has an id and no data. Default: where the revision says so. */
  readonly primes: boolean | undefined;
  /** Each event says after how many milliseconds to connect again. Default: they do not. */
  readonly retry: number | undefined;
  /** The stream of a POST is closed as soon as it is primed, and the answer comes when it is gone on with. Default: false. */
  readonly polling: boolean;
  /** Older transport: what the endpoint event says. Default: `relative`, with a query string. */
  readonly endpoint: 'relative' | 'absolute' | ((session: string, origin: string) => string);
  /** Older transport: the status for a POST to the URL of the stream, by which newer clients fall back. Default: 405. */
  readonly refusesNewer: number;
  /** In place of the newer transport there is the older one, at the URL that the client is given. Default: false. */
  readonly older: boolean;
  readonly intercept: Intercept | undefined;
  /** Default: everybody is let in. */
  readonly authGate: AuthGate | undefined;
}

export interface HttpListenOptions extends Partial<HttpBehaviour> {
  /** Path of the MCP endpoint; default: that of the transport. */
  readonly path?: string;
}

/** The server of one listener, whatever links it has. */
export interface HttpServer {
  /** What the client is given. */
  readonly url: string;
  /** Without a path. */
  readonly origin: string;
  /** Changes how it behaves from now on; a stream that is open goes on as it began. */
  behave(changes: HttpListenOptions): void;
  /**
   * Answers the next request that fits (default: any) in this way, whatever `intercept` would say.
   * @returns the exchange, once that has happened
   */
  answerNext(answer: HttpAnswer, fits?: (request: HttpIncoming) => boolean): Promise<HttpExchange>;
  /** Opens a port for another host. @returns its origin */
  addHost(host: ExtraHost): Promise<string>;
}

/** The server, for one link. */
export interface HttpServerLink extends Omit<HttpServer, 'addHost'> {
  readonly sessionId: string | undefined;
  /** The stream opened with GET (the only stream of the older transport), if there is one now. */
  readonly listening: HttpExchange | undefined;
  /** The first request that fits, seen or to come; undefined when none came in time. */
  request(fits: (exchange: HttpExchange) => boolean): Promise<HttpExchange | undefined>;
  /** Waits until something holds of an exchange, or it is over; false when neither came in time. */
  until(exchange: HttpExchange, holds: (exchange: HttpExchange) => boolean): Promise<boolean>;
  /** Puts a block, or bytes, on an open stream as they are. */
  write(exchange: HttpExchange, block: SseFields | string | Buffer): void;
  /** Ends a stream: the answer is complete, or the connection breaks. What is still to be said waits for who goes on with it. */
  endStream(exchange: HttpExchange, how: 'complete' | 'break'): void;
  /** The session is over: what names it is answered with 404 from now on. */
  expire(): void;
}
