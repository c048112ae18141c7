/** Test support: the verdicts of a rule for small histories, as data. */

import type { RequirementId } from '../../spec/requirement.js';
import type { EraId, Revision } from '../../spec/revisions.js';
import type { Line, Other, RecordOptions } from './record.test.util.js';

type Lines = readonly Line[] | ((revision: Revision) => readonly Line[]);

export interface Example extends RecordOptions {
  readonly lines: Lines;
  /** Other requirements of the catalogue that the same fault violates. */
  readonly also?: readonly RequirementId[];
  /** The facet of the row that the example shows, by its name. */
  readonly shows?: string;
  /**
   * The revisions in which the example makes sense; default: every revision in which the requirement holds.
   */
  readonly when?: (revision: Revision) => boolean;
  /** Default: legacy, the revisions with a handshake. */
  readonly era?: EraId;
  /** Of a legal variation that shows nothing: the row has no pass either. */
  readonly isUnobserved?: true;
  /** Of a legal variation that cannot be judged: the row has an inconclusive finding. */
  readonly isInconclusive?: true;
  /** Further conversations of the run, for a rule that needs several. */
  readonly others?: readonly (Lines | (Omit<Other, 'lines'> & { readonly lines: Lines }))[];
}

export interface Examples {
  /** Histories that pass, without a violation of any requirement. */
  readonly good: readonly (Example | Lines)[];
  /** Legal variations: no violation is reported, and possibly the requirement is not observed. */
  readonly legal?: readonly (Example | Lines)[];
  /** Histories that fail, together with exactly the requirements in `also`. */
  readonly bad: readonly (Example | Lines)[];
}

export type ExampleTable = Partial<Record<RequirementId, Examples>>;

type Some = readonly (readonly Line[] | Example)[];

/** Tables of examples that share options, such as the transport or the subject. */
export const tableWith =
  (surroundings: RecordOptions & Pick<Example, 'era'>) =>
  (table: Partial<Record<RequirementId, { good: Some; legal?: Some; bad: Some }>>): ExampleTable => {
    const placed = (some: Some = []) =>
      some.map((e): Example => ({ ...surroundings, ...('lines' in e ? e : { lines: e }) }));
    return Object.fromEntries(
      Object.entries(table).map(([id, { good, legal, bad }]) => [
        id,
        { good: placed(good), legal: placed(legal), bad: placed(bad) },
      ]),
    );
  };

export const toExample = (example: Example | Lines): Example =>
  typeof example === 'object' && 'lines' in example ? example : { lines: example };
