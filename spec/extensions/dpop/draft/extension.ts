import type { Extension } from '../../extension.js';

/** The text is on the branch of SEP-1932, and names no identifier: this one is that of the official suite. */
export const extension: Extension = {
  id: 'dpop/draft',
  identifier: 'io.modelcontextprotocol/auth/dpop',
  status: 'draft',
  revisions: ['2025-11-25', '2026-07-28'],
  repository: 'modelcontextprotocol/ext-auth',
  commit: 'f2f94539fe4dc28aa53b7caed88f929aba02aec6',
  pages: { 'dpop-extension': 'specification/draft/dpop-extension.mdx' },
  hasSchema: false,
};
