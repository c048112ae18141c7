/** Base of all observations on a link. The history is a list of events and nothing else. */

import type { RequestId, Role } from '../../spec/json-rpc.js';
import type { Starved } from '../time/clock.js';

interface Observed {
  /**
   * Order of observation at the tap, from 1, over the whole run. The order implies no causality across links.
   */
  readonly seq: number;
  /** Milliseconds since the run began. */
  readonly at: number;
  /** Number of the link, from 1. */
  readonly link: number;
  /** The case to which the link belonged at that moment; 0 for none. */
  readonly case: number;
}

/** A frame is the recorded truth; messages are derived from it. */
export interface Frame extends Observed {
  readonly kind: 'frame';
  readonly by: Role;
  /** One line without its newline (a `\r` before it is kept). */
  readonly text: string;
  /** The harness broke a rule on purpose here. */
  readonly deliberate?: true;
  /** The bytes were not UTF-8; `text` shows U+FFFD for them. */
  readonly invalidUtf8?: true;
  /** Size of the whole line in bytes; only its beginning is kept. */
  readonly cutFrom?: number;
  /** The output ended without a newline after this. */
  readonly unterminated?: true;
  /**
   * Repeated under the same event id because its stream was resumed: the conversation contains the frame
   * once, the exchange contains the repetition too.
   */
  readonly replay?: true;
  /** Between a gateway under test and the server of the harness. */
  readonly behind?: true;
  /** The HTTP exchange that carried the frame. */
  readonly exchange?: number;
  readonly stream?: HttpStream;
}

export interface LinkOpened extends Observed {
  readonly kind: 'open';
  readonly transport: string;
  /** The planned revision of the case; the negotiated one is in the frames. */
  readonly revision: string;
  /**
   * The client was observed, not tested: if its first message contains an envelope, the conversation is of the
   * revision that the envelope names.
   */
  readonly unplanned?: true;
  readonly argv?: readonly string[];
  readonly url?: string;
  readonly pid?: number;
  /** 2 when a case is repeated alone, to find out whether the case caused an exit. */
  readonly attempt?: number;
  /** In a record merged from parts: the number of the part. Rules over several conversations judge each part alone. */
  readonly part?: number;
}

/**
 * HTTP carrier of a frame: a POST or its response, a stream opened with GET, or the single stream of the
 * older transport.
 */
export type HttpStream = 'post' | 'get' | 'sse';

/** Names and values in order; secrets are replaced by a short hash, so that equality stays visible. */
export type HeaderList = readonly (readonly [name: string, value: string])[];

interface OfExchange extends Observed {
  /** Number of the HTTP exchange on this link, from 1. */
  readonly exchange: number;
}

/**
 * A request of the client (the harness or the subject). Its body, if any, is the frame of the same exchange.
 */
export interface HttpRequest extends OfExchange {
  readonly kind: 'http-request';
  readonly method: string;
  readonly url: string;
  readonly headers: HeaderList;
  /** Absent where the request carries no messages, as with DELETE. */
  readonly stream?: HttpStream;
  /** The exchange whose broken stream this request resumes. */
  readonly resumes?: number;
  /**
   * Number of the connection, from 1, where a client connected to the harness. Requests have an order on the
   * wire only within one connection.
   */
  readonly connection?: number;
  readonly deliberate?: true;
  /** Purpose of a request without messages: an OAuth endpoint, or a document that leads to one. */
  readonly endpoint?: OAuthEndpoint;
}

/** The parts of OAuth over HTTP. `page`: pages for the browser of the user. */
export type OAuthEndpoint =
  | 'resource-metadata'
  | 'metadata'
  | 'registration'
  | 'authorization'
  | 'page'
  | 'token'
  | 'client-document'
  /** A host that is not part of the authorization flow. */
  | 'elsewhere';

/** The head of the response. With `text/event-stream`, the response opens a stream. */
export interface HttpResponse extends OfExchange {
  readonly kind: 'http-response';
  readonly status: number;
  readonly reason?: string;
  readonly headers: HeaderList;
}

/**
 * The body of a request that is not a message; the body of a response that is neither a stream nor a message;
 * for a refusal also the JSON-RPC error without id.
 */
interface HttpBody extends OfExchange {
  readonly kind: 'http-body';
  /** `request` for the body of a request; absent for the body of a response. */
  readonly of?: 'request';
  readonly text: string;
  readonly invalidUtf8?: true;
  /** Size of the whole body in bytes; only its beginning is kept. */
  readonly cutFrom?: number;
}

/** One block of an event stream, up to its empty line. */
export interface SseBlock extends OfExchange {
  readonly kind: 'sse';
  readonly id?: string;
  readonly event?: string;
  /** As received; not necessarily a number. */
  readonly retry?: string;
  readonly comments?: readonly string[];
  /** Absent when there is no data field, and when the frame that follows is the data (`framed`). */
  readonly data?: string;
  readonly framed?: true;
  /** The exact text, if it differs from the output of `formatSse` for these fields. */
  readonly raw?: string;
  readonly invalidUtf8?: true;
  /** The stream ended inside the block: a reader ignores such a block. */
  readonly unfinished?: true;
  /** A network fault of the harness: the server sent the block, and the client did not receive it. */
  readonly lost?: true;
  /** A network fault of the harness: the client received the block once more, and the server did not send it again. */
  readonly redelivered?: true;
}

/** The response is complete, was interrupted, or never arrived. */
export interface HttpEnd extends OfExchange {
  readonly kind: 'http-end';
  /**
   * `error`: the connection failed, the harness as the server closed it, or the received bytes were not HTTP.
   */
  readonly by: 'server' | 'client' | 'error';
  /** Error code of Node or undici. */
  readonly code?: string;
  readonly reason?: string;
}

/** The harness began to end the conversation; requests left open from here on are not judged. */
interface Closing extends Observed {
  readonly kind: 'closing';
}

/** The client (the harness or the subject) closed the standard input of the server. */
interface InputClosed extends Observed {
  readonly kind: 'input-closed';
}
/** The server closed its standard output. */
interface OutputClosed extends Observed {
  readonly kind: 'output-closed';
}
/**
 * The server got a signal from the client (the harness or the subject). After SIGKILL only the exit is
 * visible.
 */
interface Signalled extends Observed {
  readonly kind: 'signal';
  readonly signal: string;
  /** Upper bound in milliseconds between the end of the input and the signal, as reported by the process. */
  readonly within?: number;
}
/**
 * The server process has exited. For a server process of the harness, `SIGKILL` stands for any end without a
 * command to exit.
 */
export interface Exited extends Observed {
  readonly kind: 'exit';
  readonly code: number | null;
  readonly signal: string | null;
}
/** Processes started by the subject that were still alive after its exit; the harness killed them. */
interface LeftBehind extends Observed {
  readonly kind: 'left-behind';
  readonly pids: readonly number[];
}
/**
 * Whether a server that was started here on loopback also accepts connections at another address of this
 * machine.
 */
interface Reach extends Observed {
  readonly kind: 'reach';
  readonly address: string;
  readonly accepted: boolean;
}
export interface Stderr extends Observed {
  readonly kind: 'stderr';
  readonly text: string;
  /** The text is from standard output, where standard output carries no messages. */
  readonly stdout?: true;
}
/** A wait ended without result. */
export interface Deadline extends Observed {
  readonly kind: 'deadline';
  /** `idle`: the harness stopped waiting for an inactive client. */
  readonly label: 'answer' | 'exit-after-eof' | 'exit-after-sigterm' | 'message' | 'http' | 'idle';
  readonly ms: number;
  /** CPU starvation during the wait: the missing message shows nothing. */
  readonly starved?: Starved;
  readonly request?: RequestId;
  /** For `http`: the exchange that was not over. */
  readonly exchange?: number;
  /** The wait was shorter than usual, because earlier requests of the kind got no response. */
  readonly hurried?: true;
}
/** A deliberate quiet window. */
interface Quiet extends Observed {
  readonly kind: 'quiet';
  readonly ms: number;
  readonly starved?: Starved;
}
/** Total milliseconds that the harness or the subject waited for CPU while the conversation was open. */
interface Lag extends Observed {
  readonly kind: 'lag';
  readonly ms: number;
}
/** The output of the subject exceeded every plausible size; the harness stopped reading. */
export interface Overflow extends Observed {
  readonly kind: 'overflow';
  /**
   * `line`: bytes of one message; `values`: values in one message; `depth`: their nesting; `batch`: messages in one batch; `bytes`: memory
   * for the input of the run.
   */
  readonly what: 'line' | 'values' | 'depth' | 'batch' | 'bytes' | 'frames' | 'connections';
  readonly amount: number;
}

export type Event =
  | Frame
  | LinkOpened
  | HttpRequest
  | HttpResponse
  | HttpBody
  | SseBlock
  | HttpEnd
  | Closing
  | InputClosed
  | OutputClosed
  | Signalled
  | Exited
  | LeftBehind
  | Reach
  | Stderr
  | Deadline
  | Quiet
  | Lag
  | Overflow;

export type Unplaced<E> = E extends unknown ? Omit<E, keyof Observed> : never;
/** An event without number, time and case, which the history adds. */
export type NewEvent = Unplaced<Event>;
