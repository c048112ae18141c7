/** Warnings that nearly every real server gets: the console names them last, in one line. */

import type { Role } from '../spec/json-rpc.js';
import type { RequirementId } from '../spec/requirement.js';
import type { Cluster } from './cluster.js';

/** Requirements whose warning at least 77 of 92 real servers get (docs/decisions/0055-common-warnings.md). */
const common: ReadonlySet<RequirementId> = new Set([
  'jsonrpc.invalid-params',
  'pagination.invalid-cursor-error',
  'jsonrpc.error-message-concise',
]);

/** Whether nearly every server gets a warning. Nothing is known of clients. */
export const isCommon = (
  { grade, row }: Pick<Cluster, 'grade'> & { readonly row: Pick<Cluster['row'], 'id'> },
  subject: Role,
): boolean => subject === 'server' && grade === 'warning' && common.has(row.id);
