import type { Quirk } from './fault.js';

/** All quirks. */
export const quirks: readonly Quirk[] = [];
