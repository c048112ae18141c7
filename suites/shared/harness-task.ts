/** A task that our end runs for the subject. */

import { type HandlerResult, type Peer, RefusedRequest } from '../../harness/peer/peer.js';
import { isObject, type JsonObject } from '../../spec/json-rpc.js';

const noSuchTask = () => new RefusedRequest(-32602, 'There is no such task.');

/** Milliseconds between two questions about a task. */
export const pollInterval = 50;

/** A task of our end, which is what a scenario says it is. */
export class OwnTask {
  status = 'working';
  made = false;
  /** Whoever asks for anything of it is told that there is no such task. */
  gone = false;
  /** How often its state was asked for. */
  polls = 0;
  /** How often its result was asked for. */
  retrievals = 0;
  /** Whether a request that asks for no task is refused. */
  isNeededFor: (params: JsonObject | undefined) => boolean = () => false;
  onPoll: () => void = () => {};
  onRetrieval: () => void = () => {};
  private readonly taskId: string;
  private wake: () => void = () => {};
  private readonly ended = new Promise<void>(resolve => {
    this.wake = resolve;
  });

  /** @param method of the requests that become this task @param outcome of the request, in the end */
  constructor(
    private readonly peer: Peer,
    method: string,
    private readonly outcome: JsonObject,
  ) {
    this.taskId = crypto.randomUUID();
    peer.handle(method, params => {
      const wanted = isObject(params?.task);
      if (!wanted && this.isNeededFor(params)) throw new RefusedRequest(-32601, 'It runs as a task only.');
      if (!wanted) return outcome;
      this.made = true;
      return { task: this.state };
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

  /** Requests about this task; there may have been others in this conversation. */
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

  /** Whoever asks for the result is told that something went wrong, once. */
  failOnce(): void {
    const refuse = () => {
      restore();
      this.retrievals++;
      throw new RefusedRequest(-32603, 'Try again.');
    };
    const restore = this.peer.handle('tasks/result', refuse, { deliberate: true });
  }
}
