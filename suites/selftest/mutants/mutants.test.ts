/**
 * A sample of the mutants of records (`npm run mutants` judges them all): each is reported, or survivors.yaml has the
 * reason why not.
 */

import { describe, expect, test } from 'vitest';
import { mix } from '../../../harness/generate/hash.js';
import { latestRevision, latestStateless } from '../../../spec/revisions.js';
import { isNoticed, isTooMild, judgeMutant, neighbours } from './judge-mutant.js';
import { kindOfMutant, mutantsOf } from './mutants.js';
import { type Form, nameOf, record } from './records.js';
import { isDisputed, readSurvivors, reasonFor } from './survivors.js';

const seed = 1;
/** Mutants of each record that the sample has. */
const sampled = 300;
/** Messages that are changed in the same way where a change is not reported: the first may be one that nothing depends on. */
const mostOfKind = 20;
/** The share of them that has to be reported. */
const leastReported = 0.5;

const forms: readonly Form[] = (['server', 'client'] as const).flatMap(party => [
  { party, revision: latestRevision, transport: 'stdio' as const },
  { party, revision: latestStateless, transport: 'stdio' as const },
]);

const survivors = readSurvivors();

describe.concurrent.each(forms.map(form => ({ name: nameOf(form), form })))('$name', ({ form }) => {
  test('each mutant is reported or has a reason, and what the schema forbids is a violation', async () => {
    const units = await record(form);
    const beside = neighbours(units);
    const all = mutantsOf(units, { seed, most: 1 });
    const every = Math.ceil(all.length / sampled);
    const sample = all.filter((_, at) => mix(at) % every === 0);
    expect(sample.length).toBeGreaterThan(sampled / 4);
    const judged = sample.map(mutant => judgeMutant(mutant, beside(mutant.unit)));
    const named = (some: typeof judged) => some.map(({ mutant }) => kindOfMutant(mutant));
    expect(judged.flatMap(({ errors }) => errors)).toEqual([]);
    expect(named(judged.filter(one => isTooMild(one) && !isDisputed(one.mutant)))).toEqual([]);
    const open = new Set(named(judged.filter(one => !isNoticed(one) && !reasonFor(one.mutant, survivors))));
    const further = open.size === 0 ? [] : mutantsOf(units, { seed, most: mostOfKind });
    const isRarelyReported = (kind: string) => {
      const all = further.filter(one => kindOfMutant(one) === kind);
      const reported = all.filter(one => isNoticed(judgeMutant(one, beside(one.unit))));
      return reported.length <= all.length * leastReported;
    };
    expect([...open].filter(isRarelyReported)).toEqual([]);
    // most mutants are breaches: rules that report nothing any more do not pass
    expect(judged.filter(isNoticed).length / judged.length).toBeGreaterThan(0.5);
  });
});
