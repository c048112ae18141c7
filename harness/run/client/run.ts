/** Runs the suite against a client and tells what happens, event by event. */

import { availableParallelism } from 'node:os';
import type { Revision, TransportId } from '../../../spec/revisions.js';
import { vocabularyOf } from '../../../spec/vocabulary.js';
import { eraOf } from '../../peer/eras/era.js';
import type { GetDocument } from '../../protected-server/server.js';
import type { Conversation } from '../../record/conversation.js';
import type { RunEvent } from '../../report/run-event.js';
import type { ClientScenario } from '../../scenario/client.js';
import type { ClientTask } from '../../scenario/client-task.js';
import type { Endpoint } from '../../subject/subject.js';
import { defaultTiming, type Timing } from '../../time/timing.js';
import { notRun } from '../case-findings.js';
import { Unjudgeable } from '../could-not-judge.js';
import { stream } from '../event-queue.js';
import { type Case, planClient } from '../plan.js';
import { type CommonOptions, RunLog } from '../recorder.js';
import { type ClientSetting, type ClientSittingResult, type PlayedCase, runClientStart } from './case.js';
import { type ClientProbe, probeClient } from './probe.js';
import { type ClientSitting, clientSittings, clientStarts, type Sittings } from './schedule.js';
import { type ClientSubject, places } from './subject.js';

export interface ClientRunOptions extends CommonOptions {
  readonly subject: ClientSubject;
  /** Default: stdio for a command with `{server}` in it, else streamable-http. */
  readonly transport?: TransportId;
  /** Default `latest`: the revision the client proposes; others are offered instead of it. */
  readonly revision?: 'latest' | 'all' | Revision;
  readonly timing?: Timing;
  /** Gets what a client publishes about itself; default: nothing outside this host is asked. */
  readonly getDocument?: GetDocument;
  /**
   * Starts of the client that may run at once. Default: two for each core, as they mostly wait; one more than there are cores
   * when each is for many cases.
   */
  readonly jobs?: number;
}

/** After so many starts in which the client hung or did not connect no more is started, nor after as many for which there was no time. */
const patience = 4;

const doesAsTold =
  'it does what the scenarios of the official suite say, whatever our end declares: whose wish that was is not to be seen';

/** After so many starts of several sittings in which the client came to grief, each of those that are left has its own. */
const mostGriefs = 3;

/**
 * Tests a client.
 * @returns the events of the run, the last of which is `run-end`
 */
export function runClient(options: ClientRunOptions): AsyncGenerator<RunEvent> {
  return stream(push => new ClientRunner(options, push).run());
}

export const defaultClientTransport = ({ command }: ClientSubject): TransportId =>
  command?.includes(places.server) ? 'stdio' : 'streamable-http';

class ClientRunner {
  private readonly log: RunLog;
  private readonly timing: Timing;
  private readonly transport: TransportId;
  private readonly setting: Omit<ClientSetting, 'revision' | 'honours' | 'patience' | 'scouts'>;
  private started = 0;
  private lost = 0;
  private starved = 0;
  private readonly numbers = new Map<Case, number>();

  constructor(
    private readonly options: ClientRunOptions,
    listener: (event: RunEvent) => void,
  ) {
    this.timing = options.timing ?? defaultTiming;
    this.log = new RunLog('client', options, listener);
    this.transport = options.transport ?? defaultClientTransport(options.subject);
    this.setting = {
      subject: this.counted(options.subject),
      transport: this.transport,
      history: this.log.history,
      timing: this.timing,
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
    this.log.start({ command: subject.command ?? null, url: null, cwd: subject.cwd });
    let unjudged: Unjudgeable | undefined;
    try {
      const probe = await probeClient(this.setting, revision, c => this.log.judge(c));
      for (const one of probe.revisions) await this.runRevision(one, probe);
    } catch (error) {
      if (!(error instanceof Unjudgeable)) throw error;
      unjudged = error;
    }
    this.log.end(this.transport, this.started, unjudged);
  }

  private async runRevision(revision: Revision, probe: ClientProbe): Promise<void> {
    const { info, capabilities, offers, honours, lingers, scouts, authorizes, official } = probe;
    [this.lost, this.starved] = [0, 0];
    const { cases, requirements, notApplicable } = planClient(this.options.suite, {
      role: 'client',
      revision,
      transport: this.transport,
      capabilities,
      peerCapabilities: eraOf(revision.era).capabilities({
        role: 'server',
        revision,
        vocabulary: vocabularyOf(revision),
      }),
      selected: this.options.selected ?? (() => true),
      authorizes: authorizes !== 'not',
    });
    this.log.startRevision(revision, this.transport, {
      info,
      capabilities,
      offers,
      planned: cases.length,
      requirements,
      notApplicable,
    });
    const { answer, exit, quiet } = this.timing;
    const grace = lingers ? exit : answer * 1.25 + quiet * 2;
    const setting = { ...this.setting, revision, honours, scouts, patience: grace };
    const { conversations, played } = await this.runAll(cases, setting, {
      getsIn: authorizes === 'completes',
      official,
    });
    this.log.judgeAcross(conversations);
    for (const { number, reason } of played)
      this.log.noVacuousPass(number, reason, honours ? 'inconclusive' : 'none');
    this.log.endRevision();
  }

  /** Several side by side: a client waits often. */
  private async runAll(
    cases: readonly Case<ClientScenario>[],
    setting: ClientSetting,
    skills: Skills,
  ): Promise<Done> {
    const sittings = clientSittings(cases, setting.honours);
    const shares = this.shares(setting);
    const cores = availableParallelism();
    const jobs = this.options.jobs ?? (shares ? cores + 1 : 2 * cores);
    const starts = shares ? clientStarts(sittings, jobs) : sittings.map(one => [one] as const);
    const waiting: Todo[] = starts.map(sittings => ({ sittings, griefs: 0 }));
    const done: Done = { conversations: [], played: [] };
    const lane = async () => {
      for (let next = waiting.shift(); next; next = waiting.shift())
        waiting.push(...(await this.runStart(next, setting, skills, done)));
    };
    await Promise.all(Array.from({ length: jobs }, lane));
    done.played.sort((a, b) => a.number - b.number);
    return done;
  }

  /** An end of ours in this process has no address that can be told. */
  private shares({ honours, transport, subject }: ClientSetting): boolean {
    return honours && !(transport === 'stdio' && subject.listen);
  }

  /** @returns what is left to do */
  private async runStart(
    { sittings, griefs }: Todo,
    setting: ClientSetting,
    skills: Skills,
    done: Done,
  ): Promise<Todo[]> {
    const [first, ...rest] = sittings.filter(sitting => !this.passesOver(sitting, skills, done));
    if (!first) return [];
    const left: ClientSitting[] = [];
    const { again, missed, declined } = await runClientStart(
      [first, ...rest],
      setting,
      planned => this.begin(planned),
      result => left.push(...this.take(result, done)),
    );
    const alone = (some: readonly ClientSitting[]) => some.map(one => ({ sittings: [one], griefs }) as Todo);
    const [next, ...others] = missed;
    // which of several it does not do is not known
    if (declined || griefs + 1 >= mostGriefs || !next) return alone([...left, ...again, ...missed]);
    return [...alone([...left, ...again]), { sittings: [next, ...others], griefs: griefs + 1 }];
  }

  /** Writes down what became of a sitting. @returns what is left of it: each is to be played alone */
  private take(
    { sitting, played, conversations, declined, lost, starved }: ClientSittingResult,
    done: Done,
  ): ClientSitting[] {
    const { log } = this;
    if (lost) this.lost++;
    if (starved) this.starved++;
    for (const conversation of conversations) log.judge(conversation);
    done.conversations.push(...conversations);
    // which of several it does not do is not known
    const counted = declined && sitting.length > 1 ? [] : played;
    for (const { number, findings, durationMs } of counted) {
      log.found(findings);
      log.endCase(number, { declined, durationMs });
    }
    if (!declined) done.played.push(...counted);
    return sitting.slice(counted.length).map(planned => [planned]);
  }

  /** Whether there is a reason not to play a sitting, which is told then. */
  private passesOver(sitting: ClientSitting, { getsIn, official }: Skills, done: Done): boolean {
    const bidden = official && sitting.some(({ scenario }) => scenario.unbidden);
    const why = bidden ? doesAsTold : this.whyNotStarted(sitting, getsIn);
    if (why === undefined) return false;
    for (const planned of sitting) {
      const number = this.begin(planned);
      if (!bidden) this.log.found(notRun(planned, number, why));
      this.log.endCase(number);
      done.played.push({ number, findings: [], reason: why, durationMs: 0 });
    }
    return true;
  }

  private whyNotStarted([{ scenario }]: ClientSitting, getsIn: boolean): string | undefined {
    const { protection } = scenario;
    if (this.lost >= patience) return `not run: the client hung or did not connect ${this.lost} times before`;
    if (this.starved >= patience)
      return `not run: the machine left the client no time ${this.starved} times before`;
    return protection && !protection.plain && !getsIn
      ? 'not run: the client does not get through the plainest flow there is'
      : undefined;
  }

  /** One that was begun in vain keeps its number. */
  private begin(planned: Case<ClientScenario>): number {
    const number = this.numbers.get(planned) ?? this.log.startCase(planned);
    this.numbers.set(planned, number);
    return number;
  }
}

/** What of a client decides which cases it is started for. */
interface Skills {
  /** It gets through the plainest flow of authorization. */
  readonly getsIn: boolean;
  /** It does what scenarios of the official suite say. */
  readonly official: boolean;
}

/** A start that is to come. */
interface Todo {
  readonly sittings: Sittings;
  /** How often a client came to grief in the start that these are left from. */
  readonly griefs: number;
}

/** What the starts of a client came to. */
interface Done {
  readonly conversations: Conversation[];
  readonly played: PlayedCase[];
}
