/** Where something was judged, in words. */

import type { RunReport } from '../harness/report/summary.js';

type Place = Pick<RunReport, 'revision' | 'transport' | 'side'>;

/** The transport, and which end was judged where both were. */
export const transportOf = ({ transport, side }: Place): string =>
  side ? `${transport}, ${side}` : transport;

export const placeOf = (run: Place): string => `${run.revision} on ${transportOf(run)}`;
