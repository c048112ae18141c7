/**
 * Questions of the harness as a server without a handshake: a result of an open request asks, and the retry of
 * the request answers (basic/patterns/mrtr).
 */

import type { JsonObject } from '../../spec/json-rpc.js';
import type { Conversation } from '../record/conversation.js';
import type { Exchange, Message } from '../record/message.js';
import { allQuestionsInResults } from '../record/questions.js';
import { NotObserved } from './deferred.js';
import type { SendOptions } from './requests.js';

/** Number of quiet windows before a retry that may follow after a pause (the TypeScript SDK pauses 250 ms). */
const windowsOfPause = 5;

interface AwaitedRetry {
  /** The result asks nothing, so that the client may pause before the retry. */
  readonly mayPause: boolean;
  settle(retry: Message | undefined): void;
}

/** Methods whose results may ask (basic/patterns/mrtr#supported-requests). */
const mayAsk: ReadonlySet<string | undefined> = new Set(['tools/call', 'prompts/get', 'resources/read']);

interface RoundsTarget {
  readonly conversation: Conversation;
  reply(request: Message, body: JsonObject, options?: { deliberate?: boolean }): void;
  /** Waits for an event at most the timeout of a response, and records a deadline. */
  settles(happened: Promise<unknown>): Promise<boolean>;
  /** Waits for a quiet window. */
  quiet(): Promise<unknown>;
}

export class InputRounds {
  /** The last retry of each request that a question was put into. */
  private readonly retries = new Map<Message, Message>();
  private readonly awaited = new Map<string, AwaitedRetry>();
  /** The last round of each request: the next one begins after it. */
  private readonly turns = new Map<Message, Promise<unknown>>();
  /** Requests whose response asked: a retry is another request. */
  private readonly answered = new Set<Message>();
  private count = 0;
  private over = false;

  constructor(private readonly target: RoundsTarget) {}

  /** The request that gets the response: the last retry, or the request itself. */
  latest(request: Message): Message {
    let at = request;
    for (let next = this.retries.get(at); next; next = this.retries.get(at)) at = next;
    return at;
  }

  /** Whether a request has got a result that asks, and was not sent again. */
  isOver(request: Message): boolean {
    return this.answered.has(this.latest(request));
  }

  /** Whether a request is the retry that a round waits for. */
  take(request: Message): boolean {
    const state = request.params?.requestState;
    const awaited = typeof state === 'string' ? this.awaited.get(state) : undefined;
    awaited?.settle(request);
    // a client that goes on with another request has given up, unless the retry crosses with it
    if (!awaited && this.awaited.size > 0 && request.method !== 'subscriptions/listen')
      void this.giveUp([...this.awaited.values()]);
    return awaited !== undefined;
  }

  /** Ends the waits, unless a retry comes in this time. */
  private async giveUp(open: readonly AwaitedRetry[]): Promise<void> {
    for (let windows = 1; windows <= windowsOfPause; windows++) {
      await this.target.quiet();
      for (const { mayPause, settle } of open) if (!mayPause || windows === windowsOfPause) settle(undefined);
      if (!open.some(({ mayPause }) => mayPause)) return;
    }
  }

  /**
   * Asks in the result of an open request.
   * @returns the question with its answer; without an answer when the client does not retry
   * @throws {NotObserved} when no request is open that may carry a question
   */
  ask(
    open: Message | undefined,
    method: string,
    params?: JsonObject,
    options: SendOptions = {},
  ): Promise<Exchange> {
    const key = `question-${++this.count}`;
    const inputRequests = { [key]: { method, ...(params && { params }) } };
    return this.inTurn(open, async () => {
      await this.round(open!, { inputRequests }, options);
      const asked = allQuestionsInResults(this.target.conversation).findLast(q => q.request.id === key);
      if (!asked) throw new NotObserved('the request of the client that could carry the question has ended');
      return { request: asked.request, reply: asked.reply, deadline: undefined };
    });
  }

  /** A result without questions: its retry shows that the client has processed all earlier input. */
  barrier(open: Message | undefined): Promise<boolean> {
    return this.inTurn(open, () => this.round(open!, {}));
  }

  /** Whether a question can be put into the result of a request. */
  canCarry = (open: Message | undefined): open is Message => mayAsk.has(open?.method);

  private async inTurn<T>(open: Message | undefined, act: () => Promise<T>): Promise<T> {
    if (!this.canCarry(open))
      throw new NotObserved('the client has no open request that can carry a question');
    const before = this.turns.get(open);
    const done = (before ?? Promise.resolve()).then(act, act);
    this.turns.set(
      open,
      done.catch(() => {}),
    );
    return done;
  }

  private async round(open: Message, asks: JsonObject, options: SendOptions = {}): Promise<boolean> {
    if (this.over || this.isOver(open)) return false;
    const requestState = `mcp-conform round ${++this.count}`;
    let retry: Message | undefined;
    const retried = new Promise<void>(resolve => {
      this.awaited.set(requestState, {
        mayPause: !('inputRequests' in asks),
        settle(message) {
          retry ??= message;
          resolve();
        },
      });
    });
    const now = this.latest(open);
    const result = { resultType: 'input_required', ...asks, requestState };
    this.target.reply(now, { result }, { deliberate: options.deliberate ?? false });
    this.answered.add(now);
    await this.target.settles(retried);
    this.awaited.delete(requestState);
    if (retry) this.retries.set(now, retry);
    return retry !== undefined;
  }

  /** Ends pending waits: no retry is possible. */
  end(): void {
    this.over = true;
    for (const { settle } of this.awaited.values()) settle(undefined);
  }
}
