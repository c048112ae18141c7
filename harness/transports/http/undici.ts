/**
 * undici, loaded at the first HTTP connection: most runs use stdio. Only the connection code is loaded: the
 * whole package, with `fetch` and web sockets, takes three times as long.
 */

import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);

/** The class `Agent`. */
export const undiciAgent = (): typeof import('undici').Agent => require('undici/lib/dispatcher/agent.js');
