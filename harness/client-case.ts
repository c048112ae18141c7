/** One case for a client under test: a start of it, a scenario, its expectations turned into findings. */

import type { Revision, TransportId } from '../spec/revisions.js';
import { reportTo, suiteError } from './case.js';
import type { ClientContext, ClientScenario } from './client-scenario.js';
import { type Ending, Stage } from './client-stage.js';
import type { ClientSubject } from './client-subject.js';
import { makeExpect, type Report } from './expect.js';
import type { Finding } from './finding.js';
import { NoOccasion } from './held.js';
import type { Conversation, History } from './history.js';
import type { Timing } from './link.js';
import type { Peer } from './peer.js';
import type { Case } from './plan.js';
import { declined } from './script.js';
import type { Serve } from './serve.js';
import type { Exit } from './subject.js';
import { waitFor } from './wait.js';

export interface ClientSetting {
  readonly subject: ClientSubject;
  readonly transport: TransportId;
  readonly revision: Revision;
  readonly history: History;
  readonly timing: Timing;
  /** What our end serves when a scenario says nothing else. */
  readonly world: Serve;
  /** The client says when it cannot do a script, so what it does not do is unclear; else it is merely not observed. */
  readonly honours: boolean;
  /** Milliseconds without a sign of life after which the client is taken to have done all it does. */
  readonly patience: number;
  readonly scouts: boolean;
}

export interface ClientCaseResult {
  readonly findings: readonly Finding[];
  readonly conversations: readonly Conversation[];
  /** It says that it does not do this one. */
  readonly declined: boolean;
  /** Why what the case cites may not have been exercised. */
  readonly reason: string;
  /** It hung, or never connected: more of the kind makes no sense. */
  readonly lost: boolean;
}

/** Starts the client for a case and judges by the scenario's expectations; rules judge the conversations later. */
export async function runClientCase(
  planned: Case<ClientScenario>,
  number: number,
  setting: ClientSetting,
): Promise<ClientCaseResult> {
  const { scenario } = planned;
  const { subject, transport, revision, history, timing, world, patience, scouts } = setting;
  const stage = await Stage.open({
    subject,
    transport,
    revision,
    case: number,
    history,
    timing,
    serve: [world, scenario.serve],
    accept: {
      ...(!scenario.echoes && { revision }),
      ...(scenario.declares && { capabilities: scenario.declares }),
    },
    http: scenario.http,
    stdio: scenario.stdio,
    protection: scenario.protection,
    scouts,
  });
  const findings: Finding[] = [];
  let busy = true;
  const acting = act(planned, number, stage, findings, setting.honours).finally(() => {
    busy = false;
  });
  stage.start({ scenario: scenario.name, script: scenario.does as never, official: scenario.official });
  // what is judged when the client is gone keeps nobody waiting
  const waits = () => busy && !scenario.protection;
  const ending = await stage.ending(() => (waits() ? ownPatience(timing) : patience));
  if (ending === 'exited') await waitFor(acting, timing.quiet);
  await stage.close();
  const trouble = await acting;
  const defect = stage.peers.find(peer => peer.defect !== undefined)?.defect;
  if (defect !== undefined) findings.push(suiteError(planned, number, defect));
  return {
    findings,
    conversations: stage.conversations,
    declined: stage.exit?.code === declined,
    reason: trouble ?? whyUnexercised(ending, stage.exit, stage.peers, stage.process?.lastWords(1)[0]),
    // who is let in nowhere may well wait for the user
    lost:
      !scenario.protection &&
      (ending === 'endless' || (ending === 'idle' && !stage.peers.some(peer => !peer.isMute))),
  };
}

/** While our end waits for an answer, it is our end that gives up. */
export const ownPatience = ({ answer, quiet }: Timing): number => answer * 1.25 + quiet * 2;

/** Plays our part; gives why it could not, if the client gave no occasion. */
async function act(
  planned: Case<ClientScenario>,
  number: number,
  stage: Stage,
  findings: Finding[],
  honours: boolean,
): Promise<string | undefined> {
  const { scenario } = planned;
  const told = reportTo(planned, number, findings);
  // what was not to be seen of a client that knows no scripts is no more than that
  const report: Report = (requirement, judgement) =>
    told(requirement, {
      ...stage.secrets.hideIn(judgement),
      ...(judgement.verdict === 'inconclusive' && !honours && { verdict: 'none' }),
    });
  if (!scenario.run) return undefined;
  try {
    await scenario.run(await context(scenario, stage, makeExpect(report), honours));
  } catch (error) {
    if (error instanceof NoOccasion) return error.message;
    findings.push(suiteError(planned, number, error));
  } finally {
    for (const peer of stage.peers) peer.release();
  }
  return undefined;
}

async function context(
  { begins }: ClientScenario,
  stage: Stage,
  expect: ClientContext['expect'],
  scripted: boolean,
): Promise<ClientContext> {
  const peer = begins === 'started' ? undefined : await stage.next();
  if (peer && begins === 'opened') await stage.ready(peer);
  return {
    get peer() {
      if (!peer)
        throw new Error('A scenario that begins with the start takes its conversations with `another`.');
      return peer;
    },
    expect,
    scripted,
    another: () => stage.next(),
    http: stage.http!,
    get scene() {
      if (!stage.scene) throw new Error('Nothing is protected here.');
      return stage.scene;
    },
  };
}

function whyUnexercised(
  ending: Ending,
  exit: Exit | undefined,
  peers: readonly Peer[],
  lastWord: string | undefined,
): string {
  const said = lastWord === undefined ? '' : `; it said: ${lastWord.slice(0, 200)}`;
  const [how, bad] = howItEnded(ending, exit);
  if (peers.length === 0) return `the client did not connect: ${how}${said}`;
  return bad ? `${how}${said}` : 'the scenario did not exercise this requirement';
}

/** In words, and whether it is out of the ordinary. */
export function howItEnded(ending: Ending, exit: Exit | undefined): [string, boolean] {
  if (ending === 'idle') return ['it did nothing any more and was ended', true];
  if (ending === 'endless') return ['it went on without end and was ended', true];
  if (exit?.problem !== undefined) return ['it could not be started', true];
  if (exit?.signal) return [`it was ended by ${exit.signal}`, true];
  return [`it exited with code ${exit?.code}`, exit?.code !== 0];
}
