/** One case in a launch of a client: its scenario, and the findings from the expectations of the scenario. */

import type { Finding } from '../../judge/finding.js';
import { LacksCapability, NotObserved } from '../../peer/deferred.js';
import type { Peer } from '../../peer/peer.js';
import { unexercised } from '../../report/occasions.js';
import type { ClientContext, ClientScenario } from '../../scenario/client.js';
import { makeExpect, type Report } from '../../scenario/expect.js';
import { reportTo, suiteError } from '../case-findings.js';
import type { Case } from '../plan.js';
import type { TestServer } from './test-server.js';
import { NeedsLaunch, observeVisit, type PastConversations, type Visit } from './visits.js';

/** Result of one case. */
export interface CaseResult {
  readonly planned: Case<ClientScenario>;
  readonly number: number;
  readonly findings: readonly Finding[];
  /** Possible reason why a cited requirement was not exercised. */
  readonly reason: string;
  readonly durationMs: number;
  /** The case whose visit judged this one, without a launch. */
  readonly judgedWith?: number;
}

/** A case in progress. */
export interface CaseRun extends CaseResult {
  readonly findings: Finding[];
  readonly began: number;
  reason: string;
  durationMs: number;
}

/** What scenarios are told about a client. */
export interface ScenarioSetting {
  /** True if the client reports unsupported scripts: a missing message is inconclusive, not unobserved. */
  readonly supportsScripts: boolean;
  /** True if the client is known to speak a revision with a handshake; undefined: not known. */
  readonly speaksHandshake?: boolean | undefined;
}

export const newPart = (planned: Case<ClientScenario>, number: number): CaseRun => ({
  planned,
  number,
  findings: [],
  reason: unexercised,
  began: performance.now(),
  durationMs: 0,
});

/** Runs a scenario, and records its findings, or why it observed nothing. */
export async function runScenario(
  part: CaseRun,
  { supportsScripts }: ScenarioSetting,
  contextWith: (expect: ClientContext['expect']) => Promise<ClientContext>,
): Promise<void> {
  const { planned, number, findings } = part;
  const recordFinding = reportTo(planned, number, findings);
  // for a client without script support, a missing message is reported as not observed
  const report: Report = (requirement, judgement) =>
    recordFinding(requirement, {
      ...judgement,
      ...(judgement.verdict === 'inconclusive' && !supportsScripts && { verdict: 'none' }),
    });
  try {
    await planned.scenario.run?.(await contextWith(makeExpect(report)));
  } catch (error) {
    if (error instanceof LacksCapability) makeExpect(report).notObserved(planned.verifies, error.message);
    if (error instanceof NotObserved) part.reason = error.message;
    else if (error instanceof NeedsLaunch) throw error;
    else findings.push(suiteError(planned, number, error));
  }
}

/**
 * Judges a case by an earlier visit of the client.
 * @returns undefined where the scenario does more than to observe
 */
export async function judgeByVisit(
  planned: Case<ClientScenario>,
  number: number,
  visit: Visit,
  setting: ScenarioSetting,
): Promise<CaseResult | undefined> {
  const part = { ...newPart(planned, number), reason: visit.reason, judgedWith: visit.case };
  const isJudged = await observeVisit(visit, planned.scenario.begins, past =>
    runScenario(part, setting, async expect => pastContext(past, expect, setting)),
  );
  return isJudged ? part : undefined;
}

const pastContext = (
  past: PastConversations,
  expect: ClientContext['expect'],
  { supportsScripts: scripted, speaksHandshake }: ScenarioSetting,
): ClientContext => ({
  get peer() {
    return past.peer ?? past.needsLaunch();
  },
  expect,
  scripted,
  speaksHandshake,
  another: past.another,
  get http() {
    return past.needsLaunch();
  },
  get protectedServer() {
    return past.needsLaunch();
  },
});

export async function context(
  { begins }: ClientScenario,
  testServer: TestServer,
  expect: ClientContext['expect'],
  { supportsScripts: scripted, speaksHandshake }: ScenarioSetting,
  taken: Peer | undefined,
): Promise<ClientContext> {
  const peer = taken ?? (await firstOf(testServer, begins));
  return {
    get peer() {
      if (!peer)
        throw new Error(
          'A scenario that begins with the client start gets its conversations from `another`.',
        );
      return peer;
    },
    expect,
    scripted,
    speaksHandshake,
    another: () => testServer.next(),
    http: testServer.http!,
    get protectedServer() {
      if (!testServer.protectedServer) throw new Error('This scenario has no protected server.');
      return testServer.protectedServer;
    },
  };
}

/** The conversation with which a scenario begins; undefined where it begins before the first one. */
async function firstOf(testServer: TestServer, begins: ClientScenario['begins']): Promise<Peer | undefined> {
  if (begins === 'started') return undefined;
  return begins === 'opened' ? testServer.nextOpen() : testServer.next();
}
