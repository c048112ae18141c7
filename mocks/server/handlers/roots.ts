/** client/roots: after the first request for the roots, a session fetches them again after each change. */

import type { Listener } from './handler.js';

export const rootsListeners: Record<string, Listener> = {
  'notifications/roots/list_changed': (_params, session) => {
    if (!session.usesRoots || !session.clientCapabilities.roots) return;
    // an error means that the roots are unknown; the next call of the tool requests them again
    session.outgoing.ask('roots/list', undefined).catch(() => {});
  },
};
