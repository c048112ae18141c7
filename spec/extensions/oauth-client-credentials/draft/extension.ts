import type { Extension } from '../../extension.js';

export const extension: Extension = {
  id: 'oauth-client-credentials/draft',
  identifier: 'io.modelcontextprotocol/oauth-client-credentials',
  status: 'official',
  revisions: ['2025-11-25', '2026-07-28'],
  repository: 'modelcontextprotocol/ext-auth',
  commit: '32375543bcedef7018c86de4fab9d1e7226cb25f',
  pages: { 'oauth-client-credentials': 'specification/draft/oauth-client-credentials.mdx' },
  hasSchema: false,
};
