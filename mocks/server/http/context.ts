/** The context of HTTP middleware. */

import { Memory } from '../../fault-state.js';
import type { OpenSession } from '../interfaces.js';
import type { Incoming } from './reply.js';

/**
 * Data and operations for HTTP middleware. Each deviation of each server has one context, for all its
 * sessions.
 */
export class HttpContext extends Memory {
  constructor(
    /** The session named by a request; undefined when the request names no open session. */
    readonly sessionOf: (ask: Incoming) => OpenSession | undefined,
    /** Ids of the open sessions. */
    readonly sessionIds: () => string[],
  ) {
    super();
  }
}
