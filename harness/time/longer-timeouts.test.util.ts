/** Test support: runs in which the machine left the harness no CPU time. */

/** So many attempts at most. */
const most = 5;

/**
 * Repeats a run that shows nothing, each time with twice the timeout of a response.
 * @param answer the timeout of the first attempt, in milliseconds
 * @param isUnclear whether a run shows nothing
 */
export async function withLongerTimeouts<T>(
  answer: number,
  attempt: (answer: number) => Promise<T>,
  isUnclear: (trial: T) => boolean,
): Promise<T> {
  let trial = await attempt(answer);
  for (let made = 1; made < most && isUnclear(trial); made++) trial = await attempt(answer * 2 ** made);
  return trial;
}
