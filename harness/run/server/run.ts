/** Runs the suite against a server and reports each step as an event. */

import { availableParallelism } from 'node:os';
import type { Revision, TransportId } from '../../../spec/revisions.js';
import { entry } from '../../grouped.js';
import type { Finding } from '../../judge/finding.js';
import { type AuthState, noAuth } from '../../oauth/login.js';
import { describeFailure } from '../../peer/failure.js';
import type { Peer } from '../../peer/peer.js';
import { withNamed } from '../../record/capabilities.js';
import { isPortTaken } from '../../record/port-taken.js';
import type { RunEvent } from '../../report/run-event.js';
import { defaultRuns, type Generation } from '../../scenario/generation.js';
import { defaultTransport } from '../../transports/connector.js';
import { RunBounds } from '../bounds.js';
import { notPlanned, notRun } from '../case-findings.js';
import { CouldNotJudge } from '../could-not-judge.js';
import { eventQueue } from '../event-queue.js';
import { type Plan, plan, type ServerCase, selectionOf } from '../plan.js';
import { Recorder } from '../recorder.js';
import { type CaseResult, type CaseSetting, declareFor, runCase, withoutTool } from './case.js';
import { ConnectionPool } from './connections.js';
import { LaneTracker } from './idle-wait.js';
import { Losses } from './losses.js';
import { Negotiation } from './negotiation.js';
import type { RunOptions, ServerTarget } from './options.js';
import { discover, emptyProbe, type Probe, requireOwnTools } from './probe.js';
import { isLast, type Lane, mayOpenNone, openedIn, schedule } from './schedule.js';
import { Shrinker } from './shrink.js';
import { describeSubject } from './subject-place.js';

/**
 * Sessions over HTTP: the number of concurrent ones in addition to the first, and the number of those that
 * share the `shared` cases.
 */
const sessions = { atOnce: 8, spread: { usual: 3, generated: 3 } };

/**
 * A lane with at most this many cases left counts as finished, so that waiting lanes start their final quiet
 * window. Otherwise a waiting lane would end the run alone.
 */
const finalCases = 10;

/**
 * Tests a server.
 * @returns the events of the run, the last of which is `run-end`
 */
export function run(options: RunOptions): AsyncGenerator<RunEvent> {
  return eventQueue(async push => {
    const shrinker = new Shrinker();
    const recorder = new Recorder('server', options, push, shrinker);
    recorder.start(describeSubject(options.subject), options.revision);
    const bounds = new RunBounds(options, 'server');
    let unjudged: CouldNotJudge | undefined;
    let started = 0;
    for (const approach of [options, ...(options.further ?? [])]) {
      if (approach !== options) recorder.change(transportOf(approach), describeSubject(approach.subject));
      const runner = new Runner({ ...options, ...approach }, bounds, recorder, shrinker);
      const closed = await runner.run();
      unjudged ??= closed;
      started += runner.started;
    }
    recorder.end(transportOf(options.further?.at(-1) ?? options), started, unjudged, bounds.end());
  });
}

const transportOf = ({ subject, transport }: ServerTarget): TransportId =>
  transport ?? defaultTransport(subject);

class Runner {
  private readonly transport: TransportId;
  private readonly connections: ConnectionPool;
  private losses: Losses;
  /** Remaining parts of cases, to run at the end of their conversation. */
  private readonly unfinished = new WeakMap<Peer, (() => Promise<void>)[]>();
  private generation: Generation;
  /** See `unjudged` in the result of the negotiation. */
  private newerOffers: readonly string[] = [];
  private auth: AuthState = noAuth;
  /** Running lanes of the current revision. */
  private lanes = new LaneTracker(1);
  /** Lanes that wait until no other process runs, of a server that runs only once at a time. */
  private postponed: Lane[] = [];
  private isAlone = false;

  constructor(
    private readonly options: RunOptions,
    private readonly bounds: RunBounds,
    private readonly log: Recorder,
    private readonly shrinker: Shrinker,
  ) {
    const { runs = defaultRuns, path } = options;
    const isMemoryScarce = () => bounds.intake.isHalfFull;
    this.generation = { seed: this.log.seed, runs, ...(path !== undefined && { path }), isMemoryScarce };
    this.transport = transportOf(options);
    this.losses = new Losses(this.transport);
    this.connections = new ConnectionPool(
      options.subject,
      this.transport,
      this.log.history,
      bounds.timing,
      conversation => this.log.judge(conversation),
      bounds.intake,
    );
    this.connections.startsAhead = options.selected === undefined;
    bounds.timing.budget.onOver(() => this.connections.abandonAll());
  }

  /** Number of subject processes started so far. */
  get started(): number {
    return this.connections.started;
  }

  /** @returns the reason why nothing could be judged, if any */
  async run(): Promise<CouldNotJudge | undefined> {
    let unjudged: CouldNotJudge | undefined;
    try {
      const negotiation = new Negotiation(this.connections, this.log.history, this.options);
      const found = await negotiation.negotiate();
      const { revisions, offers, allOffers, first, listed, auth, accessDenied } = found;
      this.newerOffers = found.unjudged ?? [];
      this.auth = auth;
      this.bounds.intake.allowRevisions(revisions.length);
      for (const [at, revision] of revisions.entries()) {
        if (at > 0 && this.options.interrupt?.aborted) break;
        this.losses = new Losses(this.transport);
        if (at > 0) this.connections.resetTimeouts();
        const later = revisions.slice(at + 1);
        if (!first) {
          await this.runRevision(emptyProbe(this.connections.connect({ revision, case: 0 })), later);
          continue;
        }
        const opened = at === 0 ? first : await this.connections.open({ revision, case: 0 });
        const casting = { wellKnown: this.options.suite.wellKnown, own: this.options.ownTools };
        const { callTools = 'read-only' } = this.options;
        const earlier = { allOffers, listed: at === 0 ? listed : undefined };
        const probe = await discover(opened, callTools, offers, casting, earlier);
        if (at === 0) requireOwnTools(probe.known.tools, this.options.ownTools ?? {});
        await this.runRevision(probe, later);
      }
      unjudged = accessDenied;
    } catch (error) {
      if (!(error instanceof CouldNotJudge)) throw error;
      unjudged = this.bounds.reasonOf(error);
    } finally {
      await this.connections.end();
      await this.log.allEmitted;
    }
    return unjudged;
  }

  /** @param later revisions that the run judges after this one */
  private async runRevision(probe: Probe, later: readonly Revision[]): Promise<void> {
    const { revision, known } = probe;
    const { suite, fixtures, callTools } = this.options;
    const planned = plan(suite, {
      role: 'server',
      revision,
      transport: this.transport,
      capabilities: withNamed(probe.capabilities, this.options.extensions),
      peerCapabilities: probe.peer.era.capabilities(probe.peer),
      known,
      fixtures: fixtures ?? false,
      sessionless: probe.peer.isSessionless,
      own: this.options.ownTools ?? {},
      mayCall: callTools !== 'none',
      generated: this.generation.runs > 0,
      admission: this.auth,
      selected: selectionOf(this.options, 'server'),
    });
    const { info, capabilities } = probe;
    const { cases, requirements, notApplicable, withoutRole } = planned;
    const offers = [...known.offers, ...this.newerOffers];
    const facts = { info, capabilities, offers, planned: cases.length, requirements, notApplicable };
    const allOffers = known.allOffers?.then(all => all ?? offers);
    this.log.startRevision(revision, this.transport, facts, later, allOffers);
    const firstConversation = probe.peer.conversation.link;
    const numbers = await this.runCases(planned, probe);
    await this.log.allEmitted;
    await this.connections.allClosed();
    const conversations = [...this.log.history.conversations.values()].filter(
      c => c.link >= firstConversation && c.opened?.transport === this.transport,
    );
    this.log.judgeAcross(conversations);
    await this.shrinker.settle({
      ...this.setting(probe),
      timing: this.bounds.timing,
      patience: this.options.patience,
      history: this.log.history,
      rules: this.options.suite.rules,
      tell: findings => this.log.report(findings),
    });
    for (const number of numbers) this.log.noVacuousPass(number);
    this.log.recordFindings(notPlanned(requirements, withoutRole));
    this.log.endRevision();
  }

  /** One lane continues in the open conversation, the others open further ones. */
  private async runCases({ cases }: Plan, probe: Probe): Promise<number[]> {
    const numbers: number[] = [];
    const started = new Map<ServerCase, number>();
    const start = (planned: ServerCase): number =>
      entry(started, planned, () => {
        const number = this.log.startCase(planned);
        numbers.push(number);
        return number;
      });
    const ready = cases.filter(c => c.missing.length === 0);
    for (const planned of cases.filter(c => c.missing.length > 0)) {
      const number = start(planned);
      const reason = `declared by the options, but missing on the server: ${planned.missing.join(', ')}`;
      this.log.recordFindings(notRun(planned, number, reason));
      this.log.endCase(number);
    }
    // a session is cheaper than a process
    const cheap = 'url' in this.options.subject;
    // only the ids of requests distinguish the clients: a server with several may mix them up
    const apart = probe.peer.isSessionless;
    // concurrent requests do not make an in-process handler faster
    const spread = cheap && !apart && !('fetch' in this.options.subject) ? sessions.spread : undefined;
    this.generation = { ...this.generation, atOnce: spread?.generated ?? 1 };
    const [first, ...others] = schedule(ready, spread, !spread && probe.peer.conversation.isStateless);
    this.lanes = new LaneTracker([first, ...others].filter(({ cases }) => cases.length > 0).length);
    if (others.some(s => s.discoversRoles)) probe.roleDiscovery.reserve();
    const usual = cheap ? sessions.atOnce : Math.max(2, availableParallelism());
    const jobs = this.options.jobs ?? (apart ? 1 : usual);
    const certain = others.filter(lane => !lane.isLeftOpen && !mayOpenNone(lane));
    this.connections.expect(certain.length + openedIn(ready, probe.known));
    const lane = async () => {
      for (let next = others.shift(); next; next = others.shift()) await this.runLane(next, start, probe);
    };
    const shared = this.runLane(first, start, probe, probe.peer).finally(this.connections.endKeeping);
    if (apart) await shared;
    await Promise.all([shared, ...Array.from({ length: jobs }, lane)]);
    this.isAlone = true;
    for (let next = this.postponed.shift(); next; next = this.postponed.shift()) {
      this.lanes = new LaneTracker(1);
      await this.runLane(next, start, probe);
    }
    this.isAlone = false;
    return numbers;
  }

  /** Runs cases one after another; opens a conversation when no usable one is open. */
  private async runLane(
    lane: Lane,
    start: (planned: ServerCase) => number,
    probe: Probe,
    opened?: Peer,
  ): Promise<void> {
    const { cases, discoversRoles: isHost = false } = lane;
    let peer = opened ?? (lane.isLeftOpen ? await this.connections.takeLastKept() : undefined);
    const lastLeaving = cases.findLast(c => c.scenario.leavesOpen);
    const waits = cases.at(-1)?.scenario.isolation === 'slow';
    const farewell = cases.at(-finalCases) ?? cases[0];
    let isFinishing = false;
    const finishing = () => {
      if (!isFinishing) this.lanes.finish();
      isFinishing = true;
    };
    for (const [at, planned] of cases.entries()) {
      const number = start(planned);
      if (planned === farewell && !waits) finishing();
      if (peer && (peer.ended || peer.liveness.unresponsive || isLast(planned))) await this.finish(peer);
      if (peer && (peer.ended || peer.liveness.unresponsive)) {
        this.connections.close(peer);
        peer = undefined;
      }
      const instead = await this.insteadOfRun(planned, number, peer, probe);
      if (instead) this.log.recordFindings(instead);
      else {
        peer ??= await this.openFor(planned, number, probe);
        if (!(await this.runOn(planned, number, peer, probe, { isHost }))) {
          this.postponed.push({ ...lane, cases: cases.slice(at) });
          finishing();
          break;
        }
      }
      this.log.endCase(number);
      if (planned === lastLeaving) this.connections.endKeeping();
    }
    if (isHost) probe.roleDiscovery.finish();
    if (peer) {
      await this.finish(peer);
      this.connections.close(peer);
    }
    if (waits) finishing();
  }

  /** Findings of a case that is not run; undefined for a case that is. @param peer the conversation, if one is open */
  private async insteadOfRun(
    planned: ServerCase,
    number: number,
    peer: Peer | undefined,
    { roleDiscovery }: Probe,
  ): Promise<readonly Finding[] | undefined> {
    if (this.bounds.stopped !== undefined) return notRun(planned, number, this.bounds.stopped);
    if (peer) return undefined;
    if (this.losses.areTooMany) return notRun(planned, number, this.losses.inWords);
    const missing = await roleDiscovery.roleWithoutTool(planned.unresolvedRoles);
    return missing && withoutTool(planned, number, missing, roleDiscovery);
  }

  /** One quiet window for all cases of a conversation that need a quiet window. */
  private async finish(peer: Peer): Promise<void> {
    const rest = this.unfinished.get(peer) ?? [];
    this.unfinished.delete(peer);
    if (rest.length > 0) await peer.quietWindow();
    if (this.bounds.stopped === undefined) for (const afterwards of rest) await afterwards();
  }

  /** Opens another conversation, in the state that the case requires. */
  private async openFor(planned: ServerCase, number: number, probe: Probe, attempt = 1): Promise<Peer> {
    const { isolation, declares } = planned.scenario;
    if (this.isAlone) await this.connections.allClosed();
    const request = { revision: probe.revision, case: number, ...(attempt > 1 && { attempt }) };
    if (isolation === 'uninitialized') return this.connections.connect(request);
    return (await this.connections.open({ ...request, declares })).peer;
  }

  /**
   * Runs a case; a case that lost its process is repeated alone, to find the cause.
   * @returns false if the case needs a process while no other one runs
   */
  private async runOn(
    planned: ServerCase,
    number: number,
    peer: Peer,
    probe: Probe,
    { attempt = 1, isHost = false } = {},
  ): Promise<boolean> {
    const { history } = this.log;
    const { isolation } = planned.scenario;
    const goesOn = (isolation === 'shared' || isolation === 'slow') && attempt === 1;
    const { link } = peer.conversation;
    history.assign(link, number);
    await declareFor(planned, peer);
    const result = await this.runCase(planned, number, peer, probe, isHost);
    const { findings, lost, afterwards, portTaken } = result;
    if (this.bounds.stopped !== undefined) {
      this.log.recordFindings(notRun(planned, number, this.bounds.stopped));
      return true;
    }
    if (portTaken && !this.isAlone) {
      await this.connections.startOnlyOne();
      return goesOn && !peer.ended ? this.runOn(planned, number, peer, probe, { isHost }) : false;
    }
    if (afterwards && !lost) {
      const later = async () => {
        history.assign(link, number);
        this.log.recordFindings(await afterwards());
        if (goesOn) history.assign(link, 0);
      };
      this.unfinished.set(peer, [...(this.unfinished.get(peer) ?? []), later]);
    }
    if (goesOn) {
      const deadlines = peer.conversation.eventsOf('deadline');
      const unanswered = deadlines.some(d => d.case === number && d.label === 'answer');
      if (unanswered && !peer.ended) await peer.barrier();
      history.assign(link, 0);
    }
    if (goesOn || lost || peer.liveness.noTrafficSinceTimeout) this.losses.count(peer);
    if (!lost || attempt > 1) {
      this.log.recordFindings(findings);
      return true;
    }
    const other = await this.openFor(planned, number, probe, 2);
    const isDone = await this.runOn(planned, number, other, probe, { attempt: 2 });
    await this.finish(other);
    this.connections.close(other);
    return isDone;
  }

  private setting({ revision, known, roleDiscovery }: Probe): CaseSetting {
    const { connections, generation, auth, lanes } = this;
    return { connections, revision, known, roleDiscovery, lanes, generation, auth };
  }

  private async runCase(
    planned: ServerCase,
    number: number,
    peer: Peer,
    probe: Probe,
    isHost: boolean,
  ): Promise<CaseResult> {
    if (planned.scenario.isolation !== 'uninitialized' && !peer.declared) {
      const why = `no further conversation could be opened: ${describeFailure(peer)[0]}`;
      const portTaken = isPortTaken(peer.conversation);
      return { findings: notRun(planned, number, why), lost: peer.ended, portTaken, trials: undefined };
    }
    const result = await runCase(planned, number, peer, { ...this.setting(probe), discoversRoles: isHost });
    this.shrinker.note(number, planned, result.trials);
    if (result.trials?.cutShort) this.log.cutShort(planned);
    return result;
  }
}
