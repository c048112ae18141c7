/**
 * basic/utilities/cancellation: cancellations of unknown, finished and uncancellable requests are ignored.
 */

import { idKey } from '../../../harness/record/message.js';
import type { Listener } from './handler.js';

export const cancellationListeners: Record<string, Listener> = {
  'notifications/cancelled': (params, session) => {
    const call = session.running.get(idKey(params.requestId));
    if (call && call.method !== 'initialize') call.cancel();
  },
};
