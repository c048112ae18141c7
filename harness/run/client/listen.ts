/**
 * Listen mode: waits for connections, serves each client as a conforming server does, and judges the client.
 * For clients that the harness cannot start.
 */

import { findRevision, latestRevision, type Revision, type TransportId } from '../../../spec/revisions.js';
import { vocabularyOf } from '../../../spec/vocabulary.js';
import type { Finding } from '../../judge/finding.js';
import { judgeConversation } from '../../judge/judge.js';
import { eraOf } from '../../peer/eras/index.js';
import { Peer } from '../../peer/peer.js';
import type { Conversation } from '../../record/conversation.js';
import { discoveryMethod } from '../../record/envelope.js';
import { infoOf, introductionIn } from '../../record/introduction.js';
import type { Tap } from '../../record/tap.js';
import type { RunEvent } from '../../report/run-event.js';
import { serve } from '../../scenario/serve.js';
import { defaultTiming, type Timing } from '../../time/timing.js';
import type { Address, Link, Listener } from '../../transports/link.js';
import { listen } from '../../transports/listener.js';
import { CouldNotJudge } from '../could-not-judge.js';
import { eventQueue } from '../event-queue.js';
import { planClient } from '../plan.js';
import { type CommonOptions, Recorder } from '../recorder.js';

/** Notifications about clients while they are connected. */
export interface ConnectionObserver {
  /** The addresses of the harness are known. */
  waiting(addresses: ReadonlyMap<TransportId, Address>): void;
  /** The handshake of a conversation is complete. */
  arrived(conversation: Conversation): void;
  /** Requirements have their first verdict in a conversation, or their first failure. */
  judged(findings: readonly Finding[], conversation: Conversation): void;
  /**
   * A conversation is over without an initialize request that can be read. @param opening the first input of
   * the client
   */
  unopened(conversation: Conversation, opening: string): void;
  /** A conversation is over. @param open the requirements without a verdict so far, in any conversation */
  left(conversation: Conversation, open: readonly string[]): void;
}

export interface ListenOptions extends CommonOptions {
  /** Default: all. */
  readonly transports?: readonly TransportId[];
  /** The revision that the harness agrees to; default: the one a client proposes. */
  readonly revision?: Revision;
  readonly timing?: Timing;
  /** Ends listen mode. */
  readonly until: AbortSignal;
  readonly observer: ConnectionObserver;
}

/**
 * Judges all connections until the signal aborts.
 * @returns the events of the run, the last of which is `run-end`
 */
export function runListen(options: ListenOptions): AsyncGenerator<RunEvent> {
  return eventQueue(push => new ListenRun(options, push).run());
}

/**
 * Whether a client sent input, but no initialize request that can be read. A client of a newer era may ask
 * first whether the server is of its era.
 */
const isUnopened = (conversation: Conversation): boolean =>
  !isOpened(conversation) && inputOf(conversation).length > 0 && !probesEra(conversation);

/** Whether a client began a session, or sent a request with an envelope. */
const isOpened = (conversation: Conversation): boolean => introductionIn(conversation) !== undefined;

const probesEra = (conversation: Conversation): boolean => {
  const sent = conversation.sent('subject');
  return sent.length > 0 && sent.every(({ method }) => method === discoveryMethod);
};

/** Frames, and bodies of POST requests that hold no message. */
const inputOf = (conversation: Conversation): string[] => [
  ...conversation.frames('subject').map(({ text }) => text),
  ...conversation.http().flatMap(({ requestBody }) => requestBody ?? []),
];

/** The first input of a client, shortened. */
const openingOf = (conversation: Conversation): string => {
  const [text = ''] = inputOf(conversation);
  return text.length > 200 ? `${text.slice(0, 200)} …` : text;
};

/** Milliseconds between a message and the check of its conversation. */
const lookAfter = 100;

class ListenRun {
  private readonly log: Recorder;
  private readonly timing: Timing;
  private readonly transports: readonly TransportId[];
  private readonly conversations: Conversation[] = [];
  /** Reported verdicts of each conversation. */
  private readonly reported = new Map<Conversation, Map<string, string>>();
  /** Pending checks of conversations. */
  private readonly pendingChecks = new Map<Conversation, NodeJS.Timeout>();

  constructor(
    private readonly options: ListenOptions,
    listener: (event: RunEvent) => void,
  ) {
    this.timing = options.timing ?? defaultTiming;
    this.log = new Recorder('client', options, listener);
    this.transports = options.transports ?? ['streamable-http', 'http-sse', 'stdio'];
  }

  async run(): Promise<void> {
    const { until, observer } = this.options;
    this.log.start({ command: null, url: null });
    const listeners = await Promise.all(this.transports.map(transport => this.listen(transport)));
    observer.waiting(new Map(listeners.map(l => [l.transport, l.address])));
    await new Promise<void>(resolve => {
      if (until.aborted) resolve();
      until.addEventListener('abort', () => resolve(), { once: true });
    });
    await Promise.all(listeners.map(listener => listener.close()));
    for (const conversation of [...this.pendingChecks.keys()]) this.check(conversation);
    const spoken = this.conversations.filter(isOpened);
    const unopened = this.conversations.filter(isUnopened);
    // rules about single messages apply without a handshake too
    this.judge([...spoken, ...unopened]);
    this.log.end(this.transports[0]!, 0, this.whyUnjudged(spoken.length, unopened));
  }

  private whyUnjudged(spoken: number, unopened: readonly Conversation[]): CouldNotJudge | undefined {
    const details = unopened.map(c => `${c.transport}: ${openingOf(c)}`);
    if (spoken === 0)
      return new CouldNotJudge(
        this.conversations.length > 0
          ? 'No client sent an initialize request, or a request with an envelope.'
          : 'No client connected.',
        details,
      );
    if (unopened.length === 0) return undefined;
    const who = unopened.length === 1 ? 'One connection' : `${unopened.length} connections`;
    return new CouldNotJudge(`${who} brought messages, but no initialize request that can be read.`, details);
  }

  private async listen(transport: TransportId): Promise<Listener> {
    const { history } = this.log;
    const { revision } = this.options;
    /** Links without a message. */
    const silent = new Map<Conversation, Link>();
    const newLink = (spoken: TransportId) => {
      const conversation = history.conversation(
        history.newLink(spoken, this.options.revision ?? latestRevision),
      );
      const tap: Tap = event => {
        const unplanned = event.kind === 'open' && !revision && { unplanned: true as const };
        const { messages } = history.record(conversation.link, { ...event, ...unplanned });
        if (messages.length === 0) return messages;
        const link = silent.get(conversation);
        if (link) this.serve(link, tap, conversation);
        silent.delete(conversation);
        this.checkSoon(conversation);
        return messages;
      };
      return { tap, conversation };
    };
    const { timing } = this;
    const stateless = revision ? revision.era === 'modern' : 'either';
    const listener = await listen(transport, { newLink, timing, stateless });
    listener.onLink((link, conversation) => {
      this.conversations.push(conversation);
      silent.set(conversation, link);
      link.onEnd(() => this.leave(conversation));
    });
    return listener;
  }

  /** Serves a client whose first message has arrived: the message shows the era. */
  private serve(link: Link, tap: Tap, conversation: Conversation): void {
    const { revision, suite } = this.options;
    const { timing } = this;
    const peer = new Peer({ link, tap, conversation, revision: conversation.revision, timing });
    void peer.era.accept(peer, revision ? { revision } : {});
    serve(peer, suite.world ?? {});
  }

  private checkSoon(conversation: Conversation): void {
    if (this.pendingChecks.has(conversation)) return;
    this.pendingChecks.set(
      conversation,
      setTimeout(() => this.check(conversation), lookAfter),
    );
  }

  private check(conversation: Conversation): void {
    clearTimeout(this.pendingChecks.get(conversation));
    this.pendingChecks.delete(conversation);
    const { observer, suite } = this.options;
    if (!introductionIn(conversation)?.reply) return;
    if (!this.reported.has(conversation)) {
      this.reported.set(conversation, new Map());
      observer.arrived(conversation);
    }
    const told = this.reported.get(conversation)!;
    const fresh: Finding[] = [];
    for (const finding of judgeConversation(conversation, suite.rules)) {
      const { requirement, verdict } = finding;
      if (verdict === 'none' || told.get(requirement) === 'fail') continue;
      if (told.has(requirement) && verdict !== 'fail') continue;
      told.set(requirement, verdict);
      fresh.push(finding);
    }
    if (fresh.length > 0) observer.judged(fresh, conversation);
  }

  private leave(conversation: Conversation): void {
    this.check(conversation);
    if (isUnopened(conversation)) this.options.observer.unopened(conversation, openingOf(conversation));
    if (!this.reported.has(conversation)) return;
    const seen = new Set([...this.reported.values()].flatMap(told => [...told.keys()]));
    const open = this.requirements([conversation]).requirements.filter(id => !seen.has(id));
    this.options.observer.left(conversation, open);
  }

  private requirements(conversations: readonly Conversation[]) {
    const { revision, transport } = conversations[0]!;
    const capabilities = Object.assign({}, ...conversations.map(c => c.capabilities('client') ?? {}));
    const vocabulary = vocabularyOf(revision);
    const { requirements, notApplicable } = planClient(
      // without a script only rules can judge
      { ...this.options.suite, scenarios: [] },
      {
        role: 'client',
        revision,
        transport,
        capabilities,
        peerCapabilities: eraOf(revision.era).capabilities({ role: 'server', revision, vocabulary }),
        selected: () => true,
      },
    );
    return { capabilities, requirements, notApplicable };
  }

  /** Grouped by revision and transport, as in other runs. */
  private judge(conversations: readonly Conversation[]): void {
    const groups = new Map<string, Conversation[]>();
    for (const conversation of conversations) {
      const key = `${conversation.revision.id} ${conversation.transport}`;
      groups.set(key, [...(groups.get(key) ?? []), conversation]);
    }
    for (const group of groups.values()) {
      const { revision, transport } = group[0]!;
      const { capabilities, requirements, notApplicable } = this.requirements(group);
      const offers = group.flatMap(c =>
        c.isStateless
          ? c.revision.id
          : (findRevision(c.handshake?.request.params?.protocolVersion)?.id ?? []),
      );
      this.log.startRevision(revision, transport, {
        info: infoOf(group[0]!, 'client') ?? null,
        capabilities,
        offers: [...new Set(offers)],
        requirements,
        notApplicable,
      });
      for (const conversation of group) this.log.judge(conversation);
      this.log.judgeAcross(group);
      this.log.endRevision();
    }
  }
}
