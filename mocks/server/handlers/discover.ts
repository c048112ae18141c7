/** server/discover, and subscriptions/listen. */

import type { Handler } from './handler.js';

export const statelessHandlers: Record<string, Handler> = {
  'server/discover': {
    run: (_params, { session, scope }) => ({
      supportedVersions: session.options.stateless.map(r => r.id),
      capabilities: scope.capabilities,
      instructions: session.world.instructions,
    }),
  },
  'subscriptions/listen': {
    run: (params, call) => call.session.stateless!.subscriptions.listen(params, call),
  },
};
