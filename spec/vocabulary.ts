/** Which methods each side may send in a revision, and validators for every definition: computed from `schema.json`. */

import type { Json, MessageKind, Role } from './json-rpc.js';
import type { Revision } from './revisions.js';

/** One disagreement between a value and a definition. */
export interface Problem {
  /** JSON pointer into the value, `''` for the value itself. */
  readonly path: string;
  /** What the definition wants there, e.g. `must have required property 'name'`. */
  readonly message: string;
}

export interface Vocabulary {
  readonly revision: Revision;
  /** Methods of the requests a side may send. */
  readonly requests: Readonly<Record<Role, ReadonlySet<string>>>;
  /** Methods of the notifications a side may send. */
  readonly notifications: Readonly<Record<Role, ReadonlySet<string>>>;
  /** The definition of a request or notification sent by a side: `CallToolRequest`; undefined for unknown methods. */
  messageDefinition(by: Role, method: string): string | undefined;
  /** The definition of the result that answers a request: `CallToolResult`; undefined for unknown methods. */
  resultDefinition(askedBy: Role, method: string): string | undefined;
  /** The definition of the whole envelope: `JSONRPCRequest`, `JSONRPCNotification`, … */
  envelopeDefinition(kind: MessageKind): string;
  /** All names under `definitions` / `$defs`. */
  readonly definitions: ReadonlySet<string>;
  /** Problems of a value against a definition, empty when it fits. Validators are compiled on first use. */
  validate(definition: string, value: Json): Problem[];
}

export function vocabularyOf(_revision: Revision): Vocabulary {
  throw new Error('not built yet');
}
