/** Stimulus: a scenario makes something happen and states only what no rule can know. */

import type { JsonObject } from '../spec/json-rpc.js';
import type { RequirementId } from '../spec/requirement.js';
import type { TransportId } from '../spec/revisions.js';
import type { Expect } from './expect.js';
import type { HttpControl, StdioControl } from './link.js';
import type { Peer } from './peer.js';
import type { FixtureRole, Player } from './roles.js';

/** What the probe found out about the subject. */
export interface Known {
  readonly tools: readonly JsonObject[];
  readonly prompts: readonly JsonObject[];
  readonly resources: readonly JsonObject[];
  readonly templates: readonly JsonObject[];
  /** Tools that may be called, with arguments that fit their schema. */
  readonly callable: readonly { readonly name: string; readonly arguments: JsonObject }[];
  /** The tools that play a role. */
  readonly players: ReadonlyMap<FixtureRole, Player>;
  /** Tools that may be called as tasks, with arguments that fit their schema. */
  readonly tasks: Known['callable'];
  /** Revisions the subject has been seen to offer, newest first. */
  readonly offers: readonly string[];
}

export interface Context<Id extends RequirementId = RequirementId> {
  readonly peer: Peer;
  readonly expect: Expect<Id>;
  readonly known: Known;
  /** The call of the tool that plays a role; the arguments are those of the well-known one. */
  tool(role: FixtureRole, args?: JsonObject): JsonObject;
  /**
   * Another conversation with a subject of its own, not opened yet. The case owns it: nothing to clean up.
   */
  another(): Promise<Peer>;
}

export interface StdioContext<Id extends RequirementId = RequirementId> extends Context<Id> {
  readonly stdio: StdioControl;
}

export interface HttpContext<Id extends RequirementId = RequirementId> extends Context<Id> {
  /** Requests by hand, on the session of `peer`. */
  readonly http: HttpControl;
}

/**
 * A named thing a server of the fixture contract has: `tool test_simple_text`, `resource test://static-text`; or a tool
 * for a role, whatever its name: `role slow`.
 */
export type Fixture = `${'tool' | 'prompt' | 'resource' | 'template'} ${string}` | `role ${FixtureRole}`;

export interface Scenario {
  readonly name: string;
  readonly title: string;
  readonly verifies: readonly RequirementId[];
  /** The transport it is about; any when absent. */
  readonly over?: TransportId;
  /**
   * `shared` (default): an opened conversation that other cases use as well.
   * `fresh`: an opened conversation of its own. `raw`: a subject of its own to which nothing has been said yet.
   */
  readonly isolation: 'shared' | 'fresh' | 'raw';
  /** What our end declares; default: everything. Not for `shared` conversations. */
  readonly declares?: JsonObject;
  readonly fixtures: readonly Fixture[];
  readonly run: (context: StdioContext & HttpContext) => Promise<void>;
}

interface Definition<Ids extends readonly RequirementId[], C> {
  /** A statement in the present tense, without modal verbs. */
  readonly title: string;
  /** The requirements it exercises; each must draw a judgement, by an expectation or by a rule. */
  readonly verifies: Ids;
  readonly isolation?: Scenario['isolation'];
  readonly declares?: JsonObject;
  readonly fixtures?: readonly Fixture[];
  readonly run: (context: C) => Promise<void>;
}

/**
 * Declares a scenario.
 * @param name the path of its file below `suites/` without `.ts`, a slash, and a slug
 */
export function scenario<const Ids extends readonly RequirementId[]>(
  name: string,
  definition: Definition<Ids, Context<Ids[number]>>,
): Scenario {
  return { isolation: 'shared', fixtures: [], ...definition, name } as Scenario;
}

/** A scenario about stdio itself, with the process's streams at hand. */
scenario.stdio = <const Ids extends readonly RequirementId[]>(
  name: string,
  definition: Definition<Ids, StdioContext<Ids[number]>>,
): Scenario => ({ isolation: 'fresh', fixtures: [], over: 'stdio', ...definition, name }) as Scenario;

/** A scenario about Streamable HTTP itself, with requests by hand; a session of its own unless it says otherwise. */
scenario.http = <const Ids extends readonly RequirementId[]>(
  name: string,
  definition: Definition<Ids, HttpContext<Ids[number]>>,
): Scenario =>
  ({ isolation: 'fresh', fixtures: [], over: 'streamable-http', ...definition, name }) as Scenario;

/** The same for the transport of the first revision, HTTP with SSE. */
scenario.httpSse = <const Ids extends readonly RequirementId[]>(
  name: string,
  definition: Definition<Ids, HttpContext<Ids[number]>>,
): Scenario => ({ isolation: 'fresh', fixtures: [], over: 'http-sse', ...definition, name }) as Scenario;
