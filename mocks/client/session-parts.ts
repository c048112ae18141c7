/** What a session of the reference client is made of. */

import type { JsonObject } from '../../spec/json-rpc.js';
import { codes } from '../server/refusal.js';
import type { Answers } from './answers.js';
import type { ClientBehaviour } from './behaviour.js';
import type { ClientDeviations } from './deviations.js';
import type { Failure } from './failure.js';

/** A request that waits for its response. */
export interface Waiting {
  readonly ask: JsonObject;
  settle(outcome: JsonObject | Failure): void;
}

export interface SessionParts {
  readonly habits: ClientBehaviour;
  readonly deviations: ClientDeviations;
  readonly answers: Answers;
  /** Runs a function later, unless the client has exited before. @param ms milliseconds */
  after(ms: number, act: () => void): void;
}

/** JSON-RPC 2.0 §6, for an empty array. */
export const notOneMessage: JsonObject = {
  jsonrpc: '2.0',
  id: null,
  error: { code: codes.invalidRequest, message: 'The batch is empty.' },
};
