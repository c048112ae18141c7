/** Waiting with an end. */

/**
 * Waits for a promise, but no longer than a window.
 * A timer that fires late, because this process was busy, first lets what has already arrived be looked at.
 * @param ms the window in milliseconds
 * @returns whether the promise settled within it
 */
export function waitFor(promise: Promise<unknown>, ms: number): Promise<boolean> {
  return new Promise(resolve => {
    const timer = setTimeout(() => setImmediate(() => setImmediate(() => resolve(false))), ms);
    const settle = () => {
      clearTimeout(timer);
      resolve(true);
    };
    promise.then(settle, settle);
  });
}
