import type { Fault } from '../fault.js';

/** All faults. */
export const faults: readonly Fault[] = [];
