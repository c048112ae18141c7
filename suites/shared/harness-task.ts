/** A task that the harness runs for the subject. */

import type { Peer } from '../../harness/peer/peer.js';
import { type HandlerResult, RefusedRequest } from '../../harness/peer/requests.js';
import type { Message } from '../../harness/record/message.js';
import { isObject, type JsonObject } from '../../spec/json-rpc.js';

const noSuchTask = () => new RefusedRequest(-32602, 'There is no such task.');

/** Milliseconds between two requests for the state of a task. */
export const pollInterval = 120;

/** The same until the first request for the state: later responses have another value. */
const firstInterval = 40;

/** A requestor that goes on sooner (ms) without asking for its task did not wait for it. */
const shortest = 1_000;

/** A task of the harness, with the behaviour that a scenario defines. */
export class OwnTask {
  status = 'working';
  made = false;
  /** When true, each request about the task gets the error that the task does not exist. */
  gone = false;
  /** Number of requests for the state. */
  polls = 0;
  /** Number of requests for the result. */
  retrievals = 0;
  /** Whether a request without a task is refused. */
  isNeededFor: (params: JsonObject | undefined) => boolean = () => false;
  onPoll: () => void = () => {};
  onRetrieval: () => void = () => {};
  private readonly taskId: string;
  private wake: () => void = () => {};
  private readonly ended = new Promise<void>(resolve => {
    this.wake = resolve;
  });

  /** @param method of the requests that become this task @param outcome the final result of the request */
  constructor(
    private readonly peer: Peer,
    method: string,
    private readonly outcome: JsonObject,
  ) {
    this.taskId = crypto.randomUUID();
    peer.handle(method, params => {
      const wanted = isObject(params?.task);
      if (!wanted && this.isNeededFor(params))
        throw new RefusedRequest(-32601, 'The request runs as a task only.');
      if (!wanted) return outcome;
      this.made = true;
      return { task: { ...this.state, pollInterval: firstInterval } };
    });
    this.handle('tasks/get', () => {
      this.polls++;
      this.onPoll();
      return this.state;
    });
    this.handle('tasks/result', () => this.result());
    this.handle('tasks/cancel', () => {
      this.gone = true;
      throw noSuchTask();
    });
    peer.handle('tasks/list', params =>
      params?.cursor === undefined ? { tasks: [this.state], nextCursor: 'a b/ü==' } : { tasks: [] },
    );
  }

  /** Requests about this task; the conversation may have had other tasks. */
  private handle(method: string, answer: () => HandlerResult | Promise<HandlerResult>): void {
    this.peer.handle(method, params => {
      if (this.gone || params?.taskId !== this.taskId) throw noSuchTask();
      return answer();
    });
  }

  get state(): JsonObject {
    const at = '2000-01-01T00:00:00Z';
    const { taskId } = this;
    return { taskId, status: this.status, createdAt: at, lastUpdatedAt: at, ttl: null, pollInterval };
  }

  /**
   * Whether the requestor waited for its task without asking for it, and then gave up: it relied on a notification.
   * @param from the request that became the task @param to the first sign that the requestor waits no longer
   */
  isGivenUp(from: Message | undefined, to: Message | undefined): boolean {
    if (!from || !to || this.polls + this.retrievals > 0 || this.status === 'completed') return false;
    return to.frame.at - from.frame.at > shortest + this.peer.conversation.schedulingDelay;
  }

  private async result(): Promise<HandlerResult> {
    this.retrievals++;
    this.onRetrieval();
    if (this.status !== 'completed') await this.ended;
    return { ...this.outcome, _meta: { 'io.modelcontextprotocol/related-task': { taskId: this.taskId } } };
  }

  complete(): void {
    this.status = 'completed';
    this.wake();
  }

  /** The next request for the result gets an internal error, once. */
  failOnce(): void {
    const refuse = () => {
      restore();
      this.retrievals++;
      throw new RefusedRequest(-32603, 'Try again.');
    };
    const restore = this.peer.handle('tasks/result', refuse, { deliberate: true });
  }
}
