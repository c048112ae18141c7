import type { Extension } from '../../extension.js';

export const extension: Extension = {
  id: 'apps/2026-01-26',
  identifier: 'io.modelcontextprotocol/ui',
  status: 'official',
  // the text names no revision; these have _meta in tools and resources
  revisions: ['2025-06-18', '2025-11-25', '2026-07-28'],
  repository: 'modelcontextprotocol/ext-apps',
  commit: '1f84764639507b943a67471a192d163fb4a7d89f',
  pages: { apps: 'specification/2026-01-26/apps.mdx' },
  hasSchema: true,
  isShownByLists: true,
};
