/**
 * Cases for clients under test: the responses of the harness, the script of the client, and the actions of
 * the harness.
 */

import type { JsonObject } from '../../spec/json-rpc.js';
import type { RequirementId } from '../../spec/requirement.js';
import type { EraId, TransportId } from '../../spec/revisions.js';
import type { OlderServer } from '../peer/eras/era.js';
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
  /** The first conversation that the client opens. */
  readonly peer: Peer;
  readonly expect: Expect<Id>;
  /**
   * Another conversation, when the client opens one.
   * @throws {NotObserved} when the client opens no further one, which ends the scenario
   */
  another(): Promise<Peer>;
  /** True if the client runs scripts: a missing message of a script is then significant. */
  readonly scripted: boolean;
  /** True if the client is known to speak a revision with a handshake too; undefined: not known. */
  readonly speaksHandshake: boolean | undefined;
  /** The HTTP server of the harness. Undefined over stdio: use `scenario.client.http`. */
  readonly http: HttpServer;
  /** The protected server; only for scenarios with `protection`. */
  readonly protectedServer: ProtectedServer;
}

export interface ClientScenario {
  readonly role: 'client';
  readonly name: string;
  readonly title: string;
  readonly verifies: readonly RequirementId[];
  readonly over?: TransportId;
  /** The scenario needs a handshake (`legacy`), or none (`modern`); default: either. */
  readonly era?: EraId;
  /** Responses of the harness that replace the shared default ones. */
  readonly serve: Serve;
  /** Capabilities that the harness declares; default: all. */
  readonly declares?: JsonObject;
  /**
   * The harness agrees to the requested revision if it supports that one, instead of the planned revision.
   */
  readonly echoes?: boolean;
  /**
   * The harness is a server of the older era, or of both, for clients that speak both; called for each test
   * server, and without an effect where the revision has a handshake.
   */
  readonly older?: () => OlderServer;
  /** Connections on which the client only asks for the era count as conversations of the scenario. */
  readonly countsProbes?: boolean;
  readonly does: Script;
  readonly http?: HttpListenOptions;
  readonly stdio?: StdioListenOptions;
  /** The server requires a token, with this protection. */
  readonly protection?: Protection;
  /**
   * The scenario judges the output of the client. Where the client prints nothing, it runs again for this scenario
   * alone, which shows its exit code.
   */
  readonly judgesProcess?: boolean;
  readonly official: Official;
  /**
   * The scenario is significant only where the client sends requests without being asked to, or for a script,
   * which is an instruction. The scenario does not run for programs of the official suite, which follow the
   * scenarios of that suite and ignore declared capabilities.
   */
  readonly needsOwnInitiative?: boolean;
  /**
   * Start of `run`: with the client process, with the first connection, or when the first conversation is
   * open (default).
   */
  readonly begins: 'started' | 'connected' | 'opened';
  /**
   * `shared`: the scenario can run before and after others in one launch of a client that runs scripts. A
   * shared scenario connects once, leaves the client unchanged, does not depend on earlier messages, and sets
   * responses only for requests of its own. Default `fresh`: a launch of its own.
   */
  readonly isolation: 'shared' | 'fresh';
  /**
   * Approximate duration in milliseconds beyond that of the script, from deliberate waits or from many
   * requests. Default 0.
   */
  readonly lasts?: number;
  readonly run?: (context: ClientContext) => Promise<void>;
}

interface Definition<Ids extends readonly RequirementId[]> {
  /** A statement in the present tense, without modal verbs. */
  readonly title: string;
  /**
   * The requirements that the scenario exercises; each one gets a judgement, by an expectation or by a rule.
   */
  readonly verifies: Ids;
  readonly over?: TransportId;
  readonly era?: EraId;
  readonly serve?: Serve;
  readonly declares?: JsonObject;
  readonly echoes?: boolean;
  readonly older?: () => OlderServer;
  readonly countsProbes?: boolean;
  readonly does: Script;
  readonly http?: HttpListenOptions;
  readonly stdio?: StdioListenOptions;
  readonly protection?: Protection;
  readonly judgesProcess?: boolean;
  /** Default: `tools_call` if the script calls a tool, else `initialize`. */
  readonly official?: string | Official;
  readonly needsOwnInitiative?: boolean;
  readonly begins?: ClientScenario['begins'];
  readonly isolation?: ClientScenario['isolation'];
  readonly lasts?: number;
  /** Actions of the harness besides responses; without `run`, only rules judge the client. */
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

/** Declares a scenario about Streamable HTTP itself. */
clientScenario.http = <const Ids extends readonly RequirementId[]>(
  name: string,
  definition: Definition<Ids>,
): ClientScenario => clientScenario(name, { over: 'streamable-http', ...definition });

/** Declares a scenario about the transport of the first revision, HTTP with SSE. */
clientScenario.httpSse = <const Ids extends readonly RequirementId[]>(
  name: string,
  definition: Definition<Ids>,
): ClientScenario => clientScenario(name, { over: 'http-sse', ...definition });

/** Declares a scenario about stdio itself: `peer.link.stdioServer` is the process that the client started. */
clientScenario.stdio = <const Ids extends readonly RequirementId[]>(
  name: string,
  definition: Definition<Ids>,
): ClientScenario => clientScenario(name, { over: 'stdio', ...definition });
