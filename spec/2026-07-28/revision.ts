import type { Revision } from '../revisions.js';

export const revision: Revision = {
  id: '2026-07-28',
  era: 'modern',
  transports: ['stdio', 'streamable-http'],
  batches: false,
  protocolVersionHeader: true,
  undeclarable: [],
};
