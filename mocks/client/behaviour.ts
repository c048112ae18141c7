/**
 * The capabilities and the default behaviour of the reference client. The object is mutable on purpose, so
 * that deviations can change the behaviour.
 */

import { headerAnnotations, isValidAnnotation } from '../../harness/record/header-annotations.js';
import type { ConnectOptions } from '../../harness/scenario/script.js';
import { toolVersion } from '../../harness/version.js';
import { isObject, type Json, type JsonObject } from '../../spec/json-rpc.js';
import type { Revision } from '../../spec/revisions.js';
import { vocabularyOf } from '../../spec/vocabulary.js';
import { featuresOf } from '../server/features.js';
import { type AuthorizationBehaviour, authorizationBehaviour } from './authorization-behaviour.js';
import type { Failure } from './failure.js';
import type { HttpSend } from './http-message.js';
import { type IconHabits, iconHabits } from './icons.js';
import { type LongTaskHabits, longTaskHabits, tasksExtension } from './long-task-habits.js';
import { retryOf } from './retry.js';

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
  /** Timeout in milliseconds of the first request to a server whose era is unknown, over stdio. */
  probeMs: number;
  /** Milliseconds that a request without a response head is given before its connection is closed to cancel it. */
  hangUpMs: number;
  /** Whether a refusal or the silence of a server shows that it needs a handshake. @param isRecognized only a server without a handshake sends this error */
  isLegacy: (failure: Failure, isRecognized: boolean) => boolean;
  /** The client begins with server/discover. */
  discovers: boolean;
  /** The client asks for the era of a server in a connection that it closes afterwards. */
  probesApart: boolean;
  /** Times that a request is repeated whose version the server does not support. */
  stubborn: number;
  /** The longest wait in milliseconds for the response to the first request of a conversation; undefined: as for others. */
  openingMs: number | undefined;
  /** A request whose stream was lost is sent again under the same id. */
  repeatsLost: boolean;
  /** An event that a resumed stream delivers again, under its id, is handled again. */
  handlesAgain: boolean;
  /** The client stops waiting for a request without telling the server. */
  abandons: boolean;
  /** Over HTTP the client cancels by a notification, and leaves the response stream of the request open. */
  cancelsByMessage: boolean;
  /** The key under which a result is kept and used again; undefined: it is not kept. */
  cacheKey: (
    method: string,
    params: JsonObject | undefined,
    result: JsonObject,
    isRetried: boolean,
  ) => string | undefined;
  /** Kept results are dropped when the server notifies of a change. */
  dropsStale: boolean;
  /** A subscription to a resource also asks for changes of the list of tools. */
  watchesTools: boolean;
  /** The additional members of the request that is sent again after an input-required result. */
  retries: typeof retryOf;
  /** The request to open a subscription is sent again after it was lost. */
  listensAgain: boolean;
  /** The tools are listed again when the server finds that a header differs from the body. */
  refreshesTools: boolean;
  /** A server process that exits is started again for the next request. */
  restartsServer: boolean;
  /** Whether a tool from a list of the server is offered over HTTP. */
  offersTool: (tool: JsonObject) => boolean;
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
  /** Tasks of the tasks extension. */
  readonly longTasks: LongTaskHabits;
  /** Sends the requests of the transport. */
  fetch: HttpSend;
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
    probeMs: 5_000,
    hangUpMs: 50,
    isLegacy: (_, isRecognized) => !isRecognized,
    discovers: true,
    probesApart: false,
    stubborn: 0,
    openingMs: undefined,
    repeatsLost: false,
    handlesAgain: false,
    abandons: false,
    cancelsByMessage: false,
    cacheKey: () => undefined,
    dropsStale: true,
    watchesTools: false,
    retries: retryOf,
    listensAgain: true,
    refreshesTools: true,
    restartsServer: true,
    offersTool: ({ inputSchema }) => headerAnnotations(inputSchema).every(isValidAnnotation),
    renewsSession: true,
    triesOlder: true,
    fearsStderr: false,
    closesInput: true,
    signals: ['SIGTERM', 'SIGKILL'],
    graceMs: 2_000,
    icons: iconHabits(),
    longTasks: longTaskHabits(),
    fetch: (...given) => fetch(...given),
    authorization: authorizationBehaviour(),
  };
}

/** All capabilities that a client can declare. */
export function capabilitiesIn(revision: Revision): JsonObject {
  const features = featuresOf(revision);
  return {
    roots: vocabularyOf(revision).notifications.client.has('notifications/roots/list_changed')
      ? { listChanged: true }
      : {},
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
    ...(features.tasksExtension && { extensions: { [tasksExtension]: {} } }),
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
