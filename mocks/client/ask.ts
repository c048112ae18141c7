import type { RequestId } from '../../spec/json-rpc.js';

/** Options of a request of the reference client. */
export interface AskOptions {
  /** Milliseconds; default: the client's request timeout. */
  readonly timeoutMs?: number | undefined;
  /** Requests progress notifications. */
  readonly progress?: boolean | undefined;
  /** Receives the id of the request. */
  readonly onSent?: (id: RequestId) => void;
}
