import type { Revision } from '../revision.js';

export const revision: Revision = {
  id: '2025-06-18',
  era: 'legacy',
  transports: ['stdio', 'streamable-http'],
  batches: false,
  protocolVersionHeader: true,
  polling: false,
  undeclarable: [],
  authorization: { resourceMetadata: true, metadata: ['oauth'], bareRefusal: false, defaultPaths: false },
};
