/** Description of the place of a judgement. */

import type { Report, RunReport } from '../harness/report/summary.js';

type Place = Pick<RunReport, 'revision' | 'transport' | 'side' | 'pass'>;

/** The transport, and the judged side in runs that judge both sides. */
export const transportOf = ({ transport, side, pass }: Place): string =>
  side ? `${transport}, ${sideNames[side]}${pass ? ` for a client of ${pass}` : ''}` : transport;

const sideNames = { server: 'server', client: 'client', intermediary: 'gateway' } as const;

/** The file of the subject, if its command contains one with a path relative to its working directory. */
export const fileOf = ({ subject }: Pick<Report, 'subject'>): string | undefined =>
  subject.command
    ?.find(word => /^(?!\/|-|\.\.)[\w./-]+\.\w+$/.test(word) && !word.includes('..'))
    ?.replace(/^(\.\/)+/, '');

export const locationOf = (run: Place): string => `${run.revision} on ${transportOf(run)}`;
