/** Roles that a tool can play in a scenario: a well-known fixture, or a tool of the server's own (`--fixture`). */

import { isObject, type JsonObject } from '../../spec/json-rpc.js';
import { minimalObject } from '../generate/minimal.js';

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

/** What our end declares for a tool of the role to be of use; a revision without it has no such fixture. */
export const asksFor: Readonly<Partial<Record<FixtureRole, string>>> = {
  sampling: 'sampling',
  elicitation: 'elicitation',
};

/** A tool that the operator of the server names for a role. */
export interface OwnTool {
  readonly tool: string;
  /** Default: the plainest that fit its schema. */
  readonly arguments?: JsonObject;
}
export type OwnTools = Readonly<Partial<Record<FixtureRole, OwnTool>>>;

/** The well-known tools that play the roles when nobody else does. */
export type WellKnown = Readonly<Record<FixtureRole, string>>;

/** Who plays a role on this server; arguments only where they do not depend on the scenario. */
export interface RoleTool {
  readonly name: string;
  readonly arguments?: JsonObject;
}

/** The players there are: what was named for a role, and nothing else, or the well-known tool. */
export function assignRoles(
  tools: readonly JsonObject[],
  wellKnown: WellKnown | undefined,
  own: OwnTools,
): Map<FixtureRole, RoleTool> {
  const toolsByRole = new Map<FixtureRole, RoleTool>();
  for (const role of roles) {
    const named = own[role];
    const name = named?.tool ?? wellKnown?.[role];
    const tool = tools.find(t => t.name === name);
    if (name === undefined || !tool) continue;
    const schema = isObject(tool.inputSchema) ? tool.inputSchema : {};
    toolsByRole.set(role, {
      name,
      ...(named && { arguments: named.arguments ?? minimalObject(schema, 'required') }),
    });
  }
  return toolsByRole;
}

/** What to call: own tools take their own arguments, well-known ones those of the scenario. */
export const callOf = (tool: RoleTool | undefined, given: JsonObject = {}): JsonObject => ({
  name: tool?.name ?? '',
  arguments: tool?.arguments ?? given,
});
/** Roles that show in what a tool does; the others somebody has to name a tool for. */
export const discoverableRoles: readonly FixtureRole[] = ['progress', 'sampling', 'elicitation'];
