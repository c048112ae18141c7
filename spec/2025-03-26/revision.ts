import type { Revision } from '../revision.js';

export const revision: Revision = {
  id: '2025-03-26',
  era: 'legacy',
  transports: ['stdio', 'streamable-http'],
  batches: true,
  protocolVersionHeader: false,
  polling: false,
  undeclarable: [],
  authorization: { resourceMetadata: false, metadata: ['oauth'], bareRefusal: false, defaultPaths: true },
};
