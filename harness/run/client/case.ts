/**
 * Launches of a client under test: runs the scenarios of each launch and turns their expectations into
 * findings.
 */

import type { Peer } from '../../peer/peer.js';
import type { GetDocument } from '../../protected-server/server.js';
import type { Conversation } from '../../record/conversation.js';
import { unexercised } from '../../report/occasions.js';
import type { ClientScenario } from '../../scenario/client.js';
import { declined } from '../../scenario/script.js';
import { held, type Serve, serve } from '../../scenario/serve.js';
import { Clock, waitFor } from '../../time/clock.js';
import type { HttpListenOptions } from '../../transports/http/server/behaviour.js';
import type { Intake } from '../../transports/intake.js';
import { suiteError } from '../case-findings.js';
import type { Case } from '../plan.js';
import { callbackPorts } from './callback-port.js';
import {
  type CaseResult,
  type CaseRun,
  context,
  newPart,
  runScenario,
  type ScenarioSetting,
} from './case-run.js';
import { type Fate, howLost, whyUnexercised } from './ending.js';
import { ClientLaunch } from './launch.js';
import type { ClientProcess, ClientProcesses, ClientScript, ProcessOptions } from './process.js';
import { CaseHandover, type ClientLane, type ClientLanes, judgesProcess, scriptOf } from './schedule.js';
import { TestServer } from './test-server.js';
import { showsDefault, type Visit } from './visits.js';

export interface ClientSetting extends ScenarioSetting, ProcessOptions {
  /** The processes of the client that are running. */
  readonly processes: ClientProcesses;
  /** Counts the input of the run. */
  readonly intake: Intake;
  /** Default responses of the harness, where a scenario sets none. */
  readonly world: Serve;
  /** Behaviour of the HTTP server of the harness, where a scenario sets none. */
  readonly http?: HttpListenOptions | undefined;
  /**
   * Fetches documents that a client publishes about itself; default: only hosts on this machine are
   * contacted.
   */
  readonly getDocument?: GetDocument | undefined;
  /** Milliseconds without activity after which the client counts as finished. */
  readonly patience: number;
  /** The same while the harness waits for its next step. */
  readonly patienceAtWork: number;
  readonly probesEra: boolean;
  /** Called once for a launch whose client does nothing for a while: the CPU is free for another launch. */
  readonly onInactive?: (() => void) | undefined;
}

interface StartSetting extends ClientSetting {
  readonly clock: Clock;
}

export interface ClientLaneResult {
  readonly lane: ClientLane;
  /** Cases that ran; the others are rerun alone. */
  readonly results: readonly CaseResult[];
  readonly conversations: readonly Conversation[];
  /** True if the client reports that it does not support this script. */
  readonly declined: boolean;
  /** How the client hung or that it never connected: further launches of this kind are useless. */
  readonly lost: string | undefined;
  /** True if the client got too little CPU time. */
  readonly starved: boolean;
  /** Set if the client met the default server: what it did there can judge other cases. */
  readonly visit?: Visit | undefined;
}

/** Work left after a launch of the client. */
interface ClientLaunchResult {
  /** Lanes in which the client crashed, which it skipped, or whose exit code matters: each needs a launch of its own. */
  readonly rerun: readonly ClientLane[];
  /** Lanes that the client did not reach. */
  readonly missed: readonly ClientLane[];
  /** True if the client reports that it does not support the whole script. */
  readonly declined: boolean;
  /** The process that did not go through the script, or did not ask for the steps of a further launch. */
  readonly unasked: ClientProcess | undefined;
  /** Ports on which the client waited for the end of an authorization. */
  readonly callbackPorts: ReadonlySet<string>;
}

/** How a launch begins and ends, and who hears of it. */
interface LaunchOptions {
  /** A script of the client that waits for the steps of this launch; default: that of a new process. */
  readonly waiting?: ClientScript | undefined;
  /** True if the client may ask for the steps of a further launch. */
  readonly asksAgain?: boolean;
  /** Reports the begin of a case. @returns its number */
  begin(planned: Case<ClientScenario>): number;
  /** Called with the result of each lane that counts, as soon as the result is known. */
  onPlayed(result: ClientLaneResult): void;
  /** Called after each lane with the ports on which the client waited for the end of its authorization. */
  onPorts?: ((ports: ReadonlySet<string>) => void) | undefined;
  /** Called when the client asks for the steps of a further launch. */
  onAsked?: (() => void) | undefined;
}

/**
 * Launches the client for one lane or several, and judges by the scenarios' expectations; rules judge the
 * conversations later.
 */
export async function runClientLaunch(
  lanes: ClientLanes,
  usual: ClientSetting,
  { waiting, asksAgain = false, begin, onPlayed, onPorts, onAsked }: LaunchOptions,
): Promise<ClientLaunchResult> {
  const setting: StartSetting = { ...usual, clock: new Clock() };
  const opening = lanes.map(lane => LaneRun.open(lane, setting, begin));
  const laneRuns = (await Promise.all(opening)) as [LaneRun, ...LaneRun[]];
  const testServers = laneRuns.map(({ testServer }) => testServer) as [TestServer, ...TestServer[]];
  const launch = new ClientLaunch(testServers, setting);
  await launch.begin(
    {
      scenario: lanes.flatMap(lane => lane.map(({ scenario }) => scenario.name)).join(', '),
      script: further => scriptOf(lanes, testServers, further),
      official: lanes[0][0].scenario.official,
    },
    { waiting, asksAgain },
  );
  setting.processes.add(launch.process!);
  const current = () => laneRuns[testServers.indexOf(launch.testServer)]!;
  const patience = () => (current().waits ? setting.patienceAtWork : setting.patience);
  const over = launch.ending(patience, setting.onInactive).then(ending => {
    if (ending === 'asked') onAsked?.();
    return ending;
  });
  const again: ClientLane[] = [];
  const missed: ClientLane[] = [];
  const follow = async (laneRun: LaneRun): Promise<void> => {
    const { testServer, lane } = laneRun;
    const fate = await Promise.race([
      testServer.leftForNext.then(() => 'went on' as const),
      over.then(ending => {
        if (testServer !== launch.testServer) return 'missed';
        return ending === 'asked' ? 'went on' : ending;
      }),
    ]);
    const { protectedServer } = testServer;
    if (protectedServer) protectedServer.wasInactive = fate === 'idle' || fate === 'endless';
    await laneRun.end(fate === 'went on' || fate === 'exited');
    onPorts?.(callbackPorts([protectedServer]));
    const { exit } = launch;
    const isLast = laneRun === laneRuns.at(-1);
    const isAlone = laneRuns.length === 1 && !launch.continues && !asksAgain;
    const sound = fate === 'went on' || (fate === 'exited' && isLast && exit?.code === 0);
    // only a launch of its own has an exit code that tells about this lane
    const isSilent = judgesProcess(lane) && protectedServer?.said.trim() === '';
    if (fate === 'missed') missed.push(lane);
    else if (isAlone || (sound && !isSilent && launch.visited.has(testServer)))
      onPlayed(laneRun.result(fate, launch));
    else again.push(lane);
  };
  await Promise.all(laneRuns.map(follow));
  const askedAgain = (await over) === 'asked';
  if (!askedAgain) await launch.stop();
  const ports = callbackPorts(testServers.map(({ protectedServer }) => protectedServer));
  return {
    rerun: again,
    missed,
    declined: launch.exit?.code === declined,
    unasked: askedAgain && missed.length === 0 ? undefined : launch.process,
    callbackPorts: ports,
  };
}

/** One lane with its own test server. */
class LaneRun {
  private readonly caseRuns: CaseRun[] = [];
  private readonly driver: ScenarioDriver;
  private readonly acting: Promise<void>;

  private constructor(
    readonly lane: ClientLane,
    readonly testServer: TestServer,
    private readonly setting: StartSetting,
    opening: CaseRun,
    private readonly begin: (planned: Case<ClientScenario>) => number,
  ) {
    this.caseRuns.push(opening);
    this.driver = new ScenarioDriver(testServer, setting);
    this.acting = this.driver.play(lane, opening, planned => this.enter(planned));
  }

  static async open(
    lane: ClientLane,
    setting: StartSetting,
    begin: (planned: Case<ClientScenario>) => number,
  ): Promise<LaneRun> {
    const [planned] = lane;
    const { scenario } = planned;
    const { revision, world } = setting;
    const opening = newPart(planned, begin(planned));
    const testServer = await TestServer.open({
      ...setting,
      probesEra: setting.probesEra && !scenario.countsProbes,
      case: opening.number,
      serve: [world, scenario.serve],
      accept: {
        ...(!scenario.echoes && { revision }),
        ...(scenario.declares && { capabilities: scenario.declares }),
        ...(scenario.older && { older: scenario.older() }),
      },
      http: { ...setting.http, ...scenario.http },
      stdio: scenario.stdio,
      protection: scenario.protection,
    });
    return new LaneRun(lane, testServer, setting, opening, begin);
  }

  private get scenario(): ClientScenario {
    return this.lane[0].scenario;
  }

  private enter(planned: Case<ClientScenario>): CaseRun {
    this.finishCase();
    const part = newPart(planned, this.begin(planned));
    this.caseRuns.push(part);
    return part;
  }

  private finishCase(): void {
    const part = this.caseRuns.at(-1)!;
    // the duration of the first case counts from the arrival of the client
    part.durationMs = performance.now() - Math.max(part.began, this.testServer.began);
  }

  /** True while the harness has work to do. Work that is judged after the client exits delays nothing. */
  get waits(): boolean {
    return this.driver.busy && !this.scenario.protection;
  }

  /** Closes the test server. @param orderly true if the client left by itself */
  async end(orderly: boolean): Promise<void> {
    if (orderly) {
      await waitFor(this.acting, this.setting.timing.quiet);
      await this.testServer.settle();
    }
    await this.testServer.close();
    await this.acting;
    this.finishCase();
  }

  result(fate: Fate, launch: ClientLaunch): ClientLaneResult {
    const { caseRuns: parts, testServer } = this;
    const { exit } = launch;
    const last = parts.at(-1)!;
    const defect = testServer.peers.find(peer => peer.defect !== undefined)?.defect;
    if (defect !== undefined) last.findings.push(suiteError(last.planned, last.number, defect));
    if (last.reason === unexercised)
      last.reason = whyUnexercised(fate, launch, testServer.peers, launch.process?.stderrTail(20) ?? []);
    const isVisit =
      parts.length === 1 && showsDefault(this.scenario) && !launch.starved && fate !== 'stopped';
    return {
      lane: this.lane,
      results: parts,
      conversations: testServer.conversations,
      visit: isVisit
        ? {
            case: last.number,
            official: this.scenario.official,
            peers: testServer.peers,
            reason: last.reason,
          }
        : undefined,
      declined: fate !== 'went on' && exit?.code === declined,
      lost: this.scenario.protection ? undefined : howLost(fate, launch, testServer.peers),
      starved: launch.starved !== undefined,
    };
  }
}

/** A case is run again in this many conversations at most. */
const mostConversations = 5;

/** Runs the harness side of the scenarios in one launch of the client. */
class ScenarioDriver {
  /** True while the harness has work to do; an inactive client shows nothing during this time. */
  busy = true;

  constructor(
    private readonly testServer: TestServer,
    private readonly setting: ClientSetting,
  ) {}

  async play(
    [, ...others]: ClientLane,
    opening: CaseRun,
    enter: (planned: Case<ClientScenario>) => CaseRun,
  ): Promise<void> {
    try {
      if (others.length === 0) return await this.act(opening);
      await this.playAll(others, opening, enter);
    } finally {
      this.busy = false;
    }
  }

  private async playAll(
    others: readonly Case<ClientScenario>[],
    opening: CaseRun,
    enter: (planned: Case<ClientScenario>) => CaseRun,
  ): Promise<void> {
    const { testServer } = this;
    const peer = await testServer.next().catch(() => undefined);
    if (!peer) return;
    const turns = new CaseHandover(() => peer.endCase());
    peer.beginCase();
    let part = opening;
    for (const [at, next] of [...others, undefined].entries()) {
      const { world } = this.setting;
      serve(peer, world, part.planned.scenario.serve);
      serve(peer, turns.serve([world, part.planned.scenario.serve]));
      const reached = turns.whenReached(at + 1);
      turns.open(at);
      await this.act(part, peer);
      if (!next) return;
      this.busy = false;
      const gone = await Promise.race([reached.then(() => false), peer.closed().then(() => true)]);
      this.busy = true;
      if (gone) return;
      part = enter(next);
      testServer.hold(part.number);
      peer.beginCase();
    }
  }

  /** Runs one case. @param peer the conversation of the case; default: the next one that the client opens */
  private async act(part: CaseRun, peer?: Peer): Promise<void> {
    const { testServer } = this;
    const { scenario } = part.planned;
    if (!scenario.run) return;
    testServer.deferRequests();
    try {
      await this.actIn(part, peer);
      if (!peer && holdsRequests(scenario)) await this.actLater(part);
    } finally {
      testServer.releaseDeferred();
    }
  }

  /**
   * Runs a case again in the next conversation as long as the client has left each one without the request that the
   * case waits for: some clients open a conversation for each request.
   */
  private async actLater(part: CaseRun): Promise<void> {
    const { testServer } = this;
    for (let more = mostConversations; more > 0; more--) {
      if (part.findings.length > 0 || !testServer.hasLeft) return;
      this.busy = false;
      const next = await testServer.next().catch(() => undefined);
      this.busy = true;
      if (!next) return;
      part.reason = unexercised;
      await this.actIn(part, next);
    }
  }

  private actIn(part: CaseRun, peer: Peer | undefined): Promise<void> {
    const { testServer, setting } = this;
    const { scenario } = part.planned;
    return runScenario(part, setting, expect => context(scenario, testServer, expect, setting, peer));
  }
}

const holdsRequests = ({ serve = {} }: ClientScenario): boolean => Object.values(serve).includes(held);
