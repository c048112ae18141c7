/** basic/utilities/ping. */

import type { Handler } from './handler.js';

export const pingHandlers: Record<string, Handler> = { ping: { run: () => ({}) } };
