/** The dated revisions of MCP, in order. The only place where two revisions are compared. */

import { revision as r20241105 } from './2024-11-05/revision.js';
import { revision as r20250326 } from './2025-03-26/revision.js';
import { revision as r20250618 } from './2025-06-18/revision.js';
import { revision as r20251125 } from './2025-11-25/revision.js';
import { revision as r20260728 } from './2026-07-28/revision.js';
import type { Revision, RevisionId } from './revision.js';

export type { AuthorizationFacts, EraId, Revision, RevisionId, TransportId } from './revision.js';

/** Revisions judged for every role, oldest first. */
export const revisions: readonly Revision[] = [r20241105, r20250326, r20250618, r20251125];

/** Revisions whose messages are defined, oldest first: servers and clients are judged in each of them. */
export const definedRevisions: readonly Revision[] = [...revisions, r20260728];

/** Every dated revision in the catalogue, also those whose behaviour is not implemented yet. */
export const revisionIds: readonly RevisionId[] = [
  '2024-11-05',
  '2025-03-26',
  '2025-06-18',
  '2025-11-25',
  '2026-07-28',
];

export const latestRevision: Revision = revisions.at(-1)!;

/** The newest revision without a handshake. */
export const latestStateless: Revision = definedRevisions.findLast(r => r.era === 'modern')!;

/**
 * The revision that a server assumes for an HTTP request without a version
 * (basic/transports#protocol-version-header).
 */
export const assumedOverHttp: Revision = r20250326;

export const findRevision = (id: unknown): Revision | undefined => revisions.find(r => r.id === id);

/** As `findRevision`, also among the revisions that are not judged for authorization servers. */
export const findDefinedRevision = (id: unknown): Revision | undefined =>
  definedRevisions.find(r => r.id === id);

/** The newest revision first, in the order in which the harness offers revisions to a subject. */
export const newestFirst = (): Revision[] => [...revisions].reverse();
