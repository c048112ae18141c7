/** The name of the subject of a run, and the revisions that it offers. */

import type { Report } from './report.js';
import type { RevisionStart } from './run-event.js';

/** A gateway offers what it speaks in any of its passes. @param starts the starts of all parts of the run */
export function namedIn(starts: readonly RevisionStart[]): Pick<Report['subject'], 'info' | 'offers'> {
  const passes = starts.filter(({ side }) => side === 'intermediary');
  const first = passes[0] ?? starts[0];
  const offers = [...new Set(passes.flatMap(pass => pass.offers))].sort();
  return { info: first?.info ?? null, offers: passes.length > 0 ? offers : (first?.offers ?? []) };
}
