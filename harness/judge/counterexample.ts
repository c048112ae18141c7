/** A generated value that makes a requirement fail, as reports show it. */

import type { Json } from '../../spec/json-rpc.js';

/** A generated value that shows a failure, as reports have it. */
export interface Counterexample {
  readonly seed: number;
  /** What `--path` takes; null when the value was not shown to fail alone, in a conversation of its own. */
  readonly path: string | null;
  readonly value: Json;
  /** What is wrong with the value, when it was made wrong on purpose. */
  readonly label: string | null;
  /** The frame of ours that brought it to the subject. */
  readonly message: string | null;
}
