/** What holds for one request of the client: with a handshake the same for all, otherwise stated by its envelope. */

import type { JsonObject } from '../../spec/json-rpc.js';
import type { Revision } from '../../spec/revisions.js';
import type { Vocabulary } from '../../spec/vocabulary.js';
import type { Features } from './features.js';
import type { InputRounds } from './input-rounds.js';

export interface Scope {
  readonly revision: Revision;
  readonly vocabulary: Vocabulary;
  readonly features: Features;
  /** The capabilities that the mock declares. */
  readonly capabilities: JsonObject;
  readonly clientCapabilities: JsonObject;
  /** The least severe level of log messages for the client; undefined: no log messages. */
  readonly logLevel?: string | undefined;
  /** Input from the client by results, instead of requests to the client. */
  readonly rounds?: Pick<InputRounds, 'ask'>;
}
