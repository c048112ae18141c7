/**
 * undici, loaded when first a connection is wanted: most runs speak stdio. Of it only what makes connections: all of it, with
 * `fetch` and web sockets, takes three times as long to load.
 */

import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);

/** The class `Agent`. */
export const undiciAgent = (): typeof import('undici').Agent => require('undici/lib/dispatcher/agent.js');
