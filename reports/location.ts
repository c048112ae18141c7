/** Description of the place of a judgement. */

import type { RunReport } from '../harness/report/summary.js';

type Place = Pick<RunReport, 'revision' | 'transport' | 'side'>;

/** The transport, and the judged side in runs that judge both sides. */
export const transportOf = ({ transport, side }: Place): string =>
  side ? `${transport}, ${side}` : transport;

export const locationOf = (run: Place): string => `${run.revision} on ${transportOf(run)}`;
