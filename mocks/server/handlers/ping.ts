/** basic/utilities/ping. */

import type { Handler } from './index.js';

export const pingHandlers: Record<string, Handler> = { ping: { run: () => ({}) } };
