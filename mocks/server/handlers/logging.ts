/** server/utilities/logging. */

import type { Handler } from './handler.js';

/** From the least to the most severe. */
export const levels = [
  'debug',
  'info',
  'notice',
  'warning',
  'error',
  'critical',
  'alert',
  'emergency',
] as const;

export const severity = (level: string): number => levels.indexOf(level as (typeof levels)[number]);

export const loggingHandlers: Record<string, Handler> = {
  'logging/setLevel': {
    needs: 'logging',
    // an unknown level does not match the schema of the request and is rejected earlier
    run: (params, { session }) => {
      session.logLevel = String(params.level);
      return {};
    },
  },
};
