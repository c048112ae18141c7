/** Test support: what a rule says about small histories, as data. */

import type { RequirementId } from '../../spec/requirement.js';
import type { Revision } from '../../spec/revisions.js';
import type { Line, RecordOptions } from './record.test.util.js';

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

type Some = readonly (readonly Line[] | Example)[];

/** Tables of examples that have their surroundings in common: the transport, say, or who is judged. */
export const tableWith =
  (surroundings: RecordOptions) =>
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
