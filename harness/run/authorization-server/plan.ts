/** Scenarios about an authorization server that can run, and the reasons why the others cannot. */

import { clauseIn, type RequirementId, requirement } from '../../../spec/requirement.js';
import type { Revision } from '../../../spec/revisions.js';
import type { AuthorizationScenario, Need } from '../../scenario/scenario.js';
import type { Case, Plan, Suite } from '../plan.js';
import type { Lack } from './discovery.js';

export interface AuthorizationCase extends Case<AuthorizationScenario> {
  /** The reason for an inconclusive case, in which the server may be conforming. */
  readonly unclear?: string;
}

const transport = 'streamable-http';

const holds = (id: RequirementId, revision: Revision): boolean => {
  const row = requirement(id);
  return row.binds === 'authorization-server' && clauseIn(row, revision.id) !== undefined;
};

export function planAuthorization(
  { scenarios, rules }: Suite,
  revision: Revision,
  lacks: ReadonlyMap<Need, Lack>,
  selected: (caseName: string) => boolean,
): Plan<AuthorizationCase> {
  const cases: AuthorizationCase[] = [];
  const judged = new Set(rules.map(r => r.requirement).filter(id => holds(id, revision)));
  const absent = new Map<RequirementId, string>();
  for (const scenario of scenarios) {
    if (scenario.role !== 'authorization-server') continue;
    const name = `${revision.id}/${transport}/${scenario.name}`;
    const verifies = scenario.verifies.filter(id => holds(id, revision));
    if (verifies.length === 0) continue;
    const missing = scenario.needs.flatMap(need => lacks.get(need) ?? []);
    const never = missing.find(lack => !lack.unclear);
    if (never) for (const id of verifies) absent.set(id, never.why);
    else {
      for (const id of verifies) judged.add(id);
      const unclear = missing[0]?.why;
      if (selected(name)) cases.push({ name, scenario, verifies, ...(unclear !== undefined && { unclear }) });
    }
  }
  const notApplicable = [...absent].filter(([id]) => !judged.has(id)).map(([id, reason]) => ({ id, reason }));
  return { cases, requirements: [...judged].sort(), notApplicable };
}
