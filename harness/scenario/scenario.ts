/** A scenario sends input to the subject and states only expectations that no rule can check. */

import type fc from 'fast-check';
import type { JsonObject } from '../../spec/json-rpc.js';
import type { RequirementId } from '../../spec/requirement.js';
import type { EraId, TransportId } from '../../spec/revisions.js';
import type { OAuth, OAuthClient } from '../oauth/client.js';
import type { ClientDocuments } from '../oauth/client-documents.js';
import type { Candidate } from '../oauth/discovery.js';
import type { IdentityProvider, MachineClient } from '../oauth/machine-client.js';
import type { Peer } from '../peer/peer.js';
import type { HttpControl, StdioControl } from '../transports/link.js';
import type { Access } from './access.js';
import { type ClientScenario, clientScenario } from './client.js';
import type { Expect } from './expect.js';
import type { PropertyOptions } from './property.js';
import type { FixtureRole, RoleTool } from './tool-roles.js';

/** Results of the probe. */
export interface Known {
  readonly tools: readonly JsonObject[];
  readonly prompts: readonly JsonObject[];
  readonly resources: readonly JsonObject[];
  readonly templates: readonly JsonObject[];
  /** Tools that may be called, with valid arguments. */
  readonly callable: readonly { readonly name: string; readonly arguments: JsonObject }[];
  /** The tools by role. */
  readonly toolsByRole: ReadonlyMap<FixtureRole, RoleTool>;
  /** Names of tools whose calls were slow: a case that calls them does not wait for one after the other. */
  readonly slowTools: Set<string>;
  /** Whether a list has several pages. */
  readonly isPaged: boolean;
  /** Tools that may be called as tasks, with valid arguments. */
  readonly tasks: Known['callable'];
  /** Revisions offered by the subject, newest first; without those of the other era where `allOffers` is given. */
  readonly offers: readonly string[];
  /**
   * All revisions on offer, once the server has answered in the other era, in which it is asked beside the first cases;
   * undefined where it does not answer there.
   */
  readonly allOffers?: Promise<readonly string[] | undefined>;
}

export interface Context<Id extends RequirementId = RequirementId> {
  readonly peer: Peer;
  readonly expect: Expect<Id>;
  readonly known: Known;
  /** Call parameters of the tool with a role; the arguments are those of the well-known tool. */
  tool(role: FixtureRole, args?: JsonObject): JsonObject;
  /**
   * Runs role discovery: calls each callable tool, once in a run, and finds tools for the unresolved roles.
   * @returns a function that waits for slow calls, and cancels those that last too long
   */
  discoverRoles(): Promise<() => Promise<void>>;
  /** Waits for the end of role discovery, if it is running: the slow tools are then known. */
  waitUntilTried(): Promise<void>;
  /**
   * Waits for a slow event while other lanes are running; a single lane waits without a limit.
   * @returns true if the event occurred
   */
  waitWhileOthersRun(promise: Promise<unknown>): Promise<boolean>;
  /**
   * Another conversation with a separate subject, not opened yet. The harness closes the conversation after
   * the case, or, where it `stays`, after the cases that go on in it.
   */
  newConversation(options?: { readonly stays?: boolean }): Promise<Peer>;
  /** Another conversation with a separate subject: one that stays from an earlier case, or a new one. It may stay again. */
  otherConversation(options?: { readonly stays?: boolean }): Promise<Peer>;
  /**
   * Runs generated values, `--runs` of them; once per scenario, and only in a scenario with `generated`. A
   * value that fails, by an expectation or by a rule, is shrunk in separate conversations: therefore `act`
   * uses only its arguments, and each value is independent of the others.
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
  /** Manual requests in the session of `peer`. */
  readonly http: HttpControl;
  /** Only for protected servers: tokens and requests outside the endpoint. */
  readonly access: Access;
}

/**
 * A named feature of a server with the fixture contract: `tool test_simple_text`, `resource
 * test://static-text`; or a tool with a role and any name: `role slow`.
 */
export type Fixture = `${'tool' | 'prompt' | 'resource' | 'template'} ${string}` | `role ${FixtureRole}`;

/** A number, or one that depends on the server. */
type Opens = number | ((known: Known) => number);

/** For servers under test; the harness is a client. */
export interface ServerScenario {
  readonly role: 'server';
  readonly name: string;
  readonly title: string;
  readonly verifies: readonly RequirementId[];
  /** The transport of the scenario; any when absent. */
  readonly over?: TransportId;
  /**
   * The conversation of the scenario. `shared` (default): an open one, shared with other cases that declare
   * the same capabilities. `slow`: a second shared conversation, for slow cases and for cases whose tool is
   * still to be discovered. `destructive`: a shared conversation after all its other cases, because this case
   * makes the conversation unusable, except for one that is `final`. `final`: a shared conversation after all its other cases,
   * destructive ones included, because this case ends it. `fresh`: an open one of its own. `uninitialized`: one of its
   * own without any message so far.
   */
  readonly isolation: 'shared' | 'slow' | 'destructive' | 'final' | 'fresh' | 'uninitialized';
  /** Whether a `slow` case is slow with this server; default: always. Otherwise the case is `shared`. */
  readonly isSlow?: (known: Known) => boolean;
  /**
   * Capabilities that the harness declares; default: all that need no more than an empty object. For
   * `destructive` and `final`: any.
   */
  readonly declares?: JsonObject;
  /** True for a scenario without a token, which also runs on a server to which the harness has no access. */
  readonly withoutAccess?: boolean;
  readonly fixtures: readonly Fixture[];
  /**
   * The revisions of the scenario: those with a handshake (legacy) or those without (modern); default: both.
   */
  readonly era?: EraId;
  /** True for a scenario with generated values; excluded by `--runs 0`. */
  readonly generated?: boolean;
  /** Number of further conversations that the scenario opens with almost every server; default: 0. */
  readonly opens?: Opens;
  /** True if a conversation that the scenario opens stays open, so that other cases can go on there. */
  readonly leavesOpen?: boolean;
  readonly run: (context: StdioContext & HttpContext) => Promise<Afterwards>;
}

/**
 * The last part of a scenario, after a quiet window at the end of the conversation, so that all cases share
 * one window. Other cases have run in the conversation before that.
 */
export type Afterwards = (() => void | Promise<void>) | void;

/** Preconditions of scenarios about an authorization server. */
export type Need =
  /** The endpoints of the server are known. */
  | 'endpoints'
  /** Every client may register. */
  | 'registration'
  /** One client, or two, known to the server. */
  | 'client'
  | 'two clients'
  /** The user agent completes all pages without a browser window, and a code is returned. */
  | 'code'
  /** The server issues refresh tokens. */
  | 'refresh token'
  /** The metadata of the server declares support for client metadata documents. */
  | 'documents offered'
  /** There is an address for documents that the server can reach. */
  | 'document address'
  /** The server has accepted a valid document from that address. */
  | 'client documents'
  /** The user states that the server is a proxy for a third-party authorization server. */
  | 'third party'
  /** Attacks are allowed: the server is on this host, or the user agreed. */
  | 'consent to attack'
  /** The user names a client that gets tokens by its own credentials; its secret; its key. */
  | 'machine'
  | 'machine secret'
  | 'machine key'
  /** The server binds tokens to keys: its metadata or the user says so. */
  | 'dpop'
  /** The user names an identity provider that the server trusts, with its key. */
  | 'identity provider'
  /** The user accepts long checks. */
  | 'patience';

interface AuthorizationContext<Id extends RequirementId = RequirementId> {
  /** The harness as a conforming client, with changes where a scenario needs them. */
  readonly oauth: OAuth;
  readonly expect: Expect<Id>;
  /** The issuer given by the user. */
  readonly issuer: URL;
  /** The resource server of the tokens, if known. */
  readonly target: URL;
  /** Metadata found at the well-known locations, of the kinds defined by the revision. */
  readonly candidates: readonly Candidate[];
  /** Clients known to the server; as many as the scenario needs. */
  readonly clients: readonly OAuthClient[];
  /** A client that gets tokens by its own credentials; only where the user names one. */
  readonly machine: MachineClient | undefined;
  /** An identity provider that the server trusts; only where the user names one. */
  readonly identityProvider: IdentityProvider | undefined;
  /** The third-party authorization server, if the server is a proxy. */
  readonly thirdParty: URL | undefined;
  /** Client metadata documents of the harness; only where there is an address for them. */
  readonly documents: ClientDocuments | undefined;
  /** Waits. @param ms duration in milliseconds */
  pause(ms: number): Promise<void>;
}

/** For authorization servers under test; the harness is a client and its user. */
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
  /**
   * The requirements that the scenario exercises; each one gets a judgement, by an expectation or by a rule.
   */
  readonly verifies: Ids;
  readonly isolation?: ServerScenario['isolation'];
  readonly isSlow?: ServerScenario['isSlow'];
  readonly declares?: JsonObject;
  readonly withoutAccess?: boolean;
  readonly era?: EraId;
  readonly fixtures?: readonly Fixture[];
  readonly generated?: boolean;
  readonly opens?: Opens;
  readonly leavesOpen?: boolean;
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

/**
 * Declares a scenario about stdio itself, with access to the streams of the process; by default the streams
 * are unusable afterwards.
 */
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

/**
 * Declares a scenario about Streamable HTTP itself, with manual requests; by default in a session of its own.
 */
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

/** Declares a scenario about the transport of the first revision, HTTP with SSE. */
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

/** Declares a scenario about an authorization server. @param name as above, below `authorization-server/` */
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

/** Declares a scenario for clients under test. */
scenario.client = clientScenario;
