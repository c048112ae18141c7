/** Cases for clients under test: what our end serves, what the client is asked to do, and what our end does meanwhile. */

import type { JsonObject } from '../../spec/json-rpc.js';
import type { RequirementId } from '../../spec/requirement.js';
import type { TransportId } from '../../spec/revisions.js';
import type { Peer } from '../peer/peer.js';
import type { Protection } from '../protected-server/script.js';
import type { ProtectedServer } from '../protected-server/server.js';
import type { HttpListenOptions, HttpServer } from '../transports/http/server/behaviour.js';
import type { StdioListenOptions } from '../transports/link.js';
import type { Official } from './client-task.js';
import type { Expect } from './expect.js';
import { parseScript, type Script } from './script.js';
import type { Serve } from './serve.js';

export interface ClientContext<Id extends RequirementId = RequirementId> {
  /** The first conversation the client opened. */
  readonly peer: Peer;
  readonly expect: Expect<Id>;
  /**
   * Another conversation, when the client opens one.
   * @throws {NoOccasion} when it opens none any more, which ends the scenario
   */
  another(): Promise<Peer>;
  /** The client does what scripts say: what it leaves out then shows something. */
  readonly scripted: boolean;
  /** Our end as an HTTP server. Over stdio there is none: `scenario.client.http`. */
  readonly http: HttpServer;
  /** What stands around our end: only where it is protected. */
  readonly scene: ProtectedServer;
}

export interface ClientScenario {
  readonly role: 'client';
  readonly name: string;
  readonly title: string;
  readonly verifies: readonly RequirementId[];
  readonly over?: TransportId;
  /** Answers of our end in place of those of the world all scenarios share. */
  readonly serve: Serve;
  /** What our end declares; default: everything. */
  readonly declares?: JsonObject;
  /** Our end agrees to the version that is asked for, if it has it, instead of the planned one. */
  readonly echoes?: boolean;
  readonly does: Script;
  readonly http?: HttpListenOptions;
  readonly stdio?: StdioListenOptions;
  /** Our end lets nobody in without a token, and this stands around it. */
  readonly protection?: Protection;
  readonly official: Official;
  /**
   * It shows something only where the client asks of its own accord, or for a script, which is a wish. Programs of the
   * official suite do not play it: what their scenarios say they do whatever our end declares.
   */
  readonly needsOwnInitiative?: boolean;
  /** When `run` starts: with the client, with its first connection, or when the first conversation is open (default). */
  readonly begins: 'started' | 'connected' | 'opened';
  /**
   * `shared`: it can be played before and after others in one start of a client that does what scripts say. It connects
   * once, leaves the client as it was, minds nothing that was said before it, and sets at most how those requests are
   * answered that it makes. Default `fresh`: a start of its own.
   */
  readonly isolation: 'shared' | 'fresh';
  /** About how long it takes beyond what its script says, in milliseconds, on purpose or for all that is asked. Default 0. */
  readonly lasts?: number;
  readonly run?: (context: ClientContext) => Promise<void>;
}

interface Definition<Ids extends readonly RequirementId[]> {
  /** A statement in the present tense, without modal verbs. */
  readonly title: string;
  /** The requirements it exercises; each must draw a judgement, by an expectation or by a rule. */
  readonly verifies: Ids;
  readonly over?: TransportId;
  readonly serve?: Serve;
  readonly declares?: JsonObject;
  readonly echoes?: boolean;
  readonly does: Script;
  readonly http?: HttpListenOptions;
  readonly stdio?: StdioListenOptions;
  readonly protection?: Protection;
  /** Default: `tools_call` where something is called, else `initialize`. */
  readonly official?: string | Official;
  readonly needsOwnInitiative?: boolean;
  readonly begins?: ClientScenario['begins'];
  readonly isolation?: ClientScenario['isolation'];
  readonly lasts?: number;
  /** What our end does beside answering; without it rules judge what the client did. */
  readonly run?: (context: ClientContext<Ids[number]>) => Promise<void>;
}

/**
 * Declares a scenario for clients under test.
 * @param name the path of its file below `suites/` without `.ts`, a slash, and a slug
 */
export function clientScenario<const Ids extends readonly RequirementId[]>(
  name: string,
  definition: Definition<Ids>,
): ClientScenario {
  const { official = calls(definition.does) ? 'tools_call' : 'initialize', ...rest } = definition;
  parseScript(rest.does as never);
  return {
    role: 'client',
    serve: {},
    begins: 'opened',
    isolation: 'fresh',
    ...rest,
    official: typeof official === 'string' ? { name: official } : official,
    name,
  } as ClientScenario;
}

const calls = (script: Script): boolean => script.some(([verb]) => verb === 'call');

/** A scenario about Streamable HTTP itself. */
clientScenario.http = <const Ids extends readonly RequirementId[]>(
  name: string,
  definition: Definition<Ids>,
): ClientScenario => clientScenario(name, { over: 'streamable-http', ...definition });

/** The same for the transport of the first revision, HTTP with SSE. */
clientScenario.httpSse = <const Ids extends readonly RequirementId[]>(
  name: string,
  definition: Definition<Ids>,
): ClientScenario => clientScenario(name, { over: 'http-sse', ...definition });

/** A scenario about stdio itself: `peer.link.stdioServer` is the process the client started. */
clientScenario.stdio = <const Ids extends readonly RequirementId[]>(
  name: string,
  definition: Definition<Ids>,
): ClientScenario => clientScenario(name, { over: 'stdio', ...definition });
