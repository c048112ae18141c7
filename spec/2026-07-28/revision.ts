import type { Revision } from '../revision.js';

export const revision: Revision = {
  id: '2026-07-28',
  era: 'modern',
  transports: ['stdio', 'streamable-http'],
  batches: false,
  protocolVersionHeader: true,
  polling: false,
  undeclarable: [],
  authorization: {
    resourceMetadata: true,
    metadata: ['oauth', 'openid'],
    bareRefusal: true,
    defaultPaths: false,
  },
};
