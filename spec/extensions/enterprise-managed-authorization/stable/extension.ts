import type { Extension } from '../../extension.js';

export const extension: Extension = {
  id: 'enterprise-managed-authorization/stable',
  identifier: 'io.modelcontextprotocol/enterprise-managed-authorization',
  status: 'official',
  revisions: ['2025-11-25', '2026-07-28'],
  repository: 'modelcontextprotocol/ext-auth',
  commit: '3daee734053c8654b7ce9ca757d29e3286a2906a',
  pages: { 'enterprise-managed-authorization': 'specification/stable/enterprise-managed-authorization.mdx' },
  hasSchema: false,
};
