/** What applies to this subject, and why the rest does not. */

import type { JsonObject } from '../spec/json-rpc.js';
import { clauseIn, type Requirement, type RequirementId, requirement } from '../spec/requirement.js';
import type { Revision, TransportId } from '../spec/revisions.js';
import { declares } from './history.js';
import { asksFor, type FixtureRole, type OwnTools, type WellKnown } from './roles.js';
import type { Rule, RunRule } from './rule.js';
import type { Fixture, Known, Scenario } from './scenario.js';

export interface Suite {
  readonly scenarios: readonly Scenario[];
  readonly rules: readonly (Rule | RunRule)[];
  /** The well-known fixtures, which a server can claim to have; default: none is well known. */
  readonly claimed?: ReadonlySet<Fixture>;
  /** The well-known tools for the roles. */
  readonly wellKnown?: WellKnown;
}

export interface Case {
  readonly name: string;
  readonly scenario: Scenario;
  /** The requirements of the scenario that are in force here. */
  readonly verifies: readonly RequirementId[];
  /** Fixtures the subject is said to have and lacks, in words. */
  readonly missing: readonly string[];
}

export interface Plan {
  readonly cases: readonly Case[];
  readonly requirements: readonly RequirementId[];
  readonly notApplicable: readonly { readonly id: RequirementId; readonly reason: string }[];
}

/** What the plan depends on. */
export interface Setting {
  readonly revision: Revision;
  readonly transport: TransportId;
  readonly capabilities: JsonObject;
  /** What our end can declare. */
  readonly peerCapabilities: JsonObject;
  readonly known: Known;
  /** The subject claims the well-known fixtures. */
  readonly fixtures: boolean;
  /** Tools that were named for a role. */
  readonly own?: OwnTools;
  /** Whether fixture tools may be called. */
  readonly mayCall: boolean;
  /** Chosen with `--run` and `--skip`. */
  readonly selected: (caseName: string) => boolean;
}

/** Why an obligation is not in force for this server; undefined when it is. */
function whyNot(row: Requirement, setting: Setting, declared = setting.peerCapabilities): string | undefined {
  const { needs } = row;
  if (!needs || setting.revision.undeclarable.includes(needs.replace(/^server:/, ''))) return undefined;
  if (needs.startsWith('client:')) {
    const path = needs.slice('client:'.length);
    return declares(declared, path) ? undefined : `our client end does not declare ${path}`;
  }
  const path = needs.replace(/^server:/, '');
  return declares(setting.capabilities, path) ? undefined : `the server does not declare ${path}`;
}

const holds = (row: Requirement, { revision, transport }: Setting): boolean =>
  clauseIn(row, revision.id) !== undefined &&
  (row.binds === 'server' || row.binds === 'both') &&
  (!row.over || row.over.includes(transport));

function has(known: Known, fixture: Fixture): boolean {
  const space = fixture.indexOf(' ');
  const [kind, name] = [fixture.slice(0, space), fixture.slice(space + 1)];
  switch (kind) {
    case 'tool':
      return known.tools.some(t => t.name === name);
    case 'role':
      return known.players.has(name as FixtureRole);
    case 'prompt':
      return known.prompts.some(p => p.name === name);
    case 'resource':
      return known.resources.some(r => r.uri === name);
    default:
      return known.templates.some(t => t.uriTemplate === name);
  }
}

const roleOf = (fixture: Fixture): FixtureRole | undefined =>
  fixture.startsWith('role ') ? (fixture.slice('role '.length) as FixtureRole) : undefined;

/** A tool that asks for what no client of the revision declares cannot be there. */
function isPossible(fixture: Fixture, { peerCapabilities }: Setting): boolean {
  const role = roleOf(fixture);
  const capability = role && asksFor[role];
  return !capability || declares(peerCapabilities, capability);
}

/** A fixture that is missing, in words. */
function inWords(fixture: Fixture, { wellKnown }: Suite, own: OwnTools): string {
  const role = roleOf(fixture);
  if (!role) return fixture;
  return own[role] ? `tool ${own[role].tool} (--fixture ${role})` : `tool ${wellKnown?.[role]}`;
}

/** Selects the cases for one revision and transport. */
export function plan(suite: Suite, setting: Setting): Plan {
  const { revision, transport, own = {} } = setting;
  const cases: Case[] = [];
  const lacking = new Map<RequirementId, string>();
  const judged = new Set<RequirementId>(
    suite.rules.map(r => r.requirement).filter(id => holds(requirement(id), setting)),
  );
  for (const scenario of suite.scenarios) {
    const name = `${revision.id}/${transport}/${scenario.name}`;
    const binding = scenario.verifies.filter(id => holds(requirement(id), setting));
    const verifies = binding.filter(id => !whyNot(requirement(id), setting, scenario.declares));
    if ((scenario.over && scenario.over !== transport) || binding.length === 0) continue;
    const missing = scenario.fixtures.filter(
      f => !has(setting.known, f) || (/^(tool|role) /.test(f) && !setting.mayCall),
    );
    const named = (f: Fixture) => own[roleOf(f) ?? ('' as FixtureRole)] !== undefined;
    const claims = missing.every(
      f => named(f) || (setting.fixtures && suite.claimed?.has(f) && isPossible(f, setting)),
    );
    const words = missing.map(f => inWords(f, suite, own));
    if (missing.length > 0 && !claims)
      for (const id of verifies) lacking.set(id, `the server has no ${words[0]}`);
    else {
      for (const id of binding) judged.add(id);
      if (verifies.length > 0 && setting.selected(name))
        cases.push({ name, scenario, verifies, missing: words });
    }
  }
  const notApplicable: { id: RequirementId; reason: string }[] = [];
  for (const [id, reason] of lacking) if (!judged.has(id)) notApplicable.push({ id, reason });
  // what some case declares is in force there, and rules judge that conversation as well
  const ends = [setting.peerCapabilities, ...cases.map(c => c.scenario.declares)];
  for (const id of [...judged]) {
    const reasons = ends.map(declared => whyNot(requirement(id), setting, declared));
    const reason = reasons.includes(undefined) ? undefined : reasons[0];
    if (!reason) continue;
    judged.delete(id);
    notApplicable.push({ id, reason });
  }
  return { cases, requirements: [...judged].sort(), notApplicable };
}
