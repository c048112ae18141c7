/** Deferred requests: requests of the subject whose responses wait for a scenario. */

import type { JsonObject } from '../../spec/json-rpc.js';
import type { Message } from '../record/message.js';

/**
 * Ends a scenario because the situation of the scenario did not occur. The cited requirements stay
 * unobserved, for this reason.
 */
export class NotObserved extends Error {}

/** Ends a scenario because the client lacks an optional capability: nothing was asked of it that it did not do. */
export class LacksCapability extends NotObserved {}

/** A request that waits for its response. Of the four methods, the first call has an effect. */
export interface Deferred {
  readonly request: Message;
  /** The parameters of the request, or of its last retry. */
  readonly params: JsonObject;
  /** `deliberate`: the response breaks a rule on purpose. */
  answer(result: JsonObject, options?: { deliberate?: boolean }): void;
  refuse(code: number, message: string): void;
  /** Sends the ordinary response. */
  release(): void;
  /** Sends no response at all. */
  neverAnswer(): void;
}

interface DeferredTarget {
  reply(request: Message, body: JsonObject, options?: { deliberate?: boolean }): void;
  /** The last retry of a request, where a question was put into its result; else the request. */
  latest(request: Message): Message;
  /** Sends the response of a request that was never deferred. */
  answerNormally(request: Message): void;
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

  /** The last deferred request that was fetched and is still open. */
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
      get params() {
        return replying.latest(request).params ?? {};
      },
      answer: (result, options) => settle(() => replying.reply(request, { result }, options)),
      refuse: (code, message) => settle(() => replying.reply(request, { error: { code, message } })),
      release: () => settle(() => replying.answerNormally(request)),
      neverAnswer: () => settle(() => {}),
    };
    return deferred;
  }

  /**
   * The next deferred request of a method, received already or later.
   * @throws {NotObserved} when no further one is possible
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

  /** Sends the ordinary response to all open requests and to all later ones. */
  release(): void {
    this.released = true;
    for (const deferred of [...this.open]) deferred.release();
  }

  /** Ends pending waits: the current case gets no further request. */
  skip(): void {
    this.passed = true;
    this.giveUp();
  }

  /** Prepares for another case; the previous one has no open requests. */
  startCase(): void {
    this.passed = false;
    this.released = false;
    this.unclaimed.clear();
  }

  /** Ends pending waits: no further request is possible. */
  end(): void {
    this.over = true;
    this.giveUp();
  }

  private giveUp(): void {
    for (const takers of this.waiters.values()) for (const taker of takers) taker(undefined);
    this.waiters.clear();
  }
}
