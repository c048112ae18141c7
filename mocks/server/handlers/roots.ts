/** client/roots: whoever has asked for the roots once is kept up to date. */

import type { Listener } from './index.js';

export const rootsListeners: Record<string, Listener> = {
  'notifications/roots/list_changed': (_params, session) => {
    if (!session.usesRoots || !session.clientCapabilities.roots) return;
    // an error means that there are no roots to know of; the next call of the tool asks again
    session.outgoing.ask('roots/list', undefined).catch(() => {});
  },
};
