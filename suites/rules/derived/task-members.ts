/** Rules about one member of the states of tasks. */

import { fail, pass } from '../../../harness/judge/finding.js';
import { rule } from '../../../harness/judge/rule.js';
import type { Json } from '../../../spec/json-rpc.js';
import type { RequirementId } from '../../../spec/requirement.js';
import { shown } from './results.js';
import { type Sighting, sightings } from './task-record.js';

/** Judges a member of every task in a message. */
export const member = (
  row: RequirementId,
  name: string,
  fits: (value: Json | undefined, sighting: Sighting) => boolean,
  expected: string,
) =>
  rule.each(row, sightings, sighting => {
    const { m, request, task } = sighting;
    const value = task[name];
    return fits(value, sighting) ? pass([m]) : fail(expected, [request, m], `${name} ${shown(value)}`);
  });
