/** Runs the suite against a client and reports each step as an event. */

import { availableParallelism } from 'node:os';
import { findDefinedRevision, type Revision, type TransportId } from '../../../spec/revisions.js';
import { vocabularyOf } from '../../../spec/vocabulary.js';
import { eraOf } from '../../peer/eras/index.js';
import type { GetDocument } from '../../protected-server/server.js';
import { withNamed } from '../../record/capabilities.js';
import type { Conversation } from '../../record/conversation.js';
import type { RunEvent } from '../../report/run-event.js';
import type { ClientScenario } from '../../scenario/client.js';
import type { ClientTask } from '../../scenario/client-task.js';
import type { Endpoint } from '../../subject/subject.js';
import type { Timing } from '../../time/timing.js';
import { ExitPatience } from '../../transports/stdio/exit-patience.js';
import { RunBounds } from '../bounds.js';
import { notRun } from '../case-findings.js';
import { places } from '../client-command.js';
import { CouldNotJudge } from '../could-not-judge.js';
import { eventQueue } from '../event-queue.js';
import { learnGiven } from '../given-secrets.js';
import { type Case, planClient, selectionOf } from '../plan.js';
import { type CommonOptions, Recorder } from '../recorder.js';
import { CallbackPorts } from './callback-port.js';
import { type ClientLaneResult, type ClientSetting, runClientLaunch } from './case.js';
import { type CaseResult, judgeByVisit } from './case-run.js';
import { ownPatience } from './launch.js';
import { hasAuthorization, type LaunchEvents, LaunchQueue, type PendingLaunch } from './launch-queue.js';
import { type ClientProbe, probeClient } from './probe.js';
import { type ClientProcess, ClientProcesses } from './process.js';
import { type ClientLane, clientLaunches, clientSchedule, clientShares, judgesProcess } from './schedule.js';
import type { ClientSubject } from './subject.js';
import { Visits } from './visits.js';

export interface ClientRunOptions extends CommonOptions {
  readonly subject: ClientSubject;
  /** Default: stdio for a command with `{server}` in it, else streamable-http. */
  readonly transport?: TransportId;
  /**
   * Default `latest`: the revision that the client proposes; if that one is not supported, the harness tries
   * the others.
   */
  readonly revision?: 'latest' | 'all' | Revision;
  readonly timing?: Timing;
  /**
   * Fetches documents that a client publishes about itself; default: only hosts on this machine are
   * contacted.
   */
  readonly getDocument?: GetDocument;
  /**
   * Launches of the client that run at the same time. Default: two per core, because launches mostly wait;
   * one more than the number of cores when each launch has many cases; without those whose client does nothing
   * for a while. Six in one process, where the client runs several scripts side by side.
   */
  readonly jobs?: number;
  /** Identifiers of extensions that the client has, beside those that it declares. */
  readonly extensions?: readonly string[];
}

/**
 * Launches stop after this many that hung, were stopped by a signal, or did not connect, and after this many that
 * got too little CPU time.
 */
const patience = 4;

const doesAsTold =
  'not judged: the client follows the scenario of the official suite and ignores declared capabilities';

/** Number of scripts that a process runs at the same time, unless the number of jobs is given. */
const mostScripts = 6;

/**
 * After this many launches of several lanes in which the client crashed, each remaining lane gets its own
 * launch.
 */
const mostGriefs = 3;

/** The same after this many processes that did not ask for further steps although the client does. */
const mostUnasked = 6;

/**
 * Tests a client.
 * @returns the events of the run, the last of which is `run-end`
 */
export function runClient(options: ClientRunOptions): AsyncGenerator<RunEvent> {
  return eventQueue(push => new ClientRunner(options, push).run());
}

export const defaultClientTransport = ({ command }: ClientSubject): TransportId =>
  command?.includes(places.server) ? 'stdio' : 'streamable-http';

class ClientRunner {
  private readonly log: Recorder;
  private readonly bounds: RunBounds;
  private readonly transport: TransportId;
  private readonly setting: Omit<
    ClientSetting,
    'revision' | 'supportsScripts' | 'patience' | 'patienceAtWork' | 'probesEra'
  >;
  private started = 0;
  /** How the lost launches ended. */
  private lost: string[] = [];
  private starved = 0;
  /** True if the client has run several scripts in one process. */
  private runsSeveral = false;
  /** Processes that did not ask for further steps, although the client does. */
  private readonly unasked = new Set<ClientProcess>();
  /** Set for a client that ignores scripts. */
  private visits: Visits | undefined;
  private readonly callbackPorts = new CallbackPorts();
  private readonly numbers = new Map<Case, number>();

  constructor(
    private readonly options: ClientRunOptions,
    listener: (event: RunEvent) => void,
  ) {
    this.bounds = new RunBounds(options, 'client');
    const { timing, intake } = this.bounds;
    this.log = new Recorder('client', options, listener);
    learnGiven(this.log.history.secrets, options.subject);
    this.transport = options.transport ?? defaultClientTransport(options.subject);
    this.setting = {
      subject: this.counted(options.subject),
      transport: this.transport,
      history: this.log.history,
      timing,
      exits: new ExitPatience(),
      processes: new ClientProcesses(),
      beside: (options.jobs ?? mostScripts) - 1,
      intake,
      world: options.suite.world ?? {},
      getDocument: options.getDocument,
    };
  }

  private counted(subject: ClientSubject): ClientSubject {
    const start = (task: ClientTask): Endpoint => {
      this.started++;
      return subject.start(task);
    };
    return { ...subject, start };
  }

  async run(): Promise<void> {
    const { subject, revision = 'latest' } = this.options;
    this.log.start({ command: subject.command ?? null, url: null, cwd: subject.cwd }, revision);
    let unjudged: CouldNotJudge | undefined;
    try {
      const probe = await probeClient(this.setting, revision, c => this.log.judge(c));
      for (const ports of probe.callbackPorts) if (ports.size > 0) this.callbackPorts.note(ports);
      this.bounds.intake.allowRevisions(probe.revisions.length);
      for (const one of probe.revisions) {
        const isFirst = one === probe.revisions[0];
        if (!isFirst) this.bounds.timing.budget.renew();
        if (isFirst || !this.options.interrupt?.aborted) await this.runRevision(one, probe);
      }
    } catch (error) {
      if (!(error instanceof CouldNotJudge)) throw error;
      unjudged = this.bounds.reasonOf(error);
    }
    await this.setting.processes.end();
    this.log.end(this.transport, this.started, unjudged, this.bounds.end());
  }

  private async runRevision(revision: Revision, probe: ClientProbe): Promise<void> {
    const { offers, supportsScripts, asksAgain, official } = probe;
    const facts = probe.facts(revision.era);
    const { info, capabilities, staysAlive, isPassive, probesEra, authorizes } = facts;
    [this.lost, this.starved] = [[], 0];
    this.unasked.clear();
    this.visits = probe.ignoresScripts && !probesEra ? new Visits() : undefined;
    const probed = facts.visit(revision);
    if (probed) this.visits?.note(probed);
    const { cases, requirements, notApplicable } = planClient(this.options.suite, {
      role: 'client',
      revision,
      transport: this.transport,
      capabilities: withNamed(capabilities, this.options.extensions),
      peerCapabilities: eraOf(revision.era).capabilities({
        role: 'server',
        revision,
        vocabulary: vocabularyOf(revision),
      }),
      selected: selectionOf(this.options, 'client'),
      authorizes: authorizes !== 'not',
    });
    const later = probe.revisions.slice(probe.revisions.indexOf(revision) + 1);
    const start = { info, capabilities, offers, planned: cases.length, requirements, notApplicable };
    this.log.startRevision(revision, this.transport, start, later);
    const { answer, exit } = this.bounds.timing;
    const full = ownPatience(this.bounds.timing);
    const grace = isPassive ? exit / 2 : staysAlive ? exit : full;
    const speaksHandshake = offers.some(id => findDefinedRevision(id)?.era === 'legacy') || undefined;
    const setting = {
      ...this.setting,
      http: probe.http,
      revision,
      supportsScripts,
      probesEra,
      speaksHandshake,
      patience: grace,
      // waits of the harness with a limit of their own restart the count
      patienceAtWork: isPassive ? grace : staysAlive ? Math.max(exit, answer / 2) : full,
    };
    const { conversations, results } = await this.runAll(cases, setting, {
      getsIn: authorizes === 'completes',
      official,
      asksAgain,
    });
    await this.setting.processes.end();
    this.log.judgeAcross(conversations);
    for (const { number, reason, judgedWith } of results)
      this.log.noVacuousPass(number, reason, supportsScripts ? 'inconclusive' : 'none', judgedWith);
    this.log.endRevision();
  }

  /** Runs several launches at the same time, because a client often waits. */
  private async runAll(
    cases: readonly Case<ClientScenario>[],
    setting: ClientSetting,
    skills: Skills,
  ): Promise<LaunchResults> {
    const lanes = clientSchedule(this.visits?.order(cases) ?? cases, setting.supportsScripts);
    const shares = this.shares(setting);
    const continues = shares && skills.asksAgain;
    const { processes } = setting;
    this.runsSeveral ||= processes.hasSeveral();
    const runsSeveral = continues && this.runsSeveral;
    const isShared = () => runsSeveral && processes.hasSeveral(setting.revision);
    const cores = availableParallelism();
    const jobs = this.options.jobs ?? (shares ? cores + 1 : 2 * cores);
    const sideBySide = this.options.jobs ?? mostScripts;
    const starts = continues
      ? clientShares(lanes, runsSeveral ? sideBySide : jobs, { isShared: runsSeveral })
      : shares
        ? clientLaunches(lanes, jobs)
        : lanes.map(one => [one] as const);
    const done: LaunchResults = { conversations: [], results: [] };
    const queue = new LaunchQueue(
      starts.map(lanes => ({ lanes, crashes: 0, continues })),
      {
        jobs: () => (isShared() ? sideBySide : jobs),
        mayGrow: this.options.jobs === undefined,
        isBusy: () => this.callbackPorts.isBusy,
        // the first share of a process of several scripts; and the output of such a process belongs to any of them
        runsAlone: ({ lanes, continues }) =>
          runsSeveral &&
          continues &&
          this.unasked.size < mostUnasked &&
          (!isShared() || lanes.some(judgesProcess)),
      },
      (next, events) =>
        this.runStart(next, { ...setting, onInactive: events.onInactive }, skills, done, events),
    );
    await queue.run();
    this.runsSeveral ||= processes.hasSeveral();
    done.results.sort((a, b) => a.number - b.number);
    return done;
  }

  /** True if a launch has several lanes; an in-process test server has no address for a script. */
  private shares({ supportsScripts, transport, subject }: ClientSetting): boolean {
    return supportsScripts && !(transport === 'stdio' && subject.listen);
  }

  /** @returns the remaining work */
  private async runStart(
    { lanes, crashes, continues }: PendingLaunch,
    setting: ClientSetting,
    skills: Skills,
    done: LaunchResults,
    { onOver }: LaunchEvents,
  ): Promise<PendingLaunch[]> {
    const alone = (some: readonly ClientLane[]): PendingLaunch[] =>
      some.map(one => ({ lanes: [one], crashes, continues: false }));
    if (continues && this.unasked.size >= mostUnasked) return alone(lanes);
    const [first, ...rest] = lanes.filter(lane => !this.passesOver(lane, skills, done));
    if (!first) return [];
    if (await this.isJudgedByVisit(first, setting, done)) return [];
    const { processes } = setting;
    // taken before the launch waits for its turn, so that the first launches get the processes that have started
    const waiting = continues ? processes.take(setting.revision) : undefined;
    const left: ClientLane[] = [];
    const launch = (onPorts?: (ports: ReadonlySet<string>) => void) =>
      runClientLaunch([first, ...rest], setting, {
        waiting,
        asksAgain: continues,
        begin: planned => this.begin(planned),
        onPlayed: result => left.push(...this.take(result, done)),
        onPorts,
        onAsked: onOver,
      });
    const { rerun, missed, declined, unasked } = await (hasAuthorization([first, ...rest])
      ? this.callbackPorts.inTurn(launch)
      : launch());
    if (continues && unasked) this.unasked.add(unasked);
    const [next, ...others] = missed;
    // which lane the client does not support is unknown
    if (declined || crashes + 1 >= mostGriefs || !next) return alone([...left, ...rerun, ...missed]);
    return [...alone([...left, ...rerun]), { lanes: [next, ...others], crashes: crashes + 1, continues }];
  }

  /** True if an earlier visit of the client judges a case, so that no launch is needed. */
  private async isJudgedByVisit(
    [planned]: ClientLane,
    setting: ClientSetting,
    done: LaunchResults,
  ): Promise<boolean> {
    const visit = this.visits?.for(planned.scenario);
    if (!visit) return false;
    const number = this.begin(planned);
    const result = await judgeByVisit(planned, number, visit, setting);
    if (!result) return false;
    this.log.recordFindings(result.findings);
    this.log.endCase(number, { durationMs: 0 });
    done.results.push(result);
    return true;
  }

  /** Records the result of a lane. @returns the remaining cases, each to be run alone */
  private take(
    { lane, results, conversations, declined, lost, starved, visit }: ClientLaneResult,
    done: LaunchResults,
  ): ClientLane[] {
    const { log } = this;
    if (lost !== undefined) this.lost.push(lost);
    if (starved) this.starved++;
    if (visit) this.visits?.note(visit);
    for (const conversation of conversations) log.judge(conversation);
    done.conversations.push(...conversations);
    // which lane the client does not support is unknown
    const counted = declined && lane.length > 1 ? [] : results;
    for (const { number, findings, durationMs, planned } of counted) {
      log.recordFindings(
        this.bounds.stopped === undefined ? findings : notRun(planned, number, this.bounds.stopped),
      );
      log.endCase(number, { declined, durationMs });
    }
    if (!declined) done.results.push(...counted);
    return lane.slice(counted.length).map(planned => [planned]);
  }

  /** True if there is a reason to skip a lane; the reason is reported. */
  private passesOver(lane: ClientLane, { getsIn, official }: Skills, done: LaunchResults): boolean {
    const bidden = official && lane.some(({ scenario }) => scenario.needsOwnInitiative);
    const why = bidden ? doesAsTold : this.whyNotStarted(lane, getsIn);
    if (why === undefined) return false;
    for (const planned of lane) {
      const number = this.begin(planned);
      if (!bidden) this.log.recordFindings(notRun(planned, number, why));
      this.log.endCase(number);
      done.results.push({ planned, number, findings: [], reason: why, durationMs: 0 });
    }
    return true;
  }

  private whyNotStarted([{ scenario }]: ClientLane, getsIn: boolean): string | undefined {
    const { protection } = scenario;
    if (this.bounds.stopped !== undefined) return this.bounds.stopped;
    const last = this.lost[patience - 1];
    if (last !== undefined)
      return `not run: the client hung, was stopped by a signal, or did not connect ${patience} times before; the last time, ${last}`;
    if (this.starved >= patience)
      return `not run: the client got too little CPU time ${this.starved} times before`;
    return protection && !protection.plain && !protection.ownGrant && !getsIn
      ? 'not run: the client does not complete the basic authorization flow'
      : undefined;
  }

  /** A case that was begun without a result keeps its number. */
  private begin(planned: Case<ClientScenario>): number {
    const number = this.numbers.get(planned) ?? this.log.startCase(planned);
    this.numbers.set(planned, number);
    return number;
  }
}

/** Abilities of a client that decide which cases run. */
interface Skills {
  /** True if the client completes the basic authorization flow. */
  readonly getsIn: boolean;
  /** True if the client runs the scenarios of the official suite. */
  readonly official: boolean;
  /** True if the client asks for further steps at the end of its script. */
  readonly asksAgain: boolean;
}

/** Results of all launches of a client. */
interface LaunchResults {
  readonly conversations: Conversation[];
  readonly results: CaseResult[];
}
