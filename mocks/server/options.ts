/** The options of a mock server, without deviations. */

import { definedRevisions, type Revision, type RevisionId } from '../../spec/revisions.js';
import type { World } from './interfaces.js';
import type { SessionOptions } from './session.js';
import { makeWorld } from './world.js';

export interface PlainOptions {
  /** Offered revisions, of one era or of both; default: every revision. */
  readonly revisions?: readonly RevisionId[];
  /** Creates the fixtures of a process; default: all fixtures. */
  readonly world?: () => World;
  /** Items per page of a list; default 5. */
  readonly pageSize?: number;
  /** Seed of the pseudo-random choices, so that they are reproducible; default 0. */
  readonly seed?: number;
  /** Pause between the log and progress messages of the fixture tools, in milliseconds; default 10. */
  readonly delayMs?: number;
}

/**
 * Options of a session without deviations, with its own fixtures.
 * @throws {Error} for an unknown revision
 */
export function plainOptions(options: PlainOptions = {}): () => SessionOptions {
  const offered = offeredRevisions(options.revisions);
  return () => {
    const world = (options.world ?? makeWorld)();
    if (options.pageSize !== undefined) world.pageSize = options.pageSize;
    const { seed = 0, delayMs = 10 } = options;
    return {
      revisions: offered.filter(r => r.era === 'legacy'),
      stateless: offered.filter(r => r.era === 'modern'),
      deviations: [],
      world,
      seed,
      delayMs,
    };
  };
}

function offeredRevisions(ids: readonly RevisionId[] | undefined): Revision[] {
  if (!ids) return [...definedRevisions];
  const unknown = ids.find(id => !definedRevisions.some(r => r.id === id));
  if (unknown || ids.length === 0)
    throw new Error(
      `The mock server offers ${definedRevisions.map(r => r.id).join(', ')}, not "${unknown ?? 'nothing'}".`,
    );
  return definedRevisions.filter(r => ids.includes(r.id));
}
