/** Requests of the harness that wait for a response: their ids, their timeouts, and the reply that ends each wait. */

import type { Json, JsonObject, RequestId } from '../../spec/json-rpc.js';
import type { Conversation } from '../record/conversation.js';
import { looseMatch } from '../record/correlation.js';
import { discoveryMethod } from '../record/envelope.js';
import type { Deadline } from '../record/event.js';
import { handshakeMethods } from '../record/handshake.js';
import { type Exchange, idKey, type Message } from '../record/message.js';
import type { Tap } from '../record/tap.js';
import type { Overdue } from '../time/clock.js';
import type { Timing } from '../time/timing.js';
import type { Link } from '../transports/link.js';
import type { Waits } from './waits.js';

/**
 * Numbers of requests without a response, for kinds of requests that are frequent: later ones get a shorter
 * timeout than the first.
 */
export interface UnansweredCounts {
  /** Tool calls, which may hang. */
  calls: number;
  /** Requests with generated values. */
  values?: number;
  /** Subscriptions without any message, and expected notifications that did not arrive. */
  listens?: number;
  notices?: number;
  /** The longest time (ms) from the first request to a process until the response. */
  longestStart?: number;
  /** Requests without a response by method, as long as the method has had no response at all; then `answered`. */
  readonly methods?: Map<string, number | 'answered'>;
}

/** Number of calls, and of generated values, that get the full timeout. */
const patience = { calls: 3, values: 1 };

/** Methods that say whether the subject is alive: a short wait would show nothing. */
const signsOfLife: ReadonlySet<string> = new Set([handshakeMethods.request, discoveryMethod, 'ping']);

/** A process that starts gets at least this many times the longest start so far. */
const startPatience = 3;

/** Stands for all methods that a client cannot send in the revision: a server that drops one request of this kind drops the others. */
const unknownMethods = '(unknown)';

interface PendingReply {
  readonly request: Message;
  /** Time of the last response to an earlier request. */
  turnBegan?: number;
  resolve(reply: Message | undefined): void;
}

interface PendingTarget {
  readonly link: Link;
  readonly tap: Tap;
  readonly conversation: Conversation;
  readonly timing: Timing;
  readonly waits: Waits;
  /** Shared by all conversations with a subject. */
  readonly unanswered: UnansweredCounts;
}

export class PendingRequests {
  /** True while generated values are sent: one value without a response may mean hundreds. */
  generating = false;
  private readonly waiting = new Map<string, PendingReply>();
  /** Ids of all requests so far; an id is used only once. */
  private readonly usedIds = new Set<Json>();
  private lastId = 0;

  constructor(private readonly target: PendingTarget) {
    target.link.onUnanswerable?.(request => {
      const waiting = this.waiting.get(idKey(request.id));
      if (waiting?.request === request) waiting.resolve(undefined);
    });
  }

  nextId(): number {
    do this.lastId++;
    while (this.usedIds.has(this.lastId));
    return this.lastId;
  }

  /** Whether the id is unused so far. */
  isFresh(id: RequestId): boolean {
    return !this.usedIds.has(id);
  }

  use({ id }: JsonObject): void {
    this.usedIds.add(id!);
  }

  /**
   * Makes all ids unused again: for unjudged conversations, in which the same value is sent again with each
   * change.
   */
  forgetIds(): void {
    this.usedIds.clear();
  }

  /** Stops waiting for the response to a request. */
  stopWaiting({ id }: Message): void {
    this.waiting.get(idKey(id))?.resolve(undefined);
  }

  /** Ends all waits. */
  end(): void {
    for (const { resolve } of this.waiting.values()) resolve(undefined);
  }

  /** Waits without a limit for the response to a request that stays open. */
  untilReply(request: Message): Promise<Exchange> {
    if (this.target.waits.ended) return Promise.resolve({ request, reply: undefined, deadline: undefined });
    const key = idKey(request.id);
    return new Promise(resolve => {
      this.waiting.set(key, {
        request,
        resolve: reply => {
          this.waiting.delete(key);
          resolve({ request, reply, deadline: undefined });
        },
      });
    });
  }

  /** @param times factor of the timeout; a promise: the timeout begins when it is known */
  async awaitReply(request: Message, times: number | Promise<number> = 1): Promise<Exchange> {
    const { link, tap, conversation, waits, unanswered } = this.target;
    let reply: Message | undefined;
    let deadline: Deadline | undefined;
    if (!waits.ended) {
      const key = idKey(request.id);
      let settle: (reply: Message | undefined) => void = () => {};
      const replied = new Promise<void>(resolve => {
        settle = message => {
          // only the first message ends the wait: another one with an invalid id may arrive in the same chunk
          if (!this.forget(key, settle)) return;
          reply = message;
          resolve();
        };
      });
      const waiting: PendingReply = { request, resolve: settle };
      this.waiting.set(key, waiting);
      const factor = typeof times === 'number' ? times : await Promise.race([replied.then(() => 1), times]);
      const isCall = request.method === 'tools/call';
      const { generating } = this;
      const { values: unansweredValues = 0 } = unanswered;
      const silences = this.silencesOf(request);
      const hurried = silences > 0 || this.isHurried(isCall);
      const isStart = link.transport === 'stdio' && conversation.frames('subject').length === 0;
      const began = performance.now();
      const usual = this.timeoutMs(hurried, silences);
      const ms = isStart && hurried ? Math.max(usual, this.startMs()) : usual;
      const late = await this.overdue(waiting, replied, ms * factor, hurried);
      waits.countLate(began, late, hurried);
      if (isStart && reply)
        unanswered.longestStart = Math.max(unanswered.longestStart ?? 0, performance.now() - began);
      this.forget(key, settle);
      if (reply || (late && !late.starved)) this.note(request, reply !== undefined);
      if (late) {
        if (isCall) unanswered.calls++;
        if (generating) unanswered.values = unansweredValues + 1;
        const id = request.id as RequestId;
        tap({ kind: 'deadline', label: 'answer', ...late, request: id, ...(hurried && { hurried }) });
        deadline = conversation.eventsOf('deadline').at(-1);
      }
    }
    return { request, reply, deadline };
  }

  /** A server may serve one request at a time: the time for a response begins with the response to the request before it. */
  private async overdue(
    waiting: PendingReply,
    replied: Promise<void>,
    ms: number,
    hurried: boolean,
  ): Promise<Overdue | undefined> {
    const { clock } = this.target.link;
    let late = await clock.waitAtMost(replied, ms);
    while (late && !late.starved && !hurried && waiting.turnBegan !== undefined) {
      const left = waiting.turnBegan + ms - performance.now();
      if (left <= 0) break;
      late = await clock.waitAtMost(replied, left);
    }
    return late && { ...late, ms };
  }

  /** Ends a wait. @returns false when it has ended before */
  private forget(key: string, resolve: PendingReply['resolve']): boolean {
    return this.waiting.get(key)?.resolve === resolve && this.waiting.delete(key);
  }

  private isHurried(isCall: boolean): boolean {
    const { unanswered, timing } = this.target;
    return (
      (isCall && unanswered.calls >= patience.calls) ||
      (this.generating && (unanswered.values ?? 0) >= patience.values) ||
      timing.budget?.isHurried === true
    );
  }

  /** How often a method without any response so far had none; the methods that no revision defines count together too. */
  private silencesOf(request: Message): number {
    const { methods } = this.target.unanswered;
    const counts = this.kindsOf(request).map(kind => methods?.get(kind) ?? 0);
    return Math.max(...counts.map(count => (count === 'answered' ? 0 : count)));
  }

  private note(request: Message, isAnswered: boolean): void {
    const { methods } = this.target.unanswered;
    const { method = '' } = request;
    if (!methods || signsOfLife.has(method) || method === 'tools/call') return;
    for (const kind of this.kindsOf(request)) {
      const count = methods.get(kind) ?? 0;
      if (count !== 'answered') methods.set(kind, isAnswered ? 'answered' : count + 1);
    }
  }

  private kindsOf(request: Message): readonly string[] {
    const { method = '' } = request;
    const { requests } = this.target.conversation.vocabularyFor(request);
    return requests.client.has(method) ? [method] : [method, unknownMethods];
  }

  /** @param silences see `silencesOf`: a method that is never answered takes a full wait, a short one, and then very short ones */
  private timeoutMs(hurried: boolean, silences: number): number {
    const { answer, quiet } = this.target.timing;
    if (silences > 0) return silences > 1 ? Math.max(answer / 100, quiet) : Math.max(answer / 10, quiet * 5);
    return hurried ? Math.max(answer / (this.generating ? 10 : 5), quiet * 10) : answer;
  }

  /** The time for a process that has sent nothing yet: it may still be starting, also where waits have to be short. */
  private startMs(): number {
    const { timing, unanswered } = this.target;
    return Math.min(Math.ceil((unanswered.longestStart ?? 0) * startPatience), timing.answer);
  }

  /** Ends the wait for a response that has arrived. */
  settle(reply: Message): void {
    const { conversation } = this.target;
    const asked = conversation.requestOf(reply);
    // a second response to a request shows no progress
    if (asked && conversation.repliesTo(asked).length === 1)
      for (const later of this.waiting.values())
        if (later.request.seq > asked.seq) later.turnBegan = performance.now();
    const waiting = asked ? this.waitingFor(asked) : this.waitingForUnmatched(reply);
    waiting?.resolve(reply);
  }

  private waitingFor(request: Message): PendingReply | undefined {
    return [...this.waiting.values()].find(w => w.request === request);
  }

  /** The wait that a reply without a request ends, if its id matches by its text only. */
  private waitingForUnmatched(reply: Message): PendingReply | undefined {
    if (this.target.conversation.answersNonMessage(reply)) return undefined;
    const meant = looseMatch(
      reply,
      [...this.waiting.values()].map(w => w.request),
    );
    return meant && this.waitingFor(meant);
  }
}
