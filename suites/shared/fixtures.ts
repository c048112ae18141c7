/**
 * The fixtures that `--fixtures` claims for a server: the names that SDK repositories provide for the
 * official suite. Other fixtures of the mock of this project are never reported as missing on another server.
 */

import type { Fixture } from '../../harness/scenario/scenario.js';
import type { WellKnown } from '../../harness/scenario/tool-roles.js';

const names = (kind: 'tool' | 'prompt' | 'resource' | 'template', all: string): Fixture[] =>
  all.split(/\s+/).map((name): Fixture => `${kind} ${name}`);

/** The tools for the roles of scenarios, unless `--fixture` names another tool. */
export const wellKnown: WellKnown = {
  slow: 'test_tool_with_progress',
  progress: 'test_tool_with_progress',
  error: 'test_error_handling',
  sampling: 'test_sampling',
  elicitation: 'test_elicitation',
  logging: 'test_tool_with_logging',
  structured: 'test_structured_content',
  // the protected mock requires an additional scope for this tool
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

/** The tools without a role that send a request to the client. */
export const asking: ReadonlySet<Fixture> = new Set(
  names('tool', 'test_elicitation_sep1034_defaults test_elicitation_sep1330_enums'),
);
