/** Helpers for values in live mutants. */

/** What a hook of a deviation keeps its state in. */
interface State {
  keep<T>(make: () => T): T;
}

/** Keeps a value, if there is one. @returns the value that was kept before */
export function before<T>(context: State, value: T | undefined): T | undefined {
  const state = context.keep<{ last: T | undefined }>(() => ({ last: undefined }));
  const { last } = state;
  state.last = value ?? last;
  return last;
}

/** Whether a value is an object without a class. */
export const isPlain = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype;
