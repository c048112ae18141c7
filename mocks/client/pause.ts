/** Pauses of the client that end early when their purpose is aborted. */

/**
 * @param wait calls back after the pause
 * @param why the error to throw when the signal is aborted before
 */
export function pause(
  wait: (over: () => void) => void,
  signal: AbortSignal,
  why: () => Error,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = () => reject(why());
    if (signal.aborted) return stop();
    signal.addEventListener('abort', stop, { once: true });
    wait(() => {
      signal.removeEventListener('abort', stop);
      resolve();
    });
  });
}
