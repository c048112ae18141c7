/** Runs the suite against a subject and tells what happens, event by event. */

import { availableParallelism } from 'node:os';
import type { Revision, TransportId } from '../../../spec/revisions.js';
import { type Admission, type Credentials, openDoor } from '../../oauth/login.js';
import type { Peer } from '../../peer/peer.js';
import type { RunEvent, SubjectPlace } from '../../report/run-event.js';
import { defaultRuns, type Generation } from '../../scenario/generation.js';
import type { OwnTools } from '../../scenario/tool-roles.js';
import type { Subject } from '../../subject/subject.js';
import { defaultTiming, type Timing } from '../../time/timing.js';
import { defaultTransport } from '../../transports/connector.js';
import { redactUrl } from '../../transports/http/headers.js';
import { notRun } from '../case-findings.js';
import { Unjudgeable } from '../could-not-judge.js';
import { stream } from '../event-queue.js';
import { type Plan, plan, type ServerCase } from '../plan.js';
import { type CommonOptions, RunLog } from '../recorder.js';
import { type CaseResult, type CaseSetting, runCase } from './case.js';
import { Dialer } from './connections.js';
import { describeEnd } from './failure.js';
import { Company } from './idle-wait.js';
import { Entrance } from './negotiation.js';
import { type CallTools, lookAround, outsideOf, type Probe } from './probe.js';
import { type Sitting, sittings } from './schedule.js';
import { type Patience, Shrinker } from './shrink.js';

/** A server, and what it is spoken to over. */
export interface Approach {
  readonly subject: Subject;
  /** Default: stdio for a command, streamable-http for a URL. */
  readonly transport?: TransportId;
}

export interface RunOptions extends CommonOptions, Approach {
  /** The same server over further transports, one after the other. */
  readonly further?: readonly Approach[];
  /** Default `latest`: the newest revision the subject offers. */
  readonly revision?: 'latest' | 'all' | Revision;
  /** Tools of the subject that play a role in scenarios. */
  readonly ownTools?: OwnTools;
  readonly callTools?: CallTools;
  readonly timing?: Timing;
  /** How our end gets into a server that asks for authorization. */
  readonly credentials?: Credentials;
  /** Conversations of their own that may run at once, beside the shared one; default: one per core, over HTTP 8, or 1 without sessions. */
  readonly jobs?: number;
  /** What making the failures of generated values small may cost; default: some seconds and a few conversations. */
  readonly patience?: Patience;
}

/** Sessions over HTTP: how many run at once, beside the first one, and over how many the cases are spread that could share one. */
const sessions = { atOnce: 8, spread: { usual: 3, generated: 3 } };

/** After so many lost conversations of a revision nothing more of it is started, so that a broken subject ends in bounded time. */
const patience = { dead: 20, mute: 3 };

/**
 * Who has so few cases left to do is no company any more: what waits beside it has a window of silence to watch yet, and would
 * end the run alone.
 */
const lastCases = 10;

/**
 * Tests a server.
 * @returns the events of the run, the last of which is `run-end`
 */
export function run(options: RunOptions): AsyncGenerator<RunEvent> {
  return stream(async push => {
    const shrinker = new Shrinker();
    const log = new RunLog('server', options, push, shrinker);
    log.start(describeSubject(options.subject));
    let unjudged: Unjudgeable | undefined;
    let started = 0;
    for (const approach of [options, ...(options.further ?? [])]) {
      if (approach !== options) log.change(transportOf(approach), describeSubject(approach.subject));
      const runner = new Runner({ ...options, ...approach }, log, shrinker);
      const closed = await runner.run();
      unjudged ??= closed;
      started += runner.started;
    }
    log.end(transportOf(options.further?.at(-1) ?? options), started, unjudged);
  });
}

const transportOf = ({ subject, transport }: Approach): TransportId => transport ?? defaultTransport(subject);

class Runner {
  private readonly timing: Timing;
  private readonly transport: TransportId;
  private readonly dialer: Dialer;
  /** Conversations of the revision at hand that died, and that fell silent. */
  private lost = { dead: 0, mute: 0 };
  /** What cases have left to do at the end of their conversation. */
  private readonly unfinished = new WeakMap<Peer, (() => Promise<void>)[]>();
  private generation: Generation;
  private admission: Admission = openDoor;
  /** The conversations of the revision at hand that have something to do. */
  private company = new Company(1);

  constructor(
    private readonly options: RunOptions,
    private readonly log: RunLog,
    private readonly shrinker: Shrinker,
  ) {
    this.timing = options.timing ?? defaultTiming;
    const { runs = defaultRuns, path } = options;
    this.generation = { seed: this.log.seed, runs, ...(path !== undefined && { path }) };
    this.transport = transportOf(options);
    this.dialer = new Dialer(options.subject, this.transport, this.log.history, this.timing, conversation =>
      this.log.judge(conversation),
    );
  }

  /** Processes of the subject started so far. */
  get started(): number {
    return this.dialer.started;
  }

  /** @returns why nothing could be judged, when that is so */
  async run(): Promise<Unjudgeable | undefined> {
    let unjudged: Unjudgeable | undefined;
    try {
      const entrance = new Entrance(this.dialer, this.log.history, this.options);
      const { revisions, offers, first, listed, admission, locked } = await entrance.find();
      this.admission = admission;
      for (const revision of revisions) {
        this.lost = { dead: 0, mute: 0 };
        if (revision !== revisions[0]) this.dialer.forgive();
        if (!first) await this.runRevision(outsideOf(this.dialer.dial({ revision, case: 0 })));
        else {
          const isOpen = revision === revisions[0];
          const opened = isOpen ? first : await this.dialer.open({ revision, case: 0 });
          const casting = { wellKnown: this.options.suite.wellKnown, own: this.options.ownTools };
          const { callTools = 'read-only' } = this.options;
          await this.runRevision(
            await lookAround(opened, callTools, offers, casting, isOpen ? listed : undefined),
          );
        }
      }
      unjudged = locked;
    } catch (error) {
      if (!(error instanceof Unjudgeable)) throw error;
      unjudged = error;
    } finally {
      await this.dialer.end();
    }
    return unjudged;
  }

  private async runRevision(probe: Probe): Promise<void> {
    const { revision, known } = probe;
    const { suite, fixtures, callTools, selected } = this.options;
    const planned = plan(suite, {
      role: 'server',
      revision,
      transport: this.transport,
      capabilities: probe.capabilities,
      peerCapabilities: probe.peer.era.capabilities(probe.peer),
      known,
      fixtures: fixtures ?? false,
      own: this.options.ownTools ?? {},
      mayCall: callTools !== 'none',
      generated: this.generation.runs > 0,
      admission: this.admission,
      selected: selected ?? (() => true),
    });
    this.log.startRevision(revision, this.transport, {
      info: probe.info,
      capabilities: probe.capabilities,
      offers: known.offers,
      planned: planned.cases.length,
      requirements: planned.requirements,
      notApplicable: planned.notApplicable,
    });
    const firstConversation = probe.peer.conversation.link;
    const numbers = await this.runCases(planned, probe);
    await this.dialer.allClosed();
    const conversations = [...this.log.history.conversations.values()].filter(
      c => c.link >= firstConversation && c.opened?.transport === this.transport,
    );
    this.log.judgeAcross(conversations);
    await this.shrinker.settle({
      ...this.setting(probe),
      timing: this.timing,
      patience: this.options.patience,
      history: this.log.history,
      rules: this.options.suite.rules,
      tell: findings => this.log.tell(findings),
    });
    for (const number of numbers) this.log.noVacuousPass(number);
    this.log.endRevision();
  }

  /** One lane goes on in the conversation that is open, the others open more. */
  private async runCases({ cases }: Plan, probe: Probe): Promise<number[]> {
    const numbers: number[] = [];
    const start = (planned: ServerCase): number => {
      const number = this.log.startCase(planned);
      numbers.push(number);
      return number;
    };
    const ready = cases.filter(c => c.missing.length === 0);
    for (const planned of cases.filter(c => c.missing.length > 0)) {
      const number = start(planned);
      this.log.found(
        notRun(planned, number, `the server is said to have, but has no ${planned.missing.join(', ')}`),
      );
      this.log.endCase(number);
    }
    // a session costs less than a process
    const cheap = 'url' in this.options.subject;
    // clients are told apart by nothing but the ids of their requests: who shares a server may mix them up
    const apart = probe.peer.standsAlone;
    // a handler in this process is no faster for being asked by several
    const spread = cheap && !apart && !('fetch' in this.options.subject) ? sessions.spread : undefined;
    this.generation = { ...this.generation, atOnce: spread?.generated ?? 1 };
    const [first, ...others] = sittings(ready, spread);
    this.company = new Company([first, ...others].filter(({ cases }) => cases.length > 0).length);
    if (others.some(s => s.isHost)) probe.auditions.announce();
    const usual = cheap ? sessions.atOnce : Math.max(2, availableParallelism());
    const jobs = this.options.jobs ?? (apart ? 1 : usual);
    const lane = async () => {
      for (let next = others.shift(); next; next = others.shift()) await this.sit(next, start, probe);
    };
    const shared = this.sit(first, start, probe, probe.peer);
    if (apart) await shared;
    await Promise.all([shared, ...Array.from({ length: jobs }, lane)]);
    return numbers;
  }

  /** Runs cases one after another, in a conversation that is opened when there is none that can be used. */
  private async sit(
    { cases, isHost = false }: Sitting,
    start: (planned: ServerCase) => number,
    probe: Probe,
    opened?: Peer,
  ): Promise<void> {
    let peer = opened;
    const last = cases.at(-1);
    const waits = last?.scenario.isolation === 'aside';
    const farewell = cases.at(-lastCases) ?? cases[0];
    for (const planned of cases) {
      const number = start(planned);
      if (planned === farewell && !waits) this.company.leave();
      if (peer && (peer.ended || peer.silent || planned.scenario.isolation === 'last'))
        await this.finish(peer);
      if (peer && (peer.ended || peer.silent)) {
        this.dialer.close(peer);
        peer = undefined;
      }
      if (!peer && this.givenUp) this.log.found(notRun(planned, number, this.whyGivenUp));
      else {
        peer ??= await this.converse(planned, number, probe);
        await this.runOn(planned, number, peer, probe, { isHost });
      }
      this.log.endCase(number);
    }
    if (isHost) probe.auditions.close();
    if (peer) {
      await this.finish(peer);
      this.dialer.close(peer);
    }
    if (waits) this.company.leave();
  }

  /** One window of silence for all the cases of a conversation that want one. */
  private async finish(peer: Peer): Promise<void> {
    const rest = this.unfinished.get(peer) ?? [];
    this.unfinished.delete(peer);
    if (rest.length > 0) await peer.quiet();
    for (const afterwards of rest) await afterwards();
  }

  /** Another conversation, as a case wants it. */
  private async converse(planned: ServerCase, number: number, probe: Probe, attempt = 1): Promise<Peer> {
    const { isolation, declares } = planned.scenario;
    const request = { revision: probe.revision, case: number, ...(attempt > 1 && { attempt }) };
    if (isolation === 'raw') return this.dialer.dial(request);
    return (await this.dialer.open({ ...request, declares })).peer;
  }

  /** Runs a case; one that lost its process is repeated alone to see whose fault it was. */
  private async runOn(
    planned: ServerCase,
    number: number,
    peer: Peer,
    probe: Probe,
    { attempt = 1, isHost = false } = {},
  ): Promise<void> {
    const { history } = this.log;
    const { isolation } = planned.scenario;
    const goesOn = (isolation === 'shared' || isolation === 'aside') && attempt === 1;
    const { link } = peer.conversation;
    history.assign(link, number);
    const { findings, lost, afterwards } = await this.runCase(planned, number, peer, probe, isHost);
    if (afterwards && !lost) {
      const later = async () => {
        history.assign(link, number);
        this.log.found(await afterwards());
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
    if (goesOn || lost || peer.isMute) this.countLoss(peer);
    if (!lost || attempt > 1) return this.log.found(findings);
    const other = await this.converse(planned, number, probe, 2);
    await this.runOn(planned, number, other, probe, { attempt: 2 });
    await this.finish(other);
    this.dialer.close(other);
  }

  private setting({ revision, known, auditions }: Probe): CaseSetting {
    const { dialer, generation, admission, company } = this;
    return { dialer, revision, known, auditions, company, generation, admission };
  }

  private async runCase(
    planned: ServerCase,
    number: number,
    peer: Peer,
    probe: Probe,
    isHost: boolean,
  ): Promise<CaseResult> {
    if (planned.scenario.isolation !== 'raw' && !peer.declared) {
      const why = `there is no further conversation: ${describeEnd(peer)[0]}`;
      return { findings: notRun(planned, number, why), lost: peer.ended, trials: undefined };
    }
    const result = await runCase(planned, number, peer, { ...this.setting(probe), isHost });
    this.shrinker.note(number, planned, result.trials);
    if (result.trials?.cutShort) this.log.cutShort(planned);
    return result;
  }

  private get givenUp(): boolean {
    return this.lost.dead > patience.dead || this.lost.mute > patience.mute;
  }

  private get whyGivenUp(): string {
    const { dead, mute } = this.lost;
    return `not run: the server died ${dead} times and fell silent ${mute} times before`;
  }

  private countLoss(peer: Peer): void {
    if (peer.ended) this.lost.dead++;
    else if (peer.silent || peer.isMute) this.lost.mute++;
  }
}

function describeSubject(subject: Subject): SubjectPlace {
  const process = 'url' in subject ? subject.process : subject;
  return {
    command: process?.command ?? null,
    url: 'url' in subject ? redactUrl(new URL(subject.url)) : null,
    ...(process && { cwd: process.cwd }),
  };
}
