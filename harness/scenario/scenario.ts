/** Stimulus: a scenario makes something happen and states only what no rule can know. */

import type fc from 'fast-check';
import type { JsonObject } from '../../spec/json-rpc.js';
import type { RequirementId } from '../../spec/requirement.js';
import type { TransportId } from '../../spec/revisions.js';
import type { OAuth, OAuthClient } from '../oauth/client.js';
import type { ClientDocuments } from '../oauth/client-documents.js';
import type { Candidate } from '../oauth/discovery.js';
import type { Peer } from '../peer/peer.js';
import type { HttpControl, StdioControl } from '../transports/link.js';
import type { Access } from './access.js';
import { type ClientScenario, clientScenario } from './client.js';
import type { Expect } from './expect.js';
import type { PropertyOptions } from './property.js';
import type { FixtureRole, RoleTool } from './tool-roles.js';

/** What the probe found out about the subject. */
export interface Known {
  readonly tools: readonly JsonObject[];
  readonly prompts: readonly JsonObject[];
  readonly resources: readonly JsonObject[];
  readonly templates: readonly JsonObject[];
  /** Tools that may be called, with arguments that fit their schema. */
  readonly callable: readonly { readonly name: string; readonly arguments: JsonObject }[];
  /** The tools that play a role. */
  readonly toolsByRole: ReadonlyMap<FixtureRole, RoleTool>;
  /** Names of tools that were called and took their time: nobody calls them for the sake of something else. */
  readonly slowTools: Set<string>;
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
   * Calls each tool that may be called, if nobody has in this run, and finds out who plays the roles that have no player.
   * @returns waits for those that take their time, and cancels what takes too long
   */
  discoverRoles(): Promise<() => Promise<void>>;
  /** Waits until that is done, if somebody is at it: which tools take their time is known then. */
  waitUntilTried(): Promise<void>;
  /**
   * Waits for something that may take long, as long as other conversations have something to do; alone, as long as it takes.
   * @returns whether it came
   */
  waitWhileOthersRun(promise: Promise<unknown>): Promise<boolean>;
  /**
   * Another conversation with a subject of its own, not opened yet. The case owns it: nothing to clean up.
   */
  newConversation(): Promise<Peer>;
  /**
   * Tries generated values, `--runs` of them; once in a scenario, which says that it is `generated`. A value that fails, by an
   * expectation or by a rule, is made as small as it gets in conversations of their own: therefore `act` uses nothing but
   * what it is given, and each value can stand alone.
   */
  property<T>(
    arbitrary: fc.Arbitrary<T>,
    act: (value: T, context: Omit<this, 'property'>) => Promise<void>,
    options?: PropertyOptions<T>,
  ): Promise<void>;
}

export interface StdioContext<Id extends RequirementId = RequirementId> extends Context<Id> {
  readonly stdio: StdioControl;
}

export interface HttpContext<Id extends RequirementId = RequirementId> extends Context<Id> {
  /** Requests by hand, on the session of `peer`. */
  readonly http: HttpControl;
  /** Only where something is protected: how to get at it, and what else is there. */
  readonly access: Access;
}

/**
 * A named thing a server of the fixture contract has: `tool test_simple_text`, `resource test://static-text`; or a tool
 * for a role, whatever its name: `role slow`.
 */
export type Fixture = `${'tool' | 'prompt' | 'resource' | 'template'} ${string}` | `role ${FixtureRole}`;

/** For servers under test; our end is a client. */
export interface ServerScenario {
  readonly role: 'server';
  readonly name: string;
  readonly title: string;
  readonly verifies: readonly RequirementId[];
  /** The transport it is about; any when absent. */
  readonly over?: TransportId;
  /**
   * Which conversation it gets.
   * `shared` (default): an opened one that other cases use as well, those that declare the same. `aside`: one beside it, of those
   * that may take their time; who needs a tool that has yet to be found is there too. `last`: such a one when
   * nobody else needs it any more, for it is spoiled or ended. `fresh`: an opened one of its own. `raw`: one of its own in
   * which nothing has been said yet.
   */
  readonly isolation: 'shared' | 'slow' | 'destructive' | 'fresh' | 'uninitialized';
  /** What our end declares; default: everything that needs no more than an empty object. Of `last`: whatever. */
  readonly declares?: JsonObject;
  /** It needs no token, so it runs at a server that lets nobody in as well. */
  readonly withoutAccess?: boolean;
  readonly fixtures: readonly Fixture[];
  /** It tries generated values; left out with `--runs 0`. */
  readonly generated?: boolean;
  readonly run: (context: StdioContext & HttpContext) => Promise<Afterwards>;
}

/**
 * What is left to do when a window of silence has passed: at the end of the conversation, so that all share one window.
 * Other cases have been there by then.
 */
export type Afterwards = (() => void | Promise<void>) | void;

/** What a scenario about an authorization server cannot do without. */
export type Need =
  /** Its endpoints are known. */
  | 'endpoints'
  /** Anybody may register. */
  | 'registration'
  /** One client it knows, or two. */
  | 'client'
  | 'two clients'
  /** Somebody without a screen gets through its pages, and a code comes back. */
  | 'code'
  /** It hands out refresh tokens. */
  | 'refresh token'
  /** Its metadata says that it takes client metadata documents. */
  | 'documents offered'
  /** There is an address to serve documents from that it can reach. */
  | 'document address'
  /** It has taken a sound one from there. */
  | 'client documents'
  /** It is a proxy before an authorization server of somebody else, the user says. */
  | 'third party'
  /** Attacks are allowed: it is on this host, or the user said so. */
  | 'consent to attack'
  /** The user has the time. */
  | 'patience';

export interface AuthorizationContext<Id extends RequirementId = RequirementId> {
  /** Our end: a polite client, with changes where they are wanted. */
  readonly oauth: OAuth;
  readonly expect: Expect<Id>;
  /** As the user gave it. */
  readonly issuer: URL;
  /** The server tokens are for, as far as anybody knows. */
  readonly target: URL;
  /** What was found where metadata can be, of the kinds the revision knows. */
  readonly candidates: readonly Candidate[];
  /** The clients it knows; as many as the scenario needs. */
  readonly clients: readonly OAuthClient[];
  /** The authorization server it is a proxy for, where it is one. */
  readonly thirdParty: URL | undefined;
  /** Our client metadata documents; only where there is an address for them. */
  readonly documents: ClientDocuments | undefined;
  /** Lets time pass. @param ms how much */
  pause(ms: number): Promise<void>;
}

/** For authorization servers under test; our end is a client and its user. */
export interface AuthorizationScenario {
  readonly role: 'authorization-server';
  readonly name: string;
  readonly title: string;
  readonly verifies: readonly RequirementId[];
  readonly over?: TransportId;
  readonly needs: readonly Need[];
  readonly run: (context: AuthorizationContext) => Promise<void>;
}

export type Scenario = ServerScenario | ClientScenario | AuthorizationScenario;

interface Definition<Ids extends readonly RequirementId[], C> {
  /** A statement in the present tense, without modal verbs. */
  readonly title: string;
  /** The requirements it exercises; each must draw a judgement, by an expectation or by a rule. */
  readonly verifies: Ids;
  readonly isolation?: ServerScenario['isolation'];
  readonly declares?: JsonObject;
  readonly outside?: boolean;
  readonly fixtures?: readonly Fixture[];
  readonly generated?: boolean;
  readonly run: (context: C) => Promise<Afterwards>;
}

/**
 * Declares a scenario.
 * @param name the path of its file below `suites/` without `.ts`, a slash, and a slug
 */
export function scenario<const Ids extends readonly RequirementId[]>(
  name: string,
  definition: Definition<Ids, Context<Ids[number]>>,
): ServerScenario {
  return { role: 'server', isolation: 'shared', fixtures: [], ...definition, name } as ServerScenario;
}

/** A scenario about stdio itself, with the process's streams at hand; they are spoiled, unless it says otherwise. */
scenario.stdio = <const Ids extends readonly RequirementId[]>(
  name: string,
  definition: Definition<Ids, StdioContext<Ids[number]>>,
): ServerScenario =>
  ({
    role: 'server',
    isolation: 'destructive',
    fixtures: [],
    over: 'stdio',
    ...definition,
    name,
  }) as ServerScenario;

/** A scenario about Streamable HTTP itself, with requests by hand; a session of its own unless it says otherwise. */
scenario.http = <const Ids extends readonly RequirementId[]>(
  name: string,
  definition: Definition<Ids, HttpContext<Ids[number]>>,
): ServerScenario =>
  ({
    role: 'server',
    isolation: 'fresh',
    fixtures: [],
    over: 'streamable-http',
    ...definition,
    name,
  }) as ServerScenario;

/** The same for the transport of the first revision, HTTP with SSE. */
scenario.httpSse = <const Ids extends readonly RequirementId[]>(
  name: string,
  definition: Definition<Ids, HttpContext<Ids[number]>>,
): ServerScenario =>
  ({
    role: 'server',
    isolation: 'fresh',
    fixtures: [],
    over: 'http-sse',
    ...definition,
    name,
  }) as ServerScenario;

/** A scenario about an authorization server. @param name as above, below `authorization-server/` */
scenario.authorization = <const Ids extends readonly RequirementId[]>(
  name: string,
  definition: Pick<Definition<Ids, AuthorizationContext<Ids[number]>>, 'title' | 'verifies' | 'run'> & {
    readonly needs?: readonly Need[];
  },
): AuthorizationScenario =>
  ({
    role: 'authorization-server',
    needs: ['endpoints'],
    over: 'streamable-http',
    ...definition,
    name,
  }) as AuthorizationScenario;

/** A scenario for clients under test. */
scenario.client = clientScenario;
