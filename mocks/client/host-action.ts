/** A request of the server that the user or the model of the reference client handles. */

import { isObject, type Json, type JsonObject } from '../../spec/json-rpc.js';
import type { Revision } from '../../spec/revisions.js';
import { vocabularyOf } from '../../spec/vocabulary.js';
import { featuresOf } from '../server/features.js';
import { relatedTask, type Task, type TaskHost, type Work } from '../tasks.js';
import { pause } from './pause.js';

/** Progress of a request without a task. */
const atOnce = ['Reading', 'Writing'];

/** A task runs for this time, in milliseconds and steps, so that the server can poll and cancel the task. */
const step = 5;
const inSteps = ['Reading', 'Thinking', 'Thinking on', 'Writing', 'Reading again'];

/** The session of an action. */
export interface ActingSession extends TaskHost {
  readonly revision: Revision;
  notify(method: string, params?: JsonObject): Promise<void>;
}

export class HostAction implements Work {
  finished = false;
  /** Resolves when the last report has reached the requestor. */
  reported: Promise<void> = Promise.resolve();
  private readonly stopped = new AbortController();

  constructor(
    private readonly session: ActingSession,
    readonly params: JsonObject,
    /** The task that runs the request, if any. */
    private readonly task?: Task<HostAction>,
  ) {}

  cancel(): void {
    this.stopped.abort();
  }

  /**
   * Does the work and reports progress to the requestor. Over HTTP messages may cross, so each report reaches
   * the requestor before the work continues. @throws {Error} when the request is cancelled meanwhile
   */
  async think(): Promise<void> {
    const stages = this.task ? inSteps : atOnce;
    for (const [at, stage] of stages.entries()) {
      if (this.task) await this.pause();
      this.reported = this.report(at + 1, stages.length, stage);
      await this.reported;
    }
  }

  private async report(progress: number, total: number, message: string): Promise<void> {
    const { _meta: meta } = this.params;
    const progressToken: Json | undefined = isObject(meta) ? meta.progressToken : undefined;
    const { notifications } = vocabularyOf(this.session.revision);
    if (progressToken === undefined || !notifications.client.has('notifications/progress')) return;
    const { progressMessages } = featuresOf(this.session.revision);
    await this.session.notify('notifications/progress', {
      progressToken,
      progress,
      total,
      ...(progressMessages && { message }),
      ...(this.task && { _meta: { [relatedTask]: { taskId: this.task.id } } }),
    });
  }

  private pause(): Promise<void> {
    const wait = (over: () => void) => this.session.after(step, over);
    return pause(wait, this.stopped.signal, () => new Error('cancelled'));
  }
}
