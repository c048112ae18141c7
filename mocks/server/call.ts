/** A request of the client under way, and what its handler may do meanwhile. */

import type { JsonObject, RequestId } from '../../spec/json-rpc.js';
import { isObject } from '../../spec/json-rpc.js';
import { relatedTask, type Task } from '../tasks.js';
import { severity } from './handlers/logging.js';
import type { Session } from './session.js';

export class Call {
  cancelled = false;
  /** Answered: no progress any more. */
  finished = false;
  private readonly controller = new AbortController();

  constructor(
    readonly session: Session,
    readonly id: RequestId,
    readonly method: string,
    readonly params: JsonObject,
    /** What it is run as, when it is. */
    readonly task?: Task,
  ) {}

  /** Aborted when the client no longer wants the answer, or is gone. */
  get signal(): AbortSignal {
    return this.controller.signal;
  }

  cancel(): void {
    this.cancelled = true;
    this.controller.abort();
  }

  /** Reports progress if the client gave a token. @param progress rises with every report */
  progress(progress: number, total?: number, message?: string): void {
    const token = isObject(this.params._meta) ? this.params._meta.progressToken : undefined;
    if (token === undefined || this.finished || this.cancelled) return;
    this.notify('notifications/progress', {
      progressToken: token,
      progress,
      ...(total !== undefined && { total }),
      ...(message !== undefined && this.session.features.progressMessages && { message }),
      ...this.meta,
    });
  }

  /** Sends a log message, if it is severe enough for the client. */
  log(level: string, data: string): void {
    if (!this.session.world.capabilities.logging || this.cancelled) return;
    if (severity(level) < severity(this.session.logLevel)) return;
    this.notify('notifications/message', { level, logger: 'mock', data, ...this.meta });
  }

  /** Says something that belongs to this call. */
  notify(method: string, params: JsonObject): void {
    this.session.whileAbout(this.id, () => this.session.notify(method, params));
  }

  /** Asks something of the client. @throws {Refusal} when the client refuses or answers nonsense */
  ask(method: string, params?: JsonObject): Promise<JsonObject> {
    const { session } = this;
    const ask = (all = params) =>
      session.whileAbout(this.id, () => session.outgoing.ask(method, all, this.signal));
    return this.task ? this.task.needsInput(() => ask({ ...params, ...this.meta })) : ask();
  }

  /** Whatever a task says names it. */
  private get meta(): JsonObject {
    return this.task ? { _meta: { [relatedTask]: { taskId: this.task.id } } } : {};
  }

  /** Waits, unless the call is cancelled. @param ms milliseconds; default: the small pause of the fixtures */
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
