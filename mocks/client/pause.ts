/** Pauses of the client that end early when nobody wants any longer what they are for. */

/**
 * @param wait calls back when the time is over
 * @param why what to throw when the signal is given before
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
