/**
 * The changes that `generate.ts` makes to the schemas after it has computed them from the types, with
 * reasons.
 *
 * There are two kinds. `typescript`: the types cannot express the change. `departs`: the published JSON
 * Schema contradicts its own TypeScript or the text of the specification, and a message that is legal by
 * those must not be called invalid; each of these entries has a counterpart in `schema.test.ts`, which
 * compares every definition with the published schema.
 */

import type { Json } from './json-rpc.js';
import type { RevisionId } from './revisions.js';

interface Overlay {
  readonly kind: 'typescript' | 'departs';
  readonly revisions: readonly RevisionId[];
  /** The schema that is replaced: the definition, then the keys below it. */
  readonly at: readonly [definition: string, ...keys: string[]];
  readonly becomes: Json;
  readonly why: string;
}

const batching: readonly RevisionId[] = ['2025-03-26'];
const single: readonly RevisionId[] = ['2025-06-18'];
const tasks: readonly RevisionId[] = ['2025-11-25'];
const oldest: readonly RevisionId[] = ['2024-11-05'];
const stateless: readonly RevisionId[] = ['2026-07-28'];
const all: readonly RevisionId[] = [...oldest, ...batching, ...single, ...tasks, ...stateless];

/** The id of an error about a message whose id is unreadable. */
const unreadable: Json = { anyOf: [{ $ref: '#/definitions/RequestId' }, { type: 'null' }] };

/** In the order in which they are applied. */
export const overlays: readonly Overlay[] = [
  {
    kind: 'typescript',
    revisions: all,
    at: ['RequestId', 'type'],
    becomes: ['string', 'integer'],
    why: 'TypeScript has no integers; the text requires "a string or integer" (basic/index#requests).',
  },
  {
    kind: 'typescript',
    revisions: all,
    at: ['ProgressToken', 'type'],
    becomes: ['string', 'integer'],
    why: 'TypeScript has no integers; the text requires a string or integer (basic/utilities/progress#progress-flow).',
  },
  {
    kind: 'typescript',
    revisions: tasks,
    at: ['Task', 'properties', 'ttl', 'type'],
    becomes: ['integer', 'null'],
    why: 'A tag has no effect inside a union; the published schema has whole milliseconds or null.',
  },
  {
    kind: 'typescript',
    revisions: stateless,
    at: ['ClientNotification'],
    becomes: {
      $ref: '#/definitions/CancelledNotification',
      description: 'Notifications of a client (basic/index#message-patterns).',
    },
    why: 'The compiler replaces a union of one member by that member, and the vocabulary needs the name.',
  },
  {
    kind: 'departs',
    revisions: [...oldest, ...batching, ...single],
    at: ['JSONRPCError', 'properties', 'id'],
    becomes: unreadable,
    why: 'MCP messages are JSON-RPC 2.0, whose section 5 requires a null id when the id is unreadable.',
  },
  {
    kind: 'departs',
    revisions: [...tasks, ...stateless],
    at: ['JSONRPCErrorResponse', 'properties', 'id'],
    becomes: unreadable,
    why: 'JSON-RPC 2.0, section 5, requires a null id when the id is unreadable; these revisions also permit to omit the id.',
  },
  {
    kind: 'departs',
    revisions: tasks,
    at: ['URLElicitationRequiredError', 'properties', 'id'],
    becomes: unreadable,
    why: 'The definition is an error response with a narrower error.',
  },
  ...['HeaderMismatchError', 'MissingRequiredClientCapabilityError', 'UnsupportedProtocolVersionError'].map(
    (error): Overlay => ({
      kind: 'departs',
      revisions: stateless,
      at: [error, 'properties', 'id'],
      becomes: unreadable,
      why: 'The definition is an error response with a narrower error.',
    }),
  ),
  {
    kind: 'departs',
    revisions: stateless,
    at: ['JSONValue'],
    becomes: {
      anyOf: [
        { $ref: '#/definitions/JSONObject' },
        { $ref: '#/definitions/JSONArray' },
        { type: ['string', 'number', 'boolean', 'null'] },
      ],
      description: 'Any JSON value; whole numbers, fractions and null included (schema#jsonvalue).',
    },
    why: 'The compiler drops null and supports whole numbers only; the published TypeScript has both null and fractions.',
  },
  {
    kind: 'departs',
    revisions: [...batching, ...single],
    at: ['JSONRPCError', 'required'],
    becomes: ['error', 'jsonrpc'],
    why: 'The transport page permits an error response that has no id (basic/transports#sending-messages-to-the-server).',
  },
];
