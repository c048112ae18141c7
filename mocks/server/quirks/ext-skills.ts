/** Legal but unusual skills of the skills extension. */

import { onResult, onWorld, type Quirk, quirk } from '../../fault.js';
import { skillsExtension, skillsOf } from '../extensions/skills.js';
import { isStateless } from '../faults/shared.js';

export const extSkillQuirks: readonly Quirk[] = [
  quirk(
    'ext-skills-unlisted',
    {
      what: 'skills/list is empty.',
      where: isStateless,
      shows: ['ext-skills.list-implemented#empty', 'ext-skills.get-every#unlisted'],
    },
    onResult('skills/list', ({ ttlMs = 0, cacheScope = 'public' }) => ({ skills: [], ttlMs, cacheScope })),
  ),
  quirk(
    'ext-skills-all-dynamic',
    {
      what: 'No skill has digests.',
      where: isStateless,
      shows: ['ext-skills.resources-present#dynamic'],
    },
    onWorld(world => {
      const skills = skillsOf(world);
      for (const [at, skill] of skills.entries()) skills[at] = { ...skill, isDynamic: true };
    }),
  ),
  quirk(
    'ext-skills-no-directories',
    { what: 'The server declares the extension without directoryRead.', where: isStateless },
    onWorld(world => {
      const { extensions } = world.capabilities;
      world.capabilities = {
        ...world.capabilities,
        extensions: { ...(extensions as object), [skillsExtension]: {} },
      };
    }),
  ),
  quirk(
    'ext-skills-newer-directory',
    { what: 'A directory has a file that no entry has.', where: isStateless },
    onResult('resources/directory/read', (body, ask) => ({
      ...body,
      resources: [
        ...(body.resources as []),
        { uri: `${String((ask.params as { uri: string }).uri)}/new.md`, name: 'new.md' },
      ],
    })),
  ),
];
