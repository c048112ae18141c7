import type { Extension } from '../../extension.js';

export const extension: Extension = {
  id: 'skills/stable',
  identifier: 'io.modelcontextprotocol/skills',
  status: 'official',
  revisions: ['2026-07-28'],
  repository: 'modelcontextprotocol/ext-skills',
  commit: '0682b7b6e9e661fbf8538e27cbd3e7282927b45a',
  pages: { skills: 'specification/stable/skills.mdx' },
  hasSchema: true,
};
