/** Hashes: equal on all platforms, and random enough for choices. */

/** FNV-1a with a final mix, so that neighbouring seeds give independent values. */
export function hash(text: string, seed = 0): number {
  let state = 0x811c9dc5 ^ seed;
  for (let index = 0; index < text.length; index++)
    state = Math.imul(state ^ text.charCodeAt(index), 0x01000193);
  return mix(state);
}

/** A number that is independent of the results for neighbouring numbers. */
export function mix(number: number): number {
  let state = Math.imul(number ^ (number >>> 15), 0x2c1b3c6d);
  state = Math.imul(state ^ (state >>> 12), 0x297a2d39);
  return (state ^ (state >>> 15)) >>> 0;
}
