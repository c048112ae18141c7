import type { Json, RequestId } from '../../spec/json-rpc.js';

/** A task that runs a request of the client. */
export interface RunningTask {
  readonly taskId: Json;
  /** Aborted when the client no longer needs the task. */
  readonly unwanted: AbortController;
}

/** Options of a request of the reference client. */
export interface AskOptions {
  /** Milliseconds; default: the client's request timeout. */
  readonly timeoutMs?: number | undefined;
  /** Requests progress notifications. */
  readonly progress?: boolean | undefined;
  /** Receives the id of the request. */
  readonly onSent?: (id: RequestId) => void;
  /** Receives the task of the tasks extension that the request became. */
  readonly onTask?: (task: RunningTask) => void;
}
