/** What the reference client has and how it behaves when left alone. Mutable on purpose: a deviation changes it. */

import type { ConnectOptions } from '../../harness/scenario/script.js';
import { toolVersion } from '../../harness/version.js';
import { isObject, type Json, type JsonObject } from '../../spec/json-rpc.js';
import type { Revision } from '../../spec/revisions.js';
import { featuresOf } from '../server/features.js';
import { type AuthorizationHabits, authorizationHabits } from './authorization.js';
import { type IconHabits, iconHabits } from './icons.js';

export interface Habits {
  /** The version it asks for. */
  asksFor: string;
  /** Versions it goes on with. */
  versions: string[];
  /** As declared, in the revision it asks for. */
  capabilities: JsonObject;
  info: JsonObject;
  /** It goes away when the server answers with a version it does not have, or refuses. */
  leavesWhenRefused: boolean;
  /** What the server has not declared is not asked for. */
  respectsCapabilities: boolean;
  /** Requests that need what it has not declared are refused. */
  refusesUndeclared: boolean;
  /** Only roots that are there, by a path without detours, are told. */
  checksRoots: boolean;
  /** Only answers that fit the form are sent. */
  checksForms: boolean;
  /** It asks for the next page as long as there is one. @returns the params that ask for it */
  nextPage: (cursor: Json) => JsonObject;
  /** Pages it follows at most. */
  mostPages: number;
  /** Milliseconds until it gives a request up. */
  patienceMs: number;
  /** What it gives up is withdrawn, if it is such a request. */
  withdraws: (method: string) => boolean;
  /** When the server has ended a session, another one begins. */
  renewsSession: boolean;
  /** A server that takes no POST is tried as one of the first HTTP transport. */
  triesOlder: boolean;
  /** What a server writes to stderr is taken for a failure. */
  fearsStderr: boolean;
  /** The input of a server process is closed before anything else is done to end it. */
  closesInput: boolean;
  /** What a server process is sent when it does not go, one after the other. */
  signals: ('SIGTERM' | 'SIGKILL')[];
  /** Milliseconds a server process gets to go, after its input was closed and after each signal. */
  graceMs: number;
  /** Which icons it fetches, and how. */
  readonly icons: IconHabits;
  /** How it gets a token. */
  readonly authorization: AuthorizationHabits;
}

export function habitsOf(revisions: readonly Revision[]): Habits {
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
    // basic/utilities/cancellation: initialize is never withdrawn
    withdraws: method => method !== 'initialize',
    renewsSession: true,
    triesOlder: true,
    fearsStderr: false,
    closesInput: true,
    signals: ['SIGTERM', 'SIGKILL'],
    graceMs: 2_000,
    icons: iconHabits(),
    authorization: authorizationHabits(),
  };
}

/** All that a client can declare. */
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

/** What is declared of all there is, when a script wishes for less. */
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
