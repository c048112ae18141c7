import type { Revision } from '../revision.js';

export const revision: Revision = {
  id: '2025-11-25',
  era: 'legacy',
  transports: ['stdio', 'streamable-http'],
  batches: false,
  protocolVersionHeader: true,
  polling: true,
  undeclarable: [],
  authorization: {
    resourceMetadata: true,
    metadata: ['oauth', 'openid'],
    bareRefusal: true,
    defaultPaths: false,
  },
};
