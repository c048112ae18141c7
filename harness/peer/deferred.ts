/** Requests of the subject that are answered when a scenario says so, not at once. */

import type { JsonObject } from '../../spec/json-rpc.js';
import type { Message } from '../record/message.js';

/** Ends a scenario: the subject gave no occasion for what it is about. What it cites stays unobserved, for this reason. */
export class NoOccasion extends Error {}

/** A request that waits for its answer. The first of the four ways to deal with it counts. */
export interface Held {
  readonly request: Message;
  readonly params: JsonObject;
  /** `deliberate`: the answer breaks a rule on purpose. */
  answer(result: JsonObject, options?: { deliberate?: boolean }): void;
  refuse(code: number, message: string): void;
  /** Lets it be answered in the ordinary way. */
  release(): void;
  /** Leaves it without an answer for ever. */
  drop(): void;
}

export interface Replying {
  reply(request: Message, body: JsonObject, options?: { deliberate?: boolean }): void;
  /** Answers as if it had never been held. */
  ordinary(request: Message): void;
}

type Taker = (held: Held | undefined) => void;

export class HeldRequests {
  private readonly open = new Set<Held>();
  private readonly untaken = new Map<string, Held[]>();
  private readonly takers = new Map<string, Taker[]>();
  private readonly taken: Held[] = [];
  private over = false;
  private passed = false;
  private released = false;

  constructor(private readonly replying: Replying) {}

  /** The last request that was taken and is still open. */
  get current(): Message | undefined {
    return this.taken.findLast(held => this.open.has(held))?.request;
  }

  add(method: string, request: Message): void {
    const held = this.make(request);
    this.open.add(held);
    const taker = this.takers.get(method)?.shift();
    if (this.released) held.release();
    else if (taker) taker(held);
    else this.untaken.set(method, [...(this.untaken.get(method) ?? []), held]);
  }

  private make(request: Message): Held {
    const { replying } = this;
    const settle = (act: () => void) => {
      if (this.open.delete(held)) act();
    };
    const held: Held = {
      request,
      params: request.params ?? {},
      answer: (result, options) => settle(() => replying.reply(request, { result }, options)),
      refuse: (code, message) => settle(() => replying.reply(request, { error: { code, message } })),
      release: () => settle(() => replying.ordinary(request)),
      drop: () => settle(() => {}),
    };
    return held;
  }

  /**
   * The next request of a method that is held, seen or to come.
   * @throws {NoOccasion} when none can come any more
   */
  async take(method: string): Promise<Held> {
    const waiting = this.untaken.get(method)?.shift();
    const held =
      waiting ??
      (await new Promise<Held | undefined>(resolve => {
        if (this.over || this.passed) resolve(undefined);
        else this.takers.set(method, [...(this.takers.get(method) ?? []), resolve]);
      }));
    if (!held) throw new NoOccasion(`the client did not send ${method}`);
    this.taken.push(held);
    return held;
  }

  /** Whatever is open is answered in the ordinary way, and whatever comes from now on. */
  release(): void {
    this.released = true;
    for (const held of [...this.open]) held.release();
  }

  /** None can come for the case at hand: whoever waits for one is told so. */
  pass(): void {
    this.passed = true;
    this.giveUp();
  }

  /** Another case begins; nothing is open of the one before. */
  renew(): void {
    this.passed = false;
    this.released = false;
    this.untaken.clear();
  }

  /** None can come any more. */
  end(): void {
    this.over = true;
    this.giveUp();
  }

  private giveUp(): void {
    for (const takers of this.takers.values()) for (const taker of takers) taker(undefined);
    this.takers.clear();
  }
}
