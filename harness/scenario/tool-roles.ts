/** Roles of tools in scenarios: a well-known fixture, or a custom tool of the server (`--fixture`). */

import type { JsonObject } from '../../spec/json-rpc.js';

export const roles = [
  'slow',
  'progress',
  'error',
  'sampling',
  'elicitation',
  'logging',
  'structured',
  'privileged',
] as const;
export type FixtureRole = (typeof roles)[number];

/** What a tool of each role does when it is called. */
export const aboutRole: Readonly<Record<FixtureRole, string>> = {
  slow: 'takes at least a second before it responds',
  progress: 'sends progress notifications when the request has a progressToken',
  error: 'returns a result with isError: true',
  sampling: 'sends sampling/createMessage to the client',
  elicitation: 'sends elicitation/create to the client',
  logging: 'sends notifications/message',
  structured: 'has an outputSchema and returns structuredContent',
  privileged: 'needs a scope that the token of --weak-bearer-token lacks',
};

/**
 * Capability that the harness declares for a tool of the role; a revision without the capability has no such
 * fixture.
 */
export const asksFor: Readonly<Partial<Record<FixtureRole, string>>> = {
  sampling: 'sampling',
  elicitation: 'elicitation',
};

/** A tool that the user names for a role. */
export interface OwnTool {
  readonly tool: string;
  /** Default: minimal arguments that match the schema. */
  readonly arguments?: JsonObject;
}
export type OwnTools = Readonly<Partial<Record<FixtureRole, OwnTool>>>;

/** The well-known tools, used for roles without another tool. */
export type WellKnown = Readonly<Record<FixtureRole, string>>;

/** A tool with a role on this server; arguments only where they do not depend on the scenario. */
export interface RoleTool {
  readonly name: string;
  readonly arguments?: JsonObject;
  /** Input schema of a well-known tool, which may be another than that of the fixture. */
  readonly schema?: JsonObject;
  /** Found by role discovery: the tool may behave in another way in a later call. */
  readonly isDiscovered?: boolean;
}

/** Roles that are visible in the behaviour of a tool; a tool for any other role is named with `--fixture`. */
export const discoverableRoles: readonly FixtureRole[] = ['progress', 'sampling', 'elicitation', 'logging'];
