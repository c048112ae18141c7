/**
 * The messages of the handshake. Code that has to tell them from others asks here: outside this file their names are written by the
 * eras, by the pages about lifecycle and versions, and by the mocks (`suites/selftest/house.test.ts`).
 */

/** The methods of the handshake. */
export const handshakeMethods = {
  request: 'initialize',
  notification: 'notifications/initialized',
} as const;

interface Named {
  readonly method?: unknown;
}

/** The request with which a handshake begins. */
export const beginsHandshake = ({ method }: Named): boolean => method === handshakeMethods.request;

/** The notification with which a handshake ends. */
export const endsHandshake = ({ method }: Named): boolean => method === handshakeMethods.notification;
