/** Runs the suite against a subject and tells what happens, event by event. */

import { availableParallelism } from 'node:os';
import type { Revision, TransportId } from '../spec/revisions.js';
import { notRun, runCase } from './case.js';
import { Channel } from './channel.js';
import { Dialer } from './dialer.js';
import type { Finding } from './finding.js';
import { type Conversation, History } from './history.js';
import { judgeConversation, judgeRun } from './judge.js';
import { type KnownEntry, KnownFailures } from './known-failing.js';
import { defaultTiming, type Timing } from './link.js';
import type { Peer } from './peer.js';
import { type Case, type Plan, plan, type Suite } from './plan.js';
import { type CallTools, lookAround, offered, type Probe, Unjudgeable } from './probe.js';
import type { OwnTools } from './roles.js';
import type { RevisionStart, RunEvent, RunStart } from './run-event.js';
import type { Subject } from './subject.js';
import { Summary } from './summary.js';
import { defaultTransport } from './transports/connector.js';
import { redactUrl } from './transports/http/headers.js';
import { toolVersion } from './version.js';

export interface RunOptions {
  readonly subject: Subject;
  readonly suite: Suite;
  /** Default: stdio for a command, streamable-http for a URL. */
  readonly transport?: TransportId;
  /** Default `latest`: the newest revision the subject offers. */
  readonly revision?: 'latest' | 'all' | Revision;
  /** Which cases to run, by full name; default: all. */
  readonly selected?: (caseName: string) => boolean;
  readonly strict?: boolean;
  /** The subject claims the well-known fixtures. */
  readonly fixtures?: boolean;
  /** Tools of the subject that play a role in scenarios. */
  readonly ownTools?: OwnTools;
  readonly callTools?: CallTools;
  readonly timing?: Timing;
  /** Conversations of their own that may run at once, beside the shared one. */
  readonly jobs?: number;
  readonly seed?: number;
  /** Failures that are expected. */
  readonly knownFailing?: readonly KnownEntry[];
  /** Options to repeat when a finding is replayed. */
  readonly options?: readonly string[];
}

/** After so many lost conversations nothing more is started, so that a broken subject ends in bounded time. */
const patience = { dead: 20, mute: 3 };

/**
 * Tests a server.
 * @returns the events of the run, the last of which is `run-end`
 */
export async function* run(options: RunOptions): AsyncGenerator<RunEvent> {
  const channel = new Channel<RunEvent>();
  const runner = new Runner(options, event => channel.push(event));
  void runner.run().then(
    () => channel.end(),
    (error: unknown) => channel.end({ error }),
  );
  yield* channel;
}

class Runner {
  private readonly began = performance.now();
  private readonly summary = new Summary();
  private readonly timing: Timing;
  private readonly transport: TransportId;
  private readonly history: History;
  private readonly dialer: Dialer;
  private readonly known: KnownFailures;
  private readonly judgedBy = new Map<number, Set<string>>();
  /** Full names of the cases, by number; 0 is the probe of the revision under way. */
  private readonly names = new Map<number, string>();
  /** When only some cases were asked for: every case there would be under the revisions that ran. */
  private readonly possible: string[] = [];
  /** Conversations that were over before it was known under which revision to judge. */
  private early: Conversation[] | undefined = [];
  private cases = 0;
  /** Conversations that died, and that fell silent. */
  private readonly lost = { dead: 0, mute: 0 };

  constructor(
    private readonly options: RunOptions,
    private readonly listener: (event: RunEvent) => void,
  ) {
    this.timing = options.timing ?? defaultTiming;
    this.known = new KnownFailures(options.knownFailing ?? []);
    this.history = new History(
      'server',
      () => performance.now() - this.began,
      event => this.emit({ kind: 'wire', event }),
    );
    this.transport = options.transport ?? defaultTransport(options.subject);
    this.dialer = new Dialer(options.subject, this.transport, this.history, this.timing, conversation =>
      this.judge(conversation),
    );
  }

  private emit(event: RunEvent): void {
    this.summary.add(event);
    this.listener(event);
  }

  private found(findings: Iterable<Finding>): void {
    for (const finding of findings) {
      const judged = this.judgedBy.get(finding.case) ?? new Set();
      this.judgedBy.set(finding.case, judged.add(finding.requirement));
      const reason = this.known.apply(finding, this.names.get(finding.case) ?? '');
      this.emit({ kind: 'finding', finding, ...(reason !== undefined && { knownFailing: reason }) });
    }
  }

  private judge(conversation: Conversation): void {
    if (this.early) this.early.push(conversation);
    else this.found(judgeConversation(conversation, this.options.suite.rules));
  }

  async run(): Promise<void> {
    this.emit(this.start());
    let unjudged: Unjudgeable | undefined;
    try {
      const { revisions, offers, first } = await offered(this.dialer, this.options.revision ?? 'latest');
      for (const revision of revisions) {
        const opened = revision === revisions[0] ? first : await this.dialer.open({ revision, case: 0 });
        const casting = { wellKnown: this.options.suite.wellKnown, own: this.options.ownTools };
        await this.runRevision(
          await lookAround(opened, this.options.callTools ?? 'read-only', offers, casting),
        );
      }
    } catch (error) {
      if (!(error instanceof Unjudgeable)) throw error;
      unjudged = error;
    } finally {
      await this.dialer.end();
    }
    if (this.early) this.judgeProbeOnly();
    this.end(unjudged);
  }

  private start(): RunStart {
    const { subject, seed, strict, fixtures, options } = this.options;
    return {
      kind: 'run-start',
      tool: { name: 'mcp-conform', version: toolVersion },
      role: 'server',
      subject: describeSubject(subject),
      startedAt: new Date().toISOString(),
      seed: seed ?? 0,
      strict: strict ?? false,
      fixtures: fixtures ?? false,
      ...(this.options.selected && { partial: true }),
      options: options ?? [],
    };
  }

  private end(unjudged: Unjudgeable | undefined): void {
    const stale = this.known.stale(this.names.values(), this.possible);
    const totals = {
      kind: 'run-end',
      durationMs: performance.now() - this.began,
      processesStarted: this.dialer.started,
      ...(unjudged && { unjudged: { reason: unjudged.message, details: unjudged.details } }),
      ...(stale.length > 0 && { stale }),
    } as const;
    this.emit({ ...totals, exitCode: this.summary.exitCodeAt(totals) });
  }

  /** Nothing can be planned, but what the subject did wrong until then is told. */
  private judgeProbeOnly(): void {
    const conversations = this.early ?? [];
    const wrong = conversations
      .flatMap(c => [...judgeConversation(c, this.options.suite.rules)])
      .filter(f => f.verdict === 'fail');
    const revision = conversations[0]?.revision;
    if (!revision || wrong.length === 0) return;
    this.startRevision(revision, { planned: 0 });
    this.found(wrong);
    this.emit({ kind: 'revision-end', revision: revision.id, transport: this.transport, durationMs: 0 });
  }

  private startRevision(revision: Revision, facts: Partial<RevisionStart>): void {
    this.names.set(0, `${revision.id}/${this.transport}/probe`);
    this.emit({
      kind: 'revision-start',
      revision: revision.id,
      transport: this.transport,
      info: null,
      capabilities: {},
      offers: [],
      planned: 0,
      requirements: [],
      notApplicable: [],
      ...facts,
    });
    const early = this.early ?? [];
    this.early = undefined;
    if (facts.planned !== 0 || facts.requirements) for (const conversation of early) this.judge(conversation);
  }

  private async runRevision(probe: Probe): Promise<void> {
    const began = performance.now();
    const { revision, known } = probe;
    const { suite, fixtures, callTools, selected } = this.options;
    const planned = plan(suite, {
      revision,
      transport: this.transport,
      capabilities: probe.capabilities,
      peerCapabilities: probe.peer.era.capabilities(probe.peer),
      known,
      fixtures: fixtures ?? false,
      own: this.options.ownTools ?? {},
      mayCall: callTools !== 'none',
      selected: selected ?? (() => true),
    });
    this.startRevision(revision, {
      info: probe.info,
      capabilities: probe.capabilities,
      offers: known.offers,
      planned: planned.cases.length,
      requirements: planned.requirements,
      notApplicable: planned.notApplicable,
    });
    // what does not apply to this subject cannot fail on it; what was left out on request might
    if (this.options.selected)
      this.possible.push(...suite.scenarios.map(s => `${revision.id}/${this.transport}/${s.name}`));
    const firstConversation = probe.peer.conversation.link;
    const numbered = await this.runCases(planned, probe);
    await this.dialer.allClosed();
    const conversations = [...this.history.conversations.values()].filter(
      c => c.link >= firstConversation && c.opened?.transport === this.transport,
    );
    this.found(judgeRun(conversations, suite.rules));
    for (const [number, planned] of numbered) this.noVacuousPass(planned, number);
    const durationMs = performance.now() - began;
    this.emit({ kind: 'revision-end', revision: revision.id, transport: this.transport, durationMs });
  }

  /** What a case cites and nothing judged is not passed but unclear. */
  private noVacuousPass(planned: Case, number: number): void {
    const judged = this.judgedBy.get(number);
    const idle = planned.verifies.filter(id => !judged?.has(id));
    this.found(
      notRun({ ...planned, verifies: idle }, number, 'the scenario did not exercise this requirement'),
    );
  }

  /** One lane shares a conversation, the others give each case its own. */
  private async runCases({ cases }: Plan, probe: Probe): Promise<Map<number, Case>> {
    const numbered = new Map<number, Case>();
    const start = (planned: Case): number => {
      const number = ++this.cases;
      numbered.set(number, planned);
      this.names.set(number, planned.name);
      this.emit({ kind: 'case-start', case: number, name: planned.name, title: planned.scenario.title });
      return number;
    };
    const ready = cases.filter(c => c.missing.length === 0);
    for (const planned of cases.filter(c => c.missing.length > 0)) {
      const number = start(planned);
      this.found(
        notRun(planned, number, `the server is said to have, but has no ${planned.missing.join(', ')}`),
      );
      this.emit({ kind: 'case-end', case: number, durationMs: 0 });
    }
    const own = ready.filter(c => c.scenario.isolation !== 'shared');
    const jobs = this.options.jobs ?? Math.max(2, availableParallelism());
    const lane = async () => {
      for (let next = own.shift(); next; next = own.shift()) await this.runAlone(next, start(next), probe);
    };
    await Promise.all([
      this.runShared(
        ready.filter(c => c.scenario.isolation === 'shared'),
        start,
        probe,
      ),
      ...Array.from({ length: jobs }, lane),
    ]);
    return numbered;
  }

  private async runShared(cases: Case[], start: (planned: Case) => number, probe: Probe): Promise<void> {
    let { peer } = probe;
    for (const planned of cases) {
      const number = start(planned);
      const began = performance.now();
      if (peer.ended || peer.silent) {
        this.dialer.close(peer);
        if (!this.givenUp) ({ peer } = await this.dialer.open({ revision: probe.revision, case: number }));
      }
      if (peer.ended || peer.silent || !peer.declared) this.found(notRun(planned, number, this.whyGivenUp));
      else await this.runOn(planned, number, peer, probe);
      this.emit({ kind: 'case-end', case: number, durationMs: performance.now() - began });
    }
    this.dialer.close(peer);
  }

  /** Runs a case in the shared conversation; one that lost its process is repeated alone to see whose fault it was. */
  private async runOn(planned: Case, number: number, peer: Peer, probe: Probe): Promise<void> {
    this.history.assign(peer.conversation.link, number);
    const { findings, lost } = await runCase(planned, number, peer, { ...probe, dialer: this.dialer });
    const unanswered = peer.conversation
      .eventsOf('deadline')
      .some(d => d.case === number && d.label === 'answer');
    if (unanswered && !peer.ended) await peer.barrier();
    this.history.assign(peer.conversation.link, 0);
    this.countLoss(peer);
    if (lost) await this.attempt(planned, number, probe, 2);
    else this.found(findings);
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

  private async runAlone(planned: Case, number: number, probe: Probe): Promise<void> {
    const began = performance.now();
    if (this.givenUp) this.found(notRun(planned, number, this.whyGivenUp));
    else await this.attempt(planned, number, probe, 1);
    this.emit({ kind: 'case-end', case: number, durationMs: performance.now() - began });
  }

  private async attempt(planned: Case, number: number, probe: Probe, attempt: number): Promise<void> {
    const { scenario } = planned;
    const request = { revision: probe.revision, case: number, ...(attempt > 1 && { attempt }) };
    const peer =
      scenario.isolation === 'raw'
        ? this.dialer.dial(request)
        : (await this.dialer.open({ ...request, declares: scenario.declares })).peer;
    const opened = scenario.isolation === 'raw' || peer.declared !== undefined;
    const result = opened
      ? await runCase(planned, number, peer, { ...probe, dialer: this.dialer })
      : {
          findings: notRun(planned, number, 'the server did not open another conversation'),
          lost: peer.ended,
        };
    if (result.lost || peer.isMute) this.countLoss(peer);
    this.dialer.close(peer);
    if (result.lost && attempt === 1) await this.attempt(planned, number, probe, 2);
    else this.found(result.findings);
  }
}

function describeSubject(subject: Subject): RunStart['subject'] {
  const process = 'url' in subject ? subject.process : subject;
  return {
    command: process?.command ?? null,
    url: 'url' in subject ? redactUrl(new URL(subject.url)) : null,
    ...(process && { cwd: process.cwd }),
  };
}
