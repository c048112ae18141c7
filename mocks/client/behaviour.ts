/**
 * The capabilities and the default behaviour of the reference client. The object is mutable on purpose, so
 * that deviations can change the behaviour.
 */

import type { ConnectOptions } from '../../harness/scenario/script.js';
import { toolVersion } from '../../harness/version.js';
import { isObject, type Json, type JsonObject } from '../../spec/json-rpc.js';
import type { Revision } from '../../spec/revisions.js';
import { featuresOf } from '../server/features.js';
import { type AuthorizationBehaviour, authorizationBehaviour } from './authorization-behaviour.js';
import { type IconHabits, iconHabits } from './icons.js';

export interface ClientBehaviour {
  /** The requested protocol version. */
  asksFor: string;
  /** Accepted protocol versions. */
  versions: string[];
  /** The declared capabilities, in the requested revision. */
  capabilities: JsonObject;
  info: JsonObject;
  /** The client disconnects when the server responds with an unsupported version or an error. */
  leavesWhenRefused: boolean;
  /** The client sends no request that needs an undeclared capability of the server. */
  respectsCapabilities: boolean;
  /** The client rejects requests that need one of its undeclared capabilities. */
  refusesUndeclared: boolean;
  /** The client sends only existing roots, by a path without detours. */
  checksRoots: boolean;
  /** The client sends only data that matches the form. */
  checksForms: boolean;
  /** The client requests the next page while a cursor exists. @returns the params of that request */
  nextPage: (cursor: Json) => JsonObject;
  /** Maximum number of pages per list. */
  mostPages: number;
  /** Request timeout in milliseconds. */
  patienceMs: number;
  /** The client cancels a request after a timeout, if the method may be cancelled. */
  withdraws: (method: string) => boolean;
  /** The client starts a new session after the server has ended one. */
  renewsSession: boolean;
  /** The client tries the HTTP+SSE transport when a server rejects the POST. */
  triesOlder: boolean;
  /** The client treats output of the server on stderr as a failure. */
  fearsStderr: boolean;
  /** The client closes the input of a server process before it sends signals. */
  closesInput: boolean;
  /** Signals sent to a server process that does not exit, in this order. */
  signals: ('SIGTERM' | 'SIGKILL')[];
  /** Milliseconds for a server process to exit, after its input was closed and after each signal. */
  graceMs: number;
  /** The selection of icons, and the requests for them. */
  readonly icons: IconHabits;
  /** The authorization decisions of the client. */
  readonly authorization: AuthorizationBehaviour;
}

export function behaviourOf(revisions: readonly Revision[]): ClientBehaviour {
  const newest = revisions.at(-1)!;
  return {
    asksFor: newest.id,
    versions: revisions.map(r => r.id),
    capabilities: capabilitiesIn(newest),
    info: { name: 'mcp-conform-mock-client', version: toolVersion },
    leavesWhenRefused: true,
    respectsCapabilities: true,
    refusesUndeclared: true,
    checksRoots: true,
    checksForms: true,
    nextPage: cursor => ({ cursor }),
    mostPages: 100,
    patienceMs: 20_000,
    // basic/utilities/cancellation: initialize is never cancelled
    withdraws: method => method !== 'initialize',
    renewsSession: true,
    triesOlder: true,
    fearsStderr: false,
    closesInput: true,
    signals: ['SIGTERM', 'SIGKILL'],
    graceMs: 2_000,
    icons: iconHabits(),
    authorization: authorizationBehaviour(),
  };
}

/** All capabilities that a client can declare. */
function capabilitiesIn(revision: Revision): JsonObject {
  const features = featuresOf(revision);
  return {
    roots: { listChanged: true },
    sampling: { ...(features.samplingTools && { tools: {} }) },
    ...(features.elicitation && {
      elicitation: { ...(features.urlElicitation && { form: {}, url: {} }) },
    }),
    ...(features.tasks && {
      tasks: {
        list: {},
        cancel: {},
        requests: { sampling: { createMessage: {} }, elicitation: { create: {} } },
      },
    }),
  };
}

/** The declared part of all capabilities, when a script requests fewer. */
export function declaredBy(capabilities: JsonObject, { declare, without = [] }: ConnectOptions): JsonObject {
  const named = Object.entries(capabilities).filter(([name]) => declare?.includes(name) ?? true);
  return Object.fromEntries(
    named.flatMap(([name, value]): [string, Json][] => {
      const left = without.filter(path => path === name || path.startsWith(`${name}.`));
      if (left.includes(name)) return [];
      const inner = Object.entries(isObject(value) ? value : {});
      return [[name, Object.fromEntries(inner.filter(([part]) => !left.includes(`${name}.${part}`)))]];
    }),
  );
}
