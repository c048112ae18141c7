/**
 * What a server claims to have with `--fixtures`: the names that SDK repositories ship for the official suite. Fixtures
 * of our own mock beyond these are never missed on somebody else's server.
 */

import type { Fixture } from '../../harness/scenario/scenario.js';
import type { WellKnown } from '../../harness/scenario/tool-roles.js';

const names = (kind: 'tool' | 'prompt' | 'resource' | 'template', all: string): Fixture[] =>
  all.split(/\s+/).map((name): Fixture => `${kind} ${name}`);

/** Who plays the roles of scenarios, unless `--fixture` names another tool. */
export const wellKnown: WellKnown = {
  slow: 'test_tool_with_progress',
  progress: 'test_tool_with_progress',
  error: 'test_error_handling',
  sampling: 'test_sampling',
  elicitation: 'test_elicitation',
  logging: 'test_tool_with_logging',
  structured: 'test_structured_content',
  // the protected mock takes a scope more for it
  privileged: 'test_image_content',
};

export const claimed: ReadonlySet<Fixture> = new Set([
  ...(['slow', 'progress', 'error', 'sampling', 'elicitation', 'logging'] as const).map(
    (role): Fixture => `role ${role}`,
  ),
  ...names(
    'tool',
    `test_simple_text test_image_content test_audio_content test_embedded_resource test_multiple_content_types
    test_tool_with_logging test_tool_with_progress test_error_handling test_sampling test_elicitation
    test_elicitation_sep1034_defaults test_elicitation_sep1330_enums json_schema_2020_12_tool test_reconnection`,
  ),
  ...names('resource', 'test://static-text test://static-binary test://watched-resource'),
  ...names('template', 'test://template/{id}/data'),
  ...names(
    'prompt',
    `test_simple_prompt test_prompt_with_arguments test_prompt_with_embedded_resource test_prompt_with_image`,
  ),
]);
