/**
 * The session of the mock, a request in progress and the fixtures, as interfaces: handlers, fixtures and
 * middleware import them, and not the classes, which import the handlers.
 */

import type { Json, JsonObject, RequestId } from '../../spec/json-rpc.js';
import type { Revision } from '../../spec/revisions.js';
import type { Task, TaskHost, Tasks, Work } from '../tasks.js';
import type { Feature } from './features.js';
import type { Scope } from './scope.js';

/** A session; the members that are not readonly are state that handlers and deviations change. */
export interface OpenSession extends TaskHost, Scope {
  readonly options: {
    /** The offered revisions with a handshake, oldest first. */
    readonly revisions: readonly Revision[];
    /** The offered revisions without a handshake, oldest first. */
    readonly stateless: readonly Revision[];
    /** Pause between the log and progress messages of the fixture tools, in milliseconds. */
    readonly delayMs: number;
  };
  readonly channel: Channel;
  readonly world: World;
  /** The middleware of the deviations. */
  readonly deviations: { message(message: Json): readonly Json[] };
  /** Serves requests with an envelope; undefined if only revisions with a handshake are offered. */
  readonly stateless:
    | {
        readonly subscriptions: {
          listen(params: JsonObject, call: Call): Promise<JsonObject>;
          endAll(): void;
        };
      }
    | undefined;
  readonly subscriptions: Set<string>;
  /** The requests in progress, by the keys of their ids. */
  readonly running: ReadonlyMap<string, Call>;
  readonly tasks: Tasks<Call>;
  readonly outgoing: {
    /** @throws {Refusal} when the response is an error or an invalid result, or when there is no response in time */
    ask(method: string, params: JsonObject | undefined, signal?: AbortSignal): Promise<JsonObject>;
    /** Handles a response of the client. */
    settle(reply: JsonObject): void;
  };
  /** The request that current outgoing messages relate to. */
  readonly about: RequestId | undefined;
  /** The negotiated revision; before negotiation the newest one offered. */
  revision: Revision;
  /** The response to `initialize` has been sent. */
  opened: boolean;
  /** The client has sent `notifications/initialized`. */
  initialized: boolean;
  /** Arrays of messages are handled also where the revision has no batches. */
  takesBatches: boolean;
  /** Requests before `initialize` are rejected. */
  insistsOnHandshake: boolean;
  clientCapabilities: JsonObject;
  /** The mock has requested the client's roots. */
  usesRoots: boolean;
  /** The least severe level that the client requested. */
  logLevel: string;
  receive(json: Json): void | Promise<void>;
  /** Runs the synchronous part of a request; messages sent meanwhile use the stream of its response. */
  whileAbout<T>(id: RequestId | undefined, act: () => T): T;
  /** Sends a request, a notification or a response of the mock. */
  sendAll(messages: readonly Json[]): void;
  notify(method: string, params?: JsonObject): void;
  /** Whether a request came in a batch, and its response is sent in a batch. */
  isBatched(ask: JsonObject): boolean;
  nextId(): number;
  /** A number from 0 to 1, the same for the same seed. */
  random(): number;
}

/** A request of the client in progress, and the operations its handler may use meanwhile. */
export interface Call extends Work {
  readonly session: OpenSession;
  readonly id: RequestId;
  readonly method: string;
  readonly params: JsonObject;
  /** The revision and the declarations of the client that hold for this request. */
  readonly scope: Scope;
  /** The task that runs the request, if any. */
  readonly task?: Task | undefined;
  readonly cancelled: boolean;
  /** Aborted when the client cancels the request or disconnects. */
  readonly signal: AbortSignal;
  /** Reports progress if the client gave a token. @param progress increases with every report */
  progress(progress: number, total?: number, message?: string): void;
  /** Sends a log message, if it is severe enough for the client. */
  log(level: string, data: string): void;
  /** Sends a message that belongs to this call. */
  notify(method: string, params: JsonObject): void;
  /** Sends a request to the client. @throws {Refusal} when the client responds with an error or an invalid result */
  ask(method: string, params?: JsonObject, key?: string): Promise<JsonObject>;
  /** Waits, unless the call is cancelled. @param ms milliseconds; default: the short pause of the fixtures */
  pause(ms?: number): Promise<void>;
}

export interface Item {
  /** The definition in the newest revision; older revisions get fewer members. */
  readonly definition: JsonObject;
  /** The feature that a revision needs for this item to exist, or several of which one is enough. */
  readonly needs?: Feature | readonly Feature[];
}

export interface Tool extends Item {
  /** Input that the tool needs before its call may become a task. @returns further arguments */
  readonly gathers?: (args: JsonObject, call: Call) => Promise<JsonObject>;
  /** The arguments match the input schema. An exception becomes a result with `isError`. */
  readonly run: (args: JsonObject, call: Call) => JsonObject | Promise<JsonObject>;
}

type Completes = Readonly<Record<string, readonly string[]>>;

export interface Prompt extends Item {
  readonly get: (args: Readonly<Record<string, string>>, call: Call) => JsonObject[] | Promise<JsonObject[]>;
  readonly completes?: Completes;
}

export interface Resource extends Item {
  /** Members of the contents besides the URI. */
  readonly read: () => JsonObject;
}

export interface Template extends Item {
  /** The groups of the expression are the variables. */
  readonly matches: RegExp;
  readonly read: (variables: readonly string[]) => JsonObject;
  readonly completes?: Completes;
}

/** A list has gained or lost an item, the contents of a resource or the state of a task have changed. */
export type Change =
  | { readonly list: 'tools' | 'resources' | 'prompts' }
  | { readonly uri: string }
  /** A task of the tasks extension has another state. */
  | { readonly task: string; readonly state: JsonObject };

/** Mutable on purpose: tools and deviations change the fixtures. */
export interface World {
  /** The declared capabilities; a feature that is missing here is not served. */
  capabilities: JsonObject;
  title: string;
  instructions: string;
  /** Items per page of a list. */
  pageSize: number;
  /** Lists end with an empty page. */
  emptyLastPage: boolean;
  tools: Tool[];
  prompts: Prompt[];
  resources: Resource[];
  templates: Template[];
  /** The listeners for changes. */
  readonly listeners: Set<(change: Change) => void>;
  announce(change: Change): void;
}

/** The transport of a session. */
export interface Channel {
  /** Sends one message, or a batch. */
  send(json: Json): void;
  /** Writes bytes that need not be a message. */
  write(bytes: string | Buffer): void;
  /** Writes diagnostic text for the operator. */
  warn(text: string): void;
  /** Terminates the process. */
  exit(code: number): void;
  /** A request that gets no response because it was cancelled. */
  settled?(id: RequestId): void;
  /**
   * Closes the connection of a request but not its stream, where the transport separates them; resolves after
   * the connection is closed.
   */
  disconnect?(id: RequestId): Promise<void>;
}
