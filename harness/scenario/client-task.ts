/** What a start of a client under test is given. */

import type { Json, JsonObject } from '../../spec/json-rpc.js';
import type { RevisionId, TransportId } from '../../spec/revisions.js';
import type { Address } from '../transports/link.js';

/** One launch of the client. */
export interface ClientTask {
  readonly address: Address;
  readonly transport: TransportId;
  /** Name of the scenario of this suite. */
  readonly scenario: string;
  /** The task of the client; not always a script. */
  readonly script: Json;
  /** The closest scenario of the official suite. */
  readonly official: Official;
  /** The revision of the harness. */
  readonly revision: RevisionId;
  /** Environment variables that name the browser of the harness, where the client needs authorization. */
  readonly browser?: Readonly<Record<string, string>> | undefined;
  /** Opens an address for the user, for clients in this process. */
  readonly opens?: (address: string) => void;
}

/** A scenario of the official suite, with its context. */
export interface Official {
  readonly name: string;
  readonly context?: JsonObject;
}
