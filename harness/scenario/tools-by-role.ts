/** The tools of a server by role, and their calls. */

import { isObject, type JsonObject } from '../../spec/json-rpc.js';
import { fittingArguments, minimalArguments } from '../generate/minimal-arguments.js';
import { type FixtureRole, type OwnTools, type RoleTool, roles, type WellKnown } from './tool-roles.js';

/** Tools by role: the named tool, without a fallback, else the well-known tool. */
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
      ...(named ? { arguments: named.arguments ?? minimalArguments(schema) } : { schema }),
    });
  }
  return toolsByRole;
}

/**
 * Parameters of the call: a custom tool has its own arguments, a well-known tool gets those of the scenario if
 * its schema accepts them.
 */
export const callOf = (tool: RoleTool | undefined, given: JsonObject = {}): JsonObject => ({
  name: tool?.name ?? '',
  arguments: tool?.arguments ?? fittingArguments(tool?.schema ?? {}, given),
});
