/** The facets of rows: forms of a breach and legal variations, and what shows each of them. */

import { allFaults, allQuirks } from '../../mocks/all.js';
import { gatewayFaults } from '../../mocks/gateway/faults/index.js';
import { type Requirement, requirements } from '../../spec/requirement.js';
import { toExample } from '../rules/example.test.util.js';
import { examples } from '../rules/examples.test.util.js';

type Facets = 'breaches' | 'legal';

/** The facets of a row, as faults, quirks and examples name them. */
export const facetNames = (row: Requirement, of: Facets): string[] =>
  Object.keys(row[of] ?? {}).map(name => `${row.id}#${name}`);

/** The facets that rule examples of a kind show. */
export const shownByExamples = (kinds: readonly ('good' | 'legal' | 'bad')[]): ReadonlySet<string> =>
  new Set(
    Object.entries(examples).flatMap(([id, table]) =>
      kinds
        .flatMap(kind => table[kind] ?? [])
        .map(toExample)
        .flatMap(({ shows }) => (shows === undefined ? [] : [`${id}#${shows}`])),
    ),
  );

export const shownByFaults: ReadonlySet<string> = new Set(
  [...allFaults, ...gatewayFaults].flatMap(({ shows = [] }) => shows),
);
export const shownByQuirks: ReadonlySet<string> = new Set(allQuirks.flatMap(({ shows = [] }) => shows));

interface FacetCount {
  readonly all: number;
  /** Shown by a fault, or by a quirk. */
  readonly byMock: number;
  /** Shown by examples of the rule alone. */
  readonly byExample: number;
  /** What the references do in every run. */
  readonly byReference: number;
  /** The row has the reason why nothing shows it. */
  readonly unproven: number;
}

export function countFacets(of: Facets): FacetCount {
  const rows = [...requirements().values()];
  const names = rows.flatMap(row => facetNames(row, of));
  const facets = rows.flatMap(row => Object.values(row[of] ?? {}));
  const byMock = names.filter(name => (of === 'breaches' ? shownByFaults : shownByQuirks).has(name)).length;
  const unproven = facets.filter(facet => typeof facet === 'object' && 'unproven' in facet).length;
  const byReference = facets.filter(facet => typeof facet === 'object' && 'by' in facet).length;
  const all = names.length;
  return { all, byMock, unproven, byReference, byExample: all - byMock - unproven - byReference };
}
