/** A generated value that makes a requirement fail, as reports show it. */

import type { Json } from '../../spec/json-rpc.js';

/** A generated value that causes a failure, in the form of reports. */
export interface Counterexample {
  readonly seed: number;
  /** The argument for `--path`; null when the value did not fail alone, in a conversation of its own. */
  readonly path: string | null;
  readonly value: Json;
  /** The violation in the value, when the value is invalid on purpose. */
  readonly label: string | null;
  /** The frame from the harness that contained the value. */
  readonly message: string | null;
}
