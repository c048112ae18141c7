/** Requests of the subject that are answered when a scenario says so, not at once. */

import type { JsonObject } from '../../spec/json-rpc.js';
import type { Message } from '../record/message.js';

/** Ends a scenario: the subject gave no occasion for what it is about. What it cites stays unobserved, for this reason. */
export class NotObserved extends Error {}

/** A request that waits for its answer. The first of the four ways to deal with it counts. */
export interface Deferred {
  readonly request: Message;
  readonly params: JsonObject;
  /** `deliberate`: the answer breaks a rule on purpose. */
  answer(result: JsonObject, options?: { deliberate?: boolean }): void;
  refuse(code: number, message: string): void;
  /** Lets it be answered in the ordinary way. */
  release(): void;
  /** Leaves it without an answer for ever. */
  neverAnswer(): void;
}

export interface DeferredTarget {
  reply(request: Message, body: JsonObject, options?: { deliberate?: boolean }): void;
  /** Answers as if it had never been held. */
  handlerWithoutHold(request: Message): void;
}

type Waiter = (held: Deferred | undefined) => void;

export class DeferredRequests {
  private readonly open = new Set<Deferred>();
  private readonly unclaimed = new Map<string, Deferred[]>();
  private readonly waiters = new Map<string, Waiter[]>();
  private readonly claimed: Deferred[] = [];
  private over = false;
  private passed = false;
  private released = false;

  constructor(private readonly replying: DeferredTarget) {}

  /** The last request that was taken and is still open. */
  get current(): Message | undefined {
    return this.claimed.findLast(deferred => this.open.has(deferred))?.request;
  }

  add(method: string, request: Message): void {
    const deferred = this.make(request);
    this.open.add(deferred);
    const taker = this.waiters.get(method)?.shift();
    if (this.released) deferred.release();
    else if (taker) taker(deferred);
    else this.unclaimed.set(method, [...(this.unclaimed.get(method) ?? []), deferred]);
  }

  private make(request: Message): Deferred {
    const { replying } = this;
    const settle = (act: () => void) => {
      if (this.open.delete(deferred)) act();
    };
    const deferred: Deferred = {
      request,
      params: request.params ?? {},
      answer: (result, options) => settle(() => replying.reply(request, { result }, options)),
      refuse: (code, message) => settle(() => replying.reply(request, { error: { code, message } })),
      release: () => settle(() => replying.handlerWithoutHold(request)),
      neverAnswer: () => settle(() => {}),
    };
    return deferred;
  }

  /**
   * The next request of a method that is held, seen or to come.
   * @throws {NotObserved} when none can come any more
   */
  async next(method: string): Promise<Deferred> {
    const waiting = this.unclaimed.get(method)?.shift();
    const held =
      waiting ??
      (await new Promise<Deferred | undefined>(resolve => {
        if (this.over || this.passed) resolve(undefined);
        else this.waiters.set(method, [...(this.waiters.get(method) ?? []), resolve]);
      }));
    if (!held) throw new NotObserved(`the client did not send ${method}`);
    this.claimed.push(held);
    return held;
  }

  /** Whatever is open is answered in the ordinary way, and whatever comes from now on. */
  release(): void {
    this.released = true;
    for (const deferred of [...this.open]) deferred.release();
  }

  /** None can come for the case at hand: whoever waits for one is told so. */
  skip(): void {
    this.passed = true;
    this.giveUp();
  }

  /** Another case begins; nothing is open of the one before. */
  startCase(): void {
    this.passed = false;
    this.released = false;
    this.unclaimed.clear();
  }

  /** None can come any more. */
  end(): void {
    this.over = true;
    this.giveUp();
  }

  private giveUp(): void {
    for (const takers of this.waiters.values()) for (const taker of takers) taker(undefined);
    this.waiters.clear();
  }
}
