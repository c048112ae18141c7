/** Test support: what a rule says about small histories, as data. */

import type { RequirementId } from '../../../spec/requirement.js';
import type { Revision } from '../../../spec/revisions.js';
import type { Line, RecordOptions } from '../record.js';

export type Lines = readonly Line[] | ((revision: Revision) => readonly Line[]);

export interface Example extends RecordOptions {
  readonly lines: Lines;
  /** Other requirements that the catalogue holds to be broken by the same deviation. */
  readonly also?: readonly RequirementId[];
  /** The revisions it makes sense in; default: every one in which the requirement holds. */
  readonly when?: (revision: Revision) => boolean;
}

export interface Examples {
  /** Passes, and nothing fails. */
  readonly good: readonly (Example | Lines)[];
  /** Legal variations: nothing is held against them, and perhaps nothing is observed. */
  readonly legal?: readonly (Example | Lines)[];
  /** Fails, and with it exactly what `also` names. */
  readonly bad: readonly (Example | Lines)[];
}

export type ExampleTable = Partial<Record<RequirementId, Examples>>;

export const toExample = (example: Example | Lines): Example =>
  typeof example === 'object' && 'lines' in example ? example : { lines: example };
