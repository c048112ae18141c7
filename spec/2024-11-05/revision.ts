import type { Revision } from '../revision.js';

export const revision: Revision = {
  id: '2024-11-05',
  era: 'legacy',
  transports: ['stdio', 'http-sse'],
  batches: false,
  protocolVersionHeader: false,
  polling: false,
  undeclarable: ['completions'],
};
