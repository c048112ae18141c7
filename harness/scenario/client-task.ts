/** What a start of a client under test is given. */

import type { Json, JsonObject } from '../../spec/json-rpc.js';
import type { RevisionId, TransportId } from '../../spec/revisions.js';
import type { Address } from '../transports/link.js';

/** One start of the client. */
export interface ClientTask {
  readonly address: Address;
  readonly transport: TransportId;
  /** Name of our scenario. */
  readonly scenario: string;
  /** What it is asked to do; not always a script. */
  readonly script: Json;
  /** The scenario of the official suite that is nearest to ours. */
  readonly official: Official;
  /** The revision our end speaks. */
  readonly revision: RevisionId;
  /** Variables that lead it to our browser, where it has to be authorized. */
  readonly browser?: Readonly<Record<string, string>> | undefined;
  /** Opens an address for the user, for clients in this process. */
  readonly opens?: (address: string) => void;
}

/** A scenario of the official suite, with what it hands over. */
export interface Official {
  readonly name: string;
  readonly context?: JsonObject;
}
