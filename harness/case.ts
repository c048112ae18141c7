/** One case: a scenario run against the subject, its expectations turned into findings. */

import type { RequirementId } from '../spec/requirement.js';
import type { Revision } from '../spec/revisions.js';
import type { Dialer } from './dialer.js';
import { makeExpect } from './expect.js';
import { type Finding, inconclusive, type Judgement } from './finding.js';
import { isWellFormedRequest } from './history.js';
import type { Peer } from './peer.js';
import type { Case } from './plan.js';
import { callOf } from './roles.js';
import type { Known } from './scenario.js';

export interface CaseResult {
  readonly findings: readonly Finding[];
  /** The process went away on its own while something was asked of it. */
  readonly lost: boolean;
}

export interface CaseSetting {
  readonly dialer: Dialer;
  readonly revision: Revision;
  readonly known: Known;
  readonly attempt?: number;
}

/** Runs the scenario of a case in a conversation that is ready for it. */
export async function runCase(
  planned: Case,
  number: number,
  peer: Peer,
  { dialer, revision, known }: CaseSetting,
): Promise<CaseResult> {
  const findings: Finding[] = [];
  const { scenario } = planned;
  const report = (requirement: RequirementId, judgement: Judgement) => {
    if (!scenario.verifies.includes(requirement))
      throw new Error(`${scenario.name} judges ${requirement} without citing it in verifies.`);
    if (planned.verifies.includes(requirement))
      findings.push({ requirement, source: 'scenario', case: number, ...judgement });
  };
  const others: Peer[] = [];
  const another = async () => {
    const other = dialer.dial({ revision, case: number });
    others.push(other);
    return other;
  };
  try {
    await scenario.run({
      peer,
      expect: makeExpect(report),
      known,
      tool: (role, args) => callOf(known.players.get(role), args),
      another,
      stdio: peer.link.stdio!,
      http: peer.link.http!,
    });
    for (const { defect } of [peer, ...others]) if (defect !== undefined) throw defect;
  } catch (error) {
    findings.push({
      requirement: planned.verifies[0]!,
      source: 'suite',
      case: number,
      verdict: 'error',
      message: `The scenario itself failed: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`,
      evidence: [],
    });
  }
  for (const other of others) dialer.close(other);
  return { findings, lost: wasLost(peer) };
}

/** Gone without being asked to, with a question open. */
function wasLost({ conversation, ended }: Peer): boolean {
  if (!ended || conversation.eventsOf('input-closed').length > 0) return false;
  return conversation.exchanges({ by: 'peer' }).some(e => !e.reply && isWellFormedRequest(e.request));
}

/** What a case yields that was not run, with the reason. */
export const notRun = (planned: Case, number: number, reason: string): Finding[] =>
  planned.verifies.map(requirement => ({
    requirement,
    source: 'suite',
    case: number,
    ...inconclusive(reason),
  }));
