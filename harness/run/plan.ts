/** What applies to this subject, and why the rest does not. */

import type { JsonObject, Party } from '../../spec/json-rpc.js';
import { clauseIn, type Requirement, type RequirementId, requirement } from '../../spec/requirement.js';
import type { Revision, TransportId } from '../../spec/revisions.js';
import type { Rule, RunRule } from '../judge/rule.js';
import type { AuthState } from '../oauth/login.js';
import { declares } from '../record/conversation.js';
import type { ClientScenario } from '../scenario/client.js';
import type { Fixture, Known, Scenario, ServerScenario } from '../scenario/scenario.js';
import type { Serve } from '../scenario/serve.js';
import {
  asksFor,
  discoverableRoles,
  type FixtureRole,
  type OwnTools,
  type WellKnown,
} from '../scenario/tool-roles.js';

export interface Suite {
  readonly scenarios: readonly Scenario[];
  readonly rules: readonly (Rule | RunRule)[];
  /** The well-known fixtures, which a server can claim to have; default: none is well known. */
  readonly claimed?: ReadonlySet<Fixture>;
  /** The well-known tools for the roles. */
  readonly wellKnown?: WellKnown;
  /** What our end serves to clients under test. */
  readonly world?: Serve;
}

/** A scenario under one revision over one transport. */
export interface Case<S extends Scenario = Scenario> {
  readonly name: string;
  readonly scenario: S;
  /** The requirements of the scenario that are in force here. */
  readonly verifies: readonly RequirementId[];
}

export interface ServerCase extends Case<ServerScenario> {
  /** Fixtures the subject is said to have and lacks, in words. */
  readonly missing: readonly string[];
  /** Roles it needs of which it has yet to be seen who plays them. */
  readonly unresolvedRoles: readonly FixtureRole[];
}

export interface Plan<C extends Case = ServerCase> {
  readonly cases: readonly C[];
  readonly requirements: readonly RequirementId[];
  readonly notApplicable: readonly { readonly id: RequirementId; readonly reason: string }[];
}

/** What the plan depends on, whoever is tested. */
export interface CommonSetting {
  /** Who is tested. */
  readonly role: Party;
  readonly revision: Revision;
  readonly transport: TransportId;
  /** What the subject declares. */
  readonly capabilities: JsonObject;
  /** What our end can declare. */
  readonly peerCapabilities: JsonObject;
  /** Chosen with `--run` and `--skip`. */
  readonly selected: (caseName: string) => boolean;
  /** Whether a client does something about it when it is refused for want of a token; default: nobody knows. */
  readonly authorizes?: boolean;
  /** How our end gets into a server; default: nothing is closed. */
  readonly admission?: AuthState;
}

export interface Setting extends CommonSetting {
  readonly known: Known;
  /** The subject claims the well-known fixtures. */
  readonly fixtures: boolean;
  /** Tools that were named for a role. */
  readonly own?: OwnTools;
  /** Whether fixture tools may be called. */
  readonly mayCall: boolean;
  /** Whether values are generated; default: they are. */
  readonly generated?: boolean;
}

/**
 * Why an obligation is not in force for this subject; undefined when it is.
 * @param declared what our end declares in the case at hand
 */
export function whyNot(
  row: Requirement,
  setting: CommonSetting,
  declared = setting.peerCapabilities,
): string | undefined {
  const { needs } = row;
  if (!needs) return undefined;
  // no capability says so: it shows when somebody comes without a token
  if (needs === 'authorization') {
    if (setting.role === 'client' && setting.authorizes === false)
      return 'the client does nothing about being refused for want of a token';
    if (setting.role !== 'server') return undefined;
    if (setting.admission?.nonStandardAuth) return 'the server protects itself by means of its own';
    return setting.admission?.challengedMethod === undefined
      ? 'the server asks for no authorization'
      : undefined;
  }
  const [, side, path] = /^(?:(client|server):)?(.*)$/.exec(needs)!;
  if (setting.revision.undeclarable.includes(path!)) return undefined;
  // a row that names no side means the party it binds
  const own = side === undefined || side === setting.role;
  if (declares(own ? setting.capabilities : declared, path!)) return undefined;
  return own ? `the ${setting.role} does not declare ${path}` : `our ${side} end does not declare ${path}`;
}

/** Whether a row binds the subject under this revision over this transport, if it declares what the row needs. */
export const holds = (row: Requirement, { role, revision, transport }: CommonSetting): boolean =>
  clauseIn(row, revision.id) !== undefined &&
  (row.binds === role || (row.binds === 'both' && role !== 'authorization-server')) &&
  (!row.over || row.over.includes(transport));

function has(known: Known, fixture: Fixture): boolean {
  const space = fixture.indexOf(' ');
  const [kind, name] = [fixture.slice(0, space), fixture.slice(space + 1)];
  switch (kind) {
    case 'tool':
      return known.tools.some(t => t.name === name);
    case 'role':
      return known.toolsByRole.has(name as FixtureRole);
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

/** It may turn out that a tool plays the role, when it is called. */
const isOpen = (fixture: Fixture, setting: Setting): boolean => {
  const role = roleOf(fixture);
  if (!role || !discoverableRoles.includes(role) || setting.own?.[role] || !setting.mayCall) return false;
  return setting.known.callable.length > 0 && isPossible(fixture, setting);
};

/** A fixture that is missing, in words. */
function inWords(fixture: Fixture, { wellKnown }: Suite, own: OwnTools): string {
  const role = roleOf(fixture);
  if (!role) return fixture;
  return own[role] ? `tool ${own[role].tool} (--fixture ${role})` : `tool ${wellKnown?.[role]}`;
}

/** Selects the cases for a server under one revision and transport. */
export function plan(suite: Suite, setting: Setting): Plan {
  const { revision, transport, own = {} } = setting;
  const cases: ServerCase[] = [];
  const lacking = new Map<RequirementId, string>();
  const inside = setting.admission?.authenticated ?? true;
  const judged = ruled(suite, setting);
  // who is not let in sees nothing but the door
  if (!inside) for (const id of judged) if (requirement(id).needs !== 'authorization') judged.delete(id);
  for (const scenario of suite.scenarios) {
    if (scenario.role !== 'server' || (!inside && !scenario.withoutAccess)) continue;
    const name = `${revision.id}/${transport}/${scenario.name}`;
    const binding = scenario.verifies.filter(id => holds(requirement(id), setting));
    const verifies = binding.filter(id => !whyNot(requirement(id), setting, scenario.declares));
    if ((scenario.over && scenario.over !== transport) || binding.length === 0) continue;
    if (scenario.generated && setting.generated === false) {
      for (const id of verifies) lacking.set(id, 'generated values are switched off (--runs 0)');
      continue;
    }
    const absent = scenario.fixtures.filter(
      f => !has(setting.known, f) || (/^(tool|role) /.test(f) && !setting.mayCall),
    );
    const unresolvedRoles = setting.fixtures ? [] : absent.filter(f => isOpen(f, setting));
    const missing = absent.filter(f => !unresolvedRoles.includes(f));
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
        cases.push({
          name,
          scenario,
          verifies,
          missing: words,
          unresolvedRoles: unresolvedRoles.map(f => roleOf(f)!),
        });
    }
  }
  return { cases, ...inForce(judged, lacking, cases, setting) };
}

/** Selects the cases for a client under one revision and transport. */
export function planClient(suite: Suite, setting: CommonSetting): Plan<Case<ClientScenario>> {
  const { revision, transport } = setting;
  const cases: Case<ClientScenario>[] = [];
  const judged = ruled(suite, setting);
  for (const scenario of suite.scenarios) {
    if (scenario.role !== 'client' || (scenario.over && scenario.over !== transport)) continue;
    const name = `${revision.id}/${transport}/${scenario.name}`;
    const binding = scenario.verifies.filter(id => holds(requirement(id), setting));
    const verifies = binding.filter(id => !whyNot(requirement(id), setting, scenario.declares));
    for (const id of binding) judged.add(id);
    if (verifies.length > 0 && setting.selected(name)) cases.push({ name, scenario, verifies });
  }
  return { cases, ...inForce(judged, new Map(), cases, setting) };
}

/** The rows that rules judge. */
const ruled = (suite: Suite, setting: CommonSetting): Set<RequirementId> =>
  new Set(suite.rules.map(r => r.requirement).filter(id => holds(requirement(id), setting)));

/** Of all rows that are judged those that are in force, and why the others are not. */
function inForce(
  judged: Set<RequirementId>,
  lacking: ReadonlyMap<RequirementId, string>,
  cases: readonly Case<ServerScenario | ClientScenario>[],
  setting: CommonSetting,
): Pick<Plan, 'requirements' | 'notApplicable'> {
  const notApplicable: { id: RequirementId; reason: string }[] = [];
  for (const [id, reason] of lacking) if (!judged.has(id)) notApplicable.push({ id, reason });
  // what some case declares is in force there, and rules judge that conversation as well
  const ends = [...new Set([setting.peerCapabilities, ...cases.map(c => c.scenario.declares)])];
  for (const id of [...judged]) {
    const reasons = ends.map(declared => whyNot(requirement(id), setting, declared));
    const reason = reasons.includes(undefined) ? undefined : reasons[0];
    if (!reason) continue;
    judged.delete(id);
    notApplicable.push({ id, reason });
  }
  return { requirements: [...judged].sort(), notApplicable };
}
