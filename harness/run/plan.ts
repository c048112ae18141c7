/** Cases and requirements that apply to this subject, and the reasons why the others do not. */

import { isShownByLists } from '../../spec/extensions/index.js';
import type { JsonObject, Party } from '../../spec/json-rpc.js';
import { type Requirement, type RequirementId, requirement, requirements } from '../../spec/requirement.js';
import type { Revision, TransportId } from '../../spec/revisions.js';
import { entry } from '../grouped.js';
import { bindsIn } from '../judge/judge.js';
import type { Rule, RunRule } from '../judge/rule.js';
import type { AuthState } from '../oauth/login.js';
import { withNamed } from '../record/capabilities.js';
import { declares } from '../record/conversation.js';
import { inShard, type Shard } from '../report/shard.js';
import type { ClientScenario } from '../scenario/client.js';
import type { Fixture, Known, Scenario, ServerScenario } from '../scenario/scenario.js';
import type { Serve } from '../scenario/serve.js';
import {
  aboutRole,
  asksFor,
  discoverableRoles,
  type FixtureRole,
  type OwnTools,
  type WellKnown,
} from '../scenario/tool-roles.js';

export interface Suite {
  readonly scenarios: readonly Scenario[];
  readonly rules: readonly (Rule | RunRule)[];
  /** The well-known fixtures that a server can claim to have; default: none. */
  readonly claimed?: ReadonlySet<Fixture>;
  /** The tools among them, apart from those of the roles, that send a request to the client. */
  readonly asking?: ReadonlySet<Fixture>;
  /** The well-known tools of the roles. */
  readonly wellKnown?: WellKnown;
  /** The extensions that the lists of a server show without a declaration. */
  readonly extensionsShown?: (known: Known) => readonly string[];
  /** Responses of the harness to clients under test. */
  readonly world?: Serve;
}

/**
 * The selection of cases by options. A shard has every n-th scenario, under each revision and over each transport, so
 * that the parts are the same on every machine.
 */
export function selectionOf(
  { suite, selected = () => true, shard }: Selection,
  role: Party,
): (caseName: string) => boolean {
  if (!shard) return selected;
  const own = new Set(
    inShard(
      suite.scenarios.filter(s => s.role === role).map(s => s.name),
      shard,
    ),
  );
  return name => own.has(name.split('/').slice(2).join('/')) && selected(name);
}

interface Selection {
  readonly suite: Suite;
  readonly selected?: (caseName: string) => boolean;
  readonly shard?: Shard;
}

/** A scenario under one revision over one transport. */
export interface Case<S extends Scenario = Scenario> {
  readonly name: string;
  readonly scenario: S;
  /** Requirements of the scenario that are in force here. */
  readonly verifies: readonly RequirementId[];
}

export interface ServerCase extends Case<ServerScenario> {
  /** Descriptions of fixtures that the subject claims to have but lacks. */
  readonly missing: readonly string[];
  /** Required roles whose tools are still to be discovered. */
  readonly unresolvedRoles: readonly FixtureRole[];
}

export interface Plan<C extends Case = ServerCase> {
  readonly cases: readonly C[];
  readonly requirements: readonly RequirementId[];
  readonly notApplicable: readonly { readonly id: RequirementId; readonly reason: string }[];
  /** Why no tool has the role for a case of a requirement, which rules may judge nevertheless. */
  readonly withoutRole?: ReadonlyMap<RequirementId, string>;
}

/** Input of the plan, common to all parties under test. */
interface CommonSetting {
  /** The party under test. */
  readonly role: Party;
  readonly revision: Revision;
  readonly transport: TransportId;
  /** Capabilities that the subject declares. */
  readonly capabilities: JsonObject;
  /** Capabilities that the harness can declare. */
  readonly peerCapabilities: JsonObject;
  /** Selection by `--run` and `--skip`. */
  readonly selected: (caseName: string) => boolean;
  /** Whether a client reacts to a 401 response; default: unknown. */
  readonly authorizes?: boolean;
  /** Access of the harness to a server; default: the server requires no authentication. */
  readonly admission?: AuthState;
}

interface Setting extends CommonSetting {
  readonly known: Known;
  /** The subject claims the well-known fixtures. */
  readonly fixtures: boolean;
  /** The server issues no session id over HTTP: it cannot send requests to the client. Default false. */
  readonly sessionless?: boolean;
  /** Tools that the user named for a role. */
  readonly own?: OwnTools;
  /** Whether fixture tools may be called. */
  readonly mayCall: boolean;
  /** Whether values are generated; default: true. */
  readonly generated?: boolean;
}

/** A capability that a row needs. */
interface Need {
  /** Default: the party that the row binds. */
  readonly side: string | undefined;
  readonly path: string;
}

const needed = new Map<string, Need>();

function parseNeed(needs: string): Need {
  const [, side, path] = /^(?:(client|server):)?(.*)$/.exec(needs)!;
  return { side, path: path! };
}

/**
 * The reason why a requirement is not in force for this subject; undefined when it is in force.
 * @param declared capabilities that the harness declares in the current case
 */
function whyNot(
  row: Requirement,
  setting: CommonSetting,
  declared = setting.peerCapabilities,
): string | undefined {
  const { needs } = row;
  if (!needs) return undefined;
  // no capability declares authorization: only a request without a token shows it
  if (needs === 'authorization') {
    if (setting.role === 'client' && setting.authorizes === false)
      return 'the client does not react to a 401 response';
    if (setting.role !== 'server') return undefined;
    if (setting.admission?.nonStandardAuth) return 'the server uses an authentication scheme outside MCP';
    return setting.admission?.challengedMethod === undefined
      ? 'the server does not require authorization'
      : undefined;
  }
  const { side, path } = entry(needed, needs, () => parseNeed(needs));
  if (setting.revision.undeclarable.includes(path)) return undefined;
  // a row without a side refers to the party bound by it
  const own = side === undefined || side === setting.role;
  if (declares(own ? setting.capabilities : declared, path)) return undefined;
  if (own && isShownByLists(path)) return `the lists of the ${setting.role} show nothing of ${path}`;
  return own
    ? `the ${setting.role} does not declare ${path}`
    : `the ${side} side of the harness does not declare ${path}`;
}

/** The rows that bind each party under each revision over each transport: every plan asks for them. */
const rowsInPlace = new Map<string, ReadonlySet<RequirementId>>();

/** The rows that bind the subject here, provided that it declares the required capabilities. */
const bindingIn = ({ role: party, revision, transport }: CommonSetting): ReadonlySet<RequirementId> =>
  entry(rowsInPlace, `${party}/${revision.id}/${transport}`, () => {
    const rows = [...requirements().values()].filter(row => bindsIn(row, { party, revision, transport }));
    return new Set(rows.map(({ id }) => id));
  });

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

/**
 * A tool that sends a request cannot exist if no client of the revision declares the capability, or on a server
 * without sessions.
 */
function isPossible(
  fixture: Fixture,
  { asking }: Suite,
  { peerCapabilities, sessionless }: Setting,
): boolean {
  const role = roleOf(fixture);
  const capability = role && asksFor[role];
  if (sessionless && (capability || asking?.has(fixture))) return false;
  return !capability || declares(peerCapabilities, capability);
}

/** True if role discovery may still find a tool for the role. */
const isOpen = (fixture: Fixture, suite: Suite, setting: Setting): boolean => {
  const role = roleOf(fixture);
  if (!role || !discoverableRoles.includes(role) || setting.own?.[role] || !setting.mayCall) return false;
  return setting.known.callable.length > 0 && isPossible(fixture, suite, setting);
};

/** Description of a missing fixture. */
function inWords(fixture: Fixture, { wellKnown }: Suite, own: OwnTools): string {
  const role = roleOf(fixture);
  if (!role) return fixture;
  return own[role] ? `tool ${own[role].tool} (--fixture ${role})` : `tool ${wellKnown?.[role]}`;
}

/** Why a case that needs the fixture does not run. */
function whyLacking(fixture: Fixture, suite: Suite, setting: Setting): string {
  const role = roleOf(fixture);
  if (has(setting.known, fixture)) return `--call-tools none excludes ${role ? 'calls' : fixture}`;
  if (setting.sessionless && !isPossible(fixture, suite, setting))
    return 'the server has no sessions, so it sends no request to the client';
  if (!role) return `the server has no ${fixture} (docs/fixtures.md)`;
  const capability = asksFor[role];
  if (!isPossible(fixture, suite, setting)) return `no client of this revision declares ${capability}`;
  return `the server has no tool that ${aboutRole[role]} (--fixture ${role}=…, docs/fixtures.md)`;
}

/** A slow case that is not slow with this server needs no second conversation. */
const withIsolation = (scenario: ServerScenario, known: Known): ServerScenario =>
  scenario.isSlow?.(known) === false ? { ...scenario, isolation: 'shared' } : scenario;

/** Selects the cases for a server under one revision and transport. */
export function plan(suite: Suite, given: Setting): Plan {
  const capabilities = withNamed(given.capabilities, suite.extensionsShown?.(given.known));
  const setting = { ...given, capabilities };
  const { revision, transport, own = {} } = setting;
  const cases: ServerCase[] = [];
  const lacking = new Map<RequirementId, string>();
  const withoutRole = new Map<RequirementId, string>();
  const leftOut: LeftOut[] = [];
  const inside = setting.admission?.authenticated ?? true;
  const binds = bindingIn(setting);
  const judged = ruled(suite, binds);
  // a client without access sees only the authentication gate
  if (!inside) for (const id of judged) if (requirement(id).needs !== 'authorization') judged.delete(id);
  for (const scenario of suite.scenarios) {
    if (scenario.role !== 'server' || (!inside && !scenario.withoutAccess)) continue;
    if (scenario.over && scenario.over !== transport) continue;
    if (scenario.era && scenario.era !== revision.era) continue;
    const name = `${revision.id}/${transport}/${scenario.name}`;
    const binding = scenario.verifies.filter(id => binds.has(id));
    const verifies = binding.filter(id => !whyNot(requirement(id), setting, scenario.declares));
    if (binding.length === 0) continue;
    if (scenario.generated && setting.generated === false) {
      for (const id of verifies) lacking.set(id, 'generated values are switched off (--runs 0)');
      continue;
    }
    const absent = scenario.fixtures.filter(
      f => !has(setting.known, f) || (/^(tool|role) /.test(f) && !setting.mayCall),
    );
    const unresolvedRoles = setting.fixtures ? [] : absent.filter(f => isOpen(f, suite, setting));
    const missing = absent.filter(f => !unresolvedRoles.includes(f));
    const named = (f: Fixture) => own[roleOf(f) ?? ('' as FixtureRole)] !== undefined;
    const claims = missing.every(
      f => named(f) || (setting.fixtures && suite.claimed?.has(f) && isPossible(f, suite, setting)),
    );
    const words = missing.map(f => inWords(f, suite, own));
    if (missing.length > 0 && !claims) {
      const why = whyLacking(missing[0]!, suite, setting);
      leftOut.push({ scenario, why });
      for (const id of verifies) (roleOf(missing[0]!) ? withoutRole : lacking).set(id, why);
    } else {
      for (const id of binding) judged.add(id);
      if (verifies.length > 0 && setting.selected(name))
        cases.push({
          name,
          scenario: withIsolation(scenario, setting.known),
          verifies,
          missing: words,
          unresolvedRoles: unresolvedRoles.map(f => roleOf(f)!),
        });
    }
  }
  return {
    cases,
    withoutRole,
    ...inForce(judged, new Map([...lacking, ...withoutRole]), cases, setting, leftOut),
  };
}

/** Selects the cases for a client under one revision and transport. */
export function planClient(suite: Suite, setting: CommonSetting): Plan<Case<ClientScenario>> {
  const { revision, transport } = setting;
  const cases: Case<ClientScenario>[] = [];
  const binds = bindingIn(setting);
  const judged = ruled(suite, binds);
  for (const scenario of suite.scenarios) {
    if (scenario.role !== 'client' || (scenario.over && scenario.over !== transport)) continue;
    if (scenario.era && scenario.era !== revision.era) continue;
    const name = `${revision.id}/${transport}/${scenario.name}`;
    const binding = scenario.verifies.filter(id => binds.has(id));
    const verifies = binding.filter(id => !whyNot(requirement(id), setting, scenario.declares));
    for (const id of binding) judged.add(id);
    if (verifies.length > 0 && setting.selected(name)) cases.push({ name, scenario, verifies });
  }
  return { cases, ...inForce(judged, new Map(), cases, setting) };
}

/** Requirements judged by rules. */
const ruled = (suite: Suite, binds: ReadonlySet<RequirementId>): Set<RequirementId> =>
  new Set(suite.rules.map(r => r.requirement).filter(id => binds.has(id)));

/** A case that declares a capability, and why it does not run. */
interface LeftOut {
  readonly scenario: ServerScenario;
  readonly why: string;
}

/** Whether a row has its reason from a case: it declares the capability, and judges rows of the same area. */
const explains = ({ scenario }: LeftOut, row: Requirement, setting: CommonSetting): boolean =>
  !whyNot(row, setting, scenario.declares) && scenario.verifies.some(id => areaOf(id) === areaOf(row.id));

const areaOf = (id: RequirementId): string => id.slice(0, id.indexOf('.'));

/** The judged requirements that are in force, and the reasons why the others are not. */
function inForce(
  judged: Set<RequirementId>,
  lacking: ReadonlyMap<RequirementId, string>,
  cases: readonly Case<ServerScenario | ClientScenario>[],
  setting: CommonSetting,
  leftOut: readonly LeftOut[] = [],
): Pick<Plan, 'requirements' | 'notApplicable'> {
  const notApplicable: { id: RequirementId; reason: string }[] = [];
  for (const [id, reason] of lacking) if (!judged.has(id)) notApplicable.push({ id, reason });
  // capabilities declared in one case are in force there, and rules judge that conversation too
  const ends = [...new Set([setting.peerCapabilities, ...cases.map(c => c.scenario.declares)])];
  // the reason depends on what the row needs only
  const reasons = new Map<string, string | null>();
  for (const id of [...judged]) {
    const row = requirement(id);
    if (!row.needs) continue;
    const reason = entry(reasons, row.needs, () => {
      const all = ends.map(declared => whyNot(row, setting, declared));
      return all.includes(undefined) ? null : all[0]!;
    });
    if (reason === null) continue;
    judged.delete(id);
    const without = leftOut.find(one => explains(one, row, setting))?.why;
    notApplicable.push({ id, reason: lacking.get(id) ?? without ?? reason });
  }
  return { requirements: [...judged].sort(), notApplicable };
}
