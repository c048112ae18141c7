/** Warnings that nearly every real subject gets: they come last, in one line each. */

import type { RequirementId } from '../spec/requirement.js';
import type { Cluster } from './cluster.js';

/** The part of 92 real servers with the finding (docs/decisions/0055-common-warnings.md). */
const shares: Partial<Record<RequirementId, string>> = {
  'jsonrpc.invalid-params': '89 of 92 real servers get this',
  'pagination.invalid-cursor-error': '86 of 92 real servers get this',
  'jsonrpc.error-message-concise': '77 of 92 real servers get this',
};

/** How common a warning is; undefined for all others. */
export const howCommon = ({ grade, row }: Cluster): string | undefined =>
  grade === 'warning' ? shares[row.id] : undefined;
