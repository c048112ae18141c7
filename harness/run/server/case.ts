/** One case: a scenario run against the subject, its expectations turned into findings. */

import { isDeepStrictEqual } from 'node:util';
import { requirement } from '../../../spec/requirement.js';
import type { RequirementId } from '../../../spec/requirements.generated.js';
import type { Revision } from '../../../spec/revisions.js';
import type { Finding } from '../../judge/finding.js';
import { gradeOf } from '../../judge/verdict.js';
import { type AuthState, noAuth } from '../../oauth/login.js';
import { NotObserved } from '../../peer/deferred.js';
import type { Peer } from '../../peer/peer.js';
import { isWellFormedRequest } from '../../record/message.js';
import { isPortTaken, runsOnlyOnce } from '../../record/port-taken.js';
import { accessOn } from '../../scenario/access.js';
import { makeExpect, type Report } from '../../scenario/expect.js';
import type { Generation } from '../../scenario/generation.js';
import { explore, seedFor, type Trials } from '../../scenario/property.js';
import type { Afterwards, HttpContext, Known, StdioContext } from '../../scenario/scenario.js';
import { aboutRole, type FixtureRole } from '../../scenario/tool-roles.js';
import { callOf } from '../../scenario/tools-by-role.js';
import { notObserved, notRun, notSeen, reportTo, suiteError } from '../case-findings.js';
import type { ServerCase } from '../plan.js';
import type { ConnectionPool } from './connections.js';
import type { LaneTracker } from './idle-wait.js';
import type { RoleDiscovery } from './role-discovery.js';

export interface CaseResult {
  readonly findings: readonly Finding[];
  /** True if the process exited without being asked to while a request was pending. */
  readonly lost: boolean;
  /** True if a process ended at its start because its port is taken. */
  readonly portTaken?: boolean;
  /** Values tried by the property of the scenario, if the scenario has one. */
  readonly trials: CaseTrials | undefined;
  /** The last part of the case, to run after a quiet window. */
  readonly afterwards?: () => Promise<readonly Finding[]>;
}

/** Context of a scenario, for any transport. */
type AnyContext = StdioContext & HttpContext;
/** Context for one value of a property. */
type ValueContext = Omit<AnyContext, 'property'>;
export interface CaseTrials extends Trials {
  readonly act: (value: unknown, context: ValueContext) => Promise<void>;
}

export interface CaseSetting {
  readonly connections: ConnectionPool;
  readonly revision: Revision;
  readonly known: Known;
  readonly generation: Generation;
  readonly auth?: AuthState;
  readonly roleDiscovery: RoleDiscovery;
  readonly lanes: LaneTracker;
  /** True if role discovery runs in this conversation. */
  readonly discoversRoles?: boolean;
}

/** Findings of a case that needs a tool with a role that no tool has. */
export function withoutTool(
  { verifies }: ServerCase,
  number: number,
  role: FixtureRole,
  discovery: RoleDiscovery,
): Finding[] {
  const tool = discovery.unfinishedTool(role);
  const why = tool
    ? `the tool ${tool} ${aboutRole[role]}, but its response took too long (--fixture ${role}=${tool} waits longer)`
    : `no callable tool ${aboutRole[role]} (--fixture ${role}=…, docs/fixtures.md)`;
  return verifies.map(id => notSeen(id, number, why));
}

/**
 * Without a handshake, the requests of a case declare its capabilities. Where the case before it declared others, the server is
 * asked again what it declares: it may declare an extension only to a client that does.
 */
export async function declareFor({ scenario: { declares } }: ServerCase, peer: Peer): Promise<void> {
  if (!peer.conversation.isStateless) return;
  const isOther = declares && !isDeepStrictEqual(declares, peer.declares);
  peer.declares = declares;
  if (isOther) await peer.open({ capabilities: declares });
}

/** Runs the scenario of a case in a conversation that is ready for the scenario. */
export async function runCase(
  planned: ServerCase,
  number: number,
  peer: Peer,
  setting: CaseSetting,
): Promise<CaseResult> {
  const { scenario, unresolvedRoles } = planned;
  if (setting.discoversRoles) await setting.roleDiscovery.run(peer);
  else if (unresolvedRoles.length > 0) await setting.roleDiscovery.waitForRoles(unresolvedRoles, peer);
  const missing = setting.roleDiscovery.missing(unresolvedRoles);
  if (missing)
    return {
      findings: withoutTool(planned, number, missing, setting.roleDiscovery),
      lost: wasLost(peer),
      trials: undefined,
    };
  const findings: Finding[] = [];
  const report = reportTo(planned, number, findings);
  let trials: CaseTrials | undefined;
  const { context, others } = contextOf(number, peer, setting, report);
  const property: AnyContext['property'] = async (arbitrary, act, { label, most, waits } = {}) => {
    if (!scenario.generated || trials)
      throw new Error(`${scenario.name} runs a property that is not declared, or a second one.`);
    const seed = seedFor(scenario.name, setting.generation.seed);
    trials = {
      arbitrary,
      act: act as CaseTrials['act'],
      label: label as CaseTrials['label'],
      most,
      seed,
      spans: [],
    };
    // a warning hides no violation by a later value
    const failed = () =>
      findings.some(f => f.verdict === 'fail' && (waits || isViolation(f.requirement, setting.revision)));
    const lost = await explore(trials, setting.generation, peer, async value => {
      await trials!.act(value, context);
      return failed();
    });
    if (lost) findings.push(...notRun(planned, number, lost));
  };
  const guarded = async (part: () => Promise<Afterwards>): Promise<Afterwards> => {
    try {
      const rest = await part();
      for (const { defect } of [peer, ...others]) if (defect !== undefined) throw defect;
      return rest;
    } catch (error) {
      if (error instanceof NotObserved)
        findings.push(...notObserved(planned, number, error.message, findings));
      else findings.push(suiteError(planned, number, error));
    }
  };
  const rest = await guarded(() => scenario.run({ ...context, property }));
  const unheard = [peer, ...others].some(isUnheard);
  for (const other of others) setting.connections.release(other);
  const lost = wasLost(peer);
  const portTaken = [peer, ...others].some(p => isPortTaken(p.conversation));
  if (unheard || portTaken) {
    const why = portTaken ? runsOnlyOnce : 'another conversation could not be opened';
    return { findings: notRun(planned, number, why), lost, portTaken, trials };
  }
  if (!rest) return { findings, lost, trials };
  const before = findings.length;
  const afterwards = async () => {
    await guarded(async () => rest());
    return findings.slice(before);
  };
  return { findings: [...findings], lost, trials, afterwards };
}

const isViolation = (id: RequirementId, revision: Revision): boolean =>
  gradeOf(requirement(id), revision.id, 'fail') === 'violation';

/** Context of a scenario in a conversation, and the further conversations that the scenario uses. */
export function contextOf(
  number: number,
  peer: Peer,
  { connections, revision, known, roleDiscovery, lanes, auth = noAuth }: Omit<CaseSetting, 'generation'>,
  report: Report,
): { context: ValueContext; others: readonly Peer[] } {
  const others: Peer[] = [];
  const http = peer.link.http!;
  const context: ValueContext = {
    peer,
    expect: makeExpect(report, peer.conversation),
    known,
    tool: (role, args) => callOf(known.toolsByRole.get(role), args),
    discoverRoles: async () => {
      await roleDiscovery.run(peer);
      return () => roleDiscovery.awaitSlowCalls(peer);
    },
    waitUntilTried: () => roleDiscovery.waitUntilTried(peer),
    waitWhileOthersRun: promise => lanes.waitWhileOthersRun(promise),
    newConversation: async ({ stays = false } = {}) => {
      if (connections.runsOnlyOnce) throw new NotObserved(runsOnlyOnce);
      const other = connections.connect({ revision, case: number });
      others.push(other);
      if (stays) connections.keep(other);
      return other;
    },
    otherConversation: async ({ stays = false } = {}) => {
      const other = connections.takeKept(number);
      if (!other) return context.newConversation({ stays });
      others.push(other);
      if (stays) connections.keep(other);
      return other;
    },
    stdio: peer.link.stdio!,
    http,
    access: http && accessOn(http.web, auth, { resource: http.url, opening: peer.era.opensWith }),
  };
  return { context, others };
}

/**
 * True if the conversation ended before the subject sent a frame; the cause of that end is reported instead
 * of the case.
 */
function isUnheard({ link, ended, conversation }: Peer): boolean {
  const noWay = link.failure !== undefined || (link.http !== undefined && link.http.messageUrl === undefined);
  return ended && noWay && conversation.frames('subject').length === 0;
}

/** True if the subject exited without being asked to while a request was pending. */
function wasLost({ conversation, ended }: Peer): boolean {
  if (!ended || conversation.eventsOf('input-closed').length > 0) return false;
  return conversation.exchanges({ by: 'peer' }).some(e => !e.reply && isWellFormedRequest(e.request));
}
