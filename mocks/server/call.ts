/** A request of the client in progress. */

import type { JsonObject, RequestId } from '../../spec/json-rpc.js';
import { isObject } from '../../spec/json-rpc.js';
import { relatedTask, type Task } from '../tasks.js';
import { severity } from './handlers/logging.js';
import type { Call, OpenSession } from './interfaces.js';
import type { Scope } from './scope.js';

export class ServerCall implements Call {
  cancelled = false;
  /** The response has been sent; no more progress is reported. */
  finished = false;
  private readonly controller = new AbortController();

  constructor(
    readonly session: OpenSession,
    readonly id: RequestId,
    readonly method: string,
    readonly params: JsonObject,
    /** The task that runs the request, if any. */
    readonly task?: Task,
    /** The revision and the declarations of the client that hold for this request. */
    readonly scope: Scope = session,
  ) {}

  /** Aborted when the client cancels the request or disconnects. */
  get signal(): AbortSignal {
    return this.controller.signal;
  }

  cancel(): void {
    this.cancelled = true;
    this.controller.abort();
  }

  /** Reports progress if the client gave a token. @param progress increases with every report */
  progress(progress: number, total?: number, message?: string): void {
    const token = isObject(this.params._meta) ? this.params._meta.progressToken : undefined;
    if (token === undefined || this.finished || this.cancelled) return;
    this.notify('notifications/progress', {
      progressToken: token,
      progress,
      ...(total !== undefined && { total }),
      ...(message !== undefined && this.scope.features.progressMessages && { message }),
      ...this.meta,
    });
  }

  /** Sends a log message, if it is severe enough for the client. */
  log(level: string, data: string): void {
    if (!this.session.world.capabilities.logging || this.cancelled) return;
    const { logLevel } = this.scope;
    if (logLevel === undefined || severity(level) < severity(logLevel)) return;
    this.notify('notifications/message', { level, logger: 'mock', data, ...this.meta });
  }

  /** Sends a message that belongs to this call. */
  notify(method: string, params: JsonObject): void {
    this.session.whileAbout(this.id, () => this.session.notify(method, params));
  }

  /**
   * Sends a request to the client. @throws {Refusal} when the client responds with an error or an invalid
   * result
   */
  ask(method: string, params?: JsonObject, key?: string): Promise<JsonObject> {
    const { session } = this;
    if (this.scope.rounds) return this.scope.rounds.ask(method, params, key);
    const ask = (all = params) =>
      session.whileAbout(this.id, () => session.outgoing.ask(method, all, this.signal));
    return this.task ? this.task.needsInput(() => ask({ ...params, ...this.meta })) : ask();
  }

  /** Every message of a task names that task. */
  private get meta(): JsonObject {
    return this.task ? { _meta: { [relatedTask]: { taskId: this.task.id } } } : {};
  }

  /** Waits, unless the call is cancelled. @param ms milliseconds; default: the short pause of the fixtures */
  pause(ms = this.session.options.delayMs): Promise<void> {
    return new Promise((resolve, reject) => {
      const stop = () => {
        clearTimeout(timer);
        reject(new Error('cancelled'));
      };
      const timer = setTimeout(() => {
        this.signal.removeEventListener('abort', stop);
        resolve();
      }, ms);
      if (this.signal.aborted) stop();
      else this.signal.addEventListener('abort', stop, { once: true });
    });
  }
}
