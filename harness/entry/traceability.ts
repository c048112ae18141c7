/** The requirements of each SEP in the form of the official suite's `traceability.json`. */

import { clauseIn, clauseUrl, type Requirement, requirement } from '../../spec/requirement.js';
import { seps } from '../../spec/sep.js';
import { gatewayComparison } from '../../suites/gateway/comparison.js';
import type { Suite } from '../run/plan.js';
import { toolVersion } from '../version.js';

/** Ids of the requirements that a rule, a scenario or the comparison of a gateway judges. */
export const judgedBy = ({ rules, scenarios }: Suite): ReadonlySet<string> =>
  new Set([
    ...rules.map(rule => rule.requirement),
    ...scenarios.flatMap(scenario => scenario.verifies),
    ...gatewayComparison.map(rule => rule.requirement),
  ]);

/** A requirement is `tested` when the suite judges it, else `excluded` with its reason. */
export function traceability(suite: Suite): object {
  const judged = judgedBy(suite);
  const described = [...seps()].map(([number, { revision, rows }]) => {
    const url = (row: Requirement) => clauseUrl(revision, clauseIn(row, revision)!);
    const all = rows.map(requirement);
    const tested = all.filter(({ id }) => judged.has(id));
    const excluded = all.filter(({ id }) => !judged.has(id));
    return [
      number,
      {
        yaml: null,
        specUrl: url(all[0]!).replace(/#.*/, ''),
        requirements: tested.map(row => ({
          check: row.id,
          status: 'tested',
          text: row.says,
          url: url(row),
        })),
        excluded: excluded.map(row => ({ text: row.says, reason: reasonOf(row) })),
        unkeyed: [],
        untracked: [],
        summary: {
          tested: tested.length,
          untested: 0,
          excluded: excluded.length,
          untracked: 0,
          unkeyed: 0,
        },
      },
    ];
  });
  return {
    schemaVersion: 1,
    docs: 'https://github.com/modelcontextprotocol/conformance/blob/main/AGENTS.md#traceability-manifest',
    source: `mcp-conform@${toolVersion}`,
    seps: Object.fromEntries(described),
  };
}

const permission = 'A permission: nothing breaks it, and the behaviour is not reported.';

const reasonOf = ({ unjudged = permission }: Requirement): string =>
  typeof unjudged === 'string' ? unjudged : Object.values(unjudged).join(' ');
