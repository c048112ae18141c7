/** Everything that can be observed on a link. The history is a list of these and nothing else. */

import type { RequestId, Role } from '../../spec/json-rpc.js';
import type { Starved } from '../time/clock.js';

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
  /**
   * Said before under the same event id, and again because its stream was resumed: the conversation has it once, the
   * exchange has it too.
   */
  readonly replay?: true;
  /** The HTTP exchange that carried it. */
  readonly exchange?: number;
  readonly stream?: HttpStream;
}

export interface LinkOpened extends Observed {
  readonly kind: 'open';
  readonly transport: string;
  /** The revision the case was planned for; the negotiated one is in the frames. */
  readonly revision: string;
  readonly argv?: readonly string[];
  readonly url?: string;
  readonly pid?: number;
  /** 2 when a case is repeated alone to see whether it was the cause of an exit. */
  readonly attempt?: number;
}

/**
 * Where a frame travels over HTTP: in a POST or the answer to it, on a stream opened with GET, or on the one stream of the
 * older transport.
 */
export type HttpStream = 'post' | 'get' | 'sse';

/** Names and values in their order; secrets are replaced by a short hash, so that equality stays visible. */
export type HeaderList = readonly (readonly [name: string, value: string])[];

interface OfExchange extends Observed {
  /** Number of the HTTP exchange on this link, from 1. */
  readonly exchange: number;
}

/** A request of the client, ours or the subject's. Its body, if any, is the frame of the same exchange. */
export interface HttpRequest extends OfExchange {
  readonly kind: 'http-request';
  readonly method: string;
  readonly url: string;
  readonly headers: HeaderList;
  /** Absent where it carries no messages, as with DELETE. */
  readonly stream?: HttpStream;
  /** The exchange whose broken stream this one goes on with. */
  readonly resumes?: number;
  readonly deliberate?: true;
  /** What it is for, where it carries no messages: an endpoint of OAuth, or a document that leads there. */
  readonly endpoint?: OAuthEndpoint;
}

/** The parts of OAuth that are spoken to over HTTP. `page`: what a user's browser is shown on the way. */
export type OAuthEndpoint =
  | 'resource-metadata'
  | 'metadata'
  | 'registration'
  | 'authorization'
  | 'page'
  | 'token'
  | 'client-document'
  /** A host that has no business with what is going on. */
  | 'elsewhere';

/** The head of the answer. With `text/event-stream` it opens a stream. */
export interface HttpResponse extends OfExchange {
  readonly kind: 'http-response';
  readonly status: number;
  readonly reason?: string;
  readonly headers: HeaderList;
}

/** The body of a request that is no message; the body of an answer that is neither a stream nor a message; of a refusal also the JSON-RPC error without id. */
export interface HttpBody extends OfExchange {
  readonly kind: 'http-body';
  /** The body of a request; without, that of an answer. */
  readonly of?: 'request';
  readonly text: string;
  readonly invalidUtf8?: true;
  /** Only the beginning is kept; it had this many bytes. */
  readonly cutFrom?: number;
}

/** One block of an event stream, up to its empty line. */
export interface SseBlock extends OfExchange {
  readonly kind: 'sse';
  readonly id?: string;
  readonly event?: string;
  /** As it was written; not necessarily a number. */
  readonly retry?: string;
  readonly comments?: readonly string[];
  /** Absent when there is no data field, and when the data is the frame that follows (`framed`). */
  readonly data?: string;
  readonly framed?: true;
  /** The exact text, unless it is what `formatSse` makes of the fields. */
  readonly raw?: string;
  readonly invalidUtf8?: true;
  /** The stream ended inside it: a reader ignores such a block. */
  readonly unfinished?: true;
}

/** The answer is complete, was broken off, or never came. */
export interface HttpEnd extends OfExchange {
  readonly kind: 'http-end';
  /** `error`: the connection failed, our end as the server broke it off, or what came was no HTTP. */
  readonly by: 'server' | 'client' | 'error';
  /** Of an error: its code, as Node or undici call it. */
  readonly code?: string;
  readonly reason?: string;
}

/** Our end began to end the conversation; what stays unanswered from here on is our doing. */
export interface Closing extends Observed {
  readonly kind: 'closing';
}

/** The client closed the standard input of the server: our end did, or the subject when it is the client. */
export interface InputClosed extends Observed {
  readonly kind: 'input-closed';
}
/** The server closed its standard output. */
export interface OutputClosed extends Observed {
  readonly kind: 'output-closed';
}
/** The server got a signal: from our end, or from the subject when it is the client. SIGKILL leaves only an exit to see. */
export interface Signalled extends Observed {
  readonly kind: 'signal';
  readonly signal: string;
  /** It came no later than so many milliseconds after the end of the input, as the process itself tells. */
  readonly within?: number;
}
/** The process of the server is gone. Where that is ours, `SIGKILL` stands for any end that it was not told to come to. */
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
/** Whether a server that was started here for loopback takes connections at another address of this machine, too. */
export interface Reach extends Observed {
  readonly kind: 'reach';
  readonly address: string;
  readonly accepted: boolean;
}
export interface Stderr extends Observed {
  readonly kind: 'stderr';
  readonly text: string;
  /** It was standard output, where that carries no messages. */
  readonly stdout?: true;
}
/** A wait ended without what it waited for. */
export interface Deadline extends Observed {
  readonly kind: 'deadline';
  /** `idle`: a client was given up, of which nothing was to be seen any more. */
  readonly label: 'answer' | 'exit-after-eof' | 'exit-after-sigterm' | 'message' | 'http' | 'idle';
  readonly ms: number;
  /** The machine left no room for it: what did not come in time shows nothing. */
  readonly starved?: Starved;
  readonly request?: RequestId;
  /** Of `http`: the exchange that was not over. */
  readonly exchange?: number;
  /** Less was waited than usual, since others like it had gone unanswered before. */
  readonly hurried?: true;
}
/** A window of time that was watched on purpose. */
export interface Quiet extends Observed {
  readonly kind: 'quiet';
  readonly ms: number;
  readonly starved?: Starved;
}
/** For so many milliseconds in all, this process or the subject waited for a processor while the conversation was open. */
export interface Lag extends Observed {
  readonly kind: 'lag';
  readonly ms: number;
}
/** The subject wrote more than any conversation needs; reading was stopped. */
export interface Overflow extends Observed {
  readonly kind: 'overflow';
  readonly what: 'line' | 'bytes' | 'frames' | 'connections';
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

type Unplaced<E> = E extends unknown ? Omit<E, keyof Observed> : never;
/** An event before the history has given it its number, time and case. */
export type NewEvent = Unplaced<Event>;
