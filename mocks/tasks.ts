/** Requests that run as tasks: the tasks of a session, for either role, and their state changes. */

import { randomUUID } from 'node:crypto';
import { isObject, type Json, type JsonObject } from '../spec/json-rpc.js';
import { codes, errorOutcome, Refusal } from './server/refusal.js';

/** The key in `_meta` that names the task of a message. */
export const relatedTask = 'io.modelcontextprotocol/related-task';

type Status = 'working' | 'input_required' | 'completed' | 'failed' | 'cancelled';

/** The longest time to live of a task, in milliseconds. */
const longestTtl = 3_600_000;
const usualTtl = 60_000;
const pollInterval = 50;

/** The side of the session that runs the tasks. */
export interface TaskHost {
  notify(method: string, params: JsonObject): unknown;
  /** @param ms milliseconds */
  after(ms: number, act: () => void): void;
}

/** The operations for the work of a task. */
export interface Work {
  /** No more messages about the task are needed. */
  finished: boolean;
  cancel(): void;
}

export class Task<W extends Work = Work> {
  status: Status = 'working';
  private statusMessage: string | undefined;
  private readonly createdAt = new Date().toISOString();
  private lastUpdatedAt = this.createdAt;
  /** `result` or `error`, after the task has ended. */
  private outcome: JsonObject | undefined;
  readonly work: W;
  /** Requests to the peer that have no response yet. */
  private questions = 0;
  /** The waiting callers of the result. */
  private readonly waiting = new Set<() => void>();
  /** Requests to the peer are sent only when the peer waits for the result. */
  private readonly heldBack: (() => void)[] = [];

  constructor(
    readonly id: string,
    /** The number of the task, in the order of creation. */
    readonly number: number,
    readonly ttl: number,
    private readonly host: TaskHost,
    begin: (task: Task<W>) => W,
  ) {
    this.work = begin(this);
  }

  get ended(): boolean {
    return this.outcome !== undefined;
  }

  /** The task as shown to the peer. */
  get shown(): JsonObject {
    return {
      taskId: this.id,
      status: this.status,
      ...(this.statusMessage !== undefined && { statusMessage: this.statusMessage }),
      createdAt: this.createdAt,
      lastUpdatedAt: this.lastUpdatedAt,
      ttl: this.ttl,
      pollInterval,
    };
  }

  async run(perform: (work: W) => JsonObject | Promise<JsonObject>): Promise<void> {
    if (this.ended) return;
    try {
      const result = await perform(this.work);
      const [first] = Array.isArray(result.content) ? result.content : [];
      if (result.isError !== true) this.end('completed', { result });
      else this.end('failed', { result }, isObject(first) ? String(first.text) : 'The tool failed.');
    } catch (error) {
      const outcome = errorOutcome(error);
      this.end('failed', outcome, String((outcome.error as JsonObject).message));
    }
  }

  cancel(): void {
    const message = 'The task was cancelled.';
    this.end('cancelled', errorOutcome(new Refusal(codes.internalError, message)), message);
    this.work.cancel();
  }

  /** The first outcome counts; a later outcome of the work is discarded. */
  private end(status: Status, outcome: JsonObject, message?: string): void {
    if (this.ended) return;
    this.outcome = outcome;
    this.work.finished = true;
    this.move(status, message);
    for (const wake of this.waiting) wake();
  }

  private move(status: Status, message?: string): void {
    if (this.status === status) return;
    this.status = status;
    this.statusMessage = message;
    this.lastUpdatedAt = new Date().toISOString();
    this.host.notify('notifications/tasks/status', this.shown);
  }

  /** Sends a request to the peer that the task depends on. */
  async needsInput(ask: () => Promise<JsonObject>): Promise<JsonObject> {
    if (this.ended) throw new Error('The task has ended.');
    this.questions++;
    this.move('input_required', 'The task needs input.');
    try {
      if (this.waiting.size === 0) await new Promise<void>(resolve => this.heldBack.push(resolve));
      return await ask();
    } finally {
      if (--this.questions === 0 && !this.ended) this.move('working');
    }
  }

  /**
   * The response that the request would have without a task; waits for the end.
   * @throws {Refusal} when the outcome is an error, or when the result is no longer needed
   */
  result(signal: AbortSignal): JsonObject | Promise<JsonObject> {
    if (this.ended) return this.payload();
    return new Promise<JsonObject>((resolve, reject) => {
      const wake = () => {
        this.waiting.delete(wake);
        signal.removeEventListener('abort', wake);
        try {
          resolve(this.payload());
        } catch (error) {
          reject(error);
        }
      };
      signal.addEventListener('abort', wake, { once: true });
      this.waiting.add(wake);
      for (const ask of this.heldBack.splice(0)) ask();
    });
  }

  private payload(): JsonObject {
    const { result, error } =
      this.outcome ?? errorOutcome(new Refusal(codes.internalError, 'The result is no longer needed.'));
    if (isObject(error)) throw new Refusal(Number(error.code), String(error.message), error.data);
    const body = result as JsonObject;
    const meta = isObject(body._meta) ? body._meta : {};
    return { ...body, _meta: { ...meta, [relatedTask]: { taskId: this.id } } };
  }
}

/** A cursor names the last listed task, so that the cursor stays valid when tasks are removed. */
const encode = (number: number): string => Buffer.from(`task ${number}`).toString('base64url');

/** The tasks of one session. */
export class Tasks<W extends Work> {
  /** In the order of creation. */
  private readonly all = new Map<string, Task<W>>();
  private made = 0;

  constructor(private readonly host: TaskHost) {}

  /** An id must not be guessable by another session. */
  newId: (ask: JsonObject) => string = () => randomUUID();

  /** Responds to a request that runs as a task from now on. @param params of that request */
  create(
    params: JsonObject,
    begin: (task: Task<W>) => W,
    perform: (work: W) => JsonObject | Promise<JsonObject>,
  ): JsonObject {
    const { host } = this;
    const { ttl } = params.task as JsonObject;
    const kept = Math.max(0, Math.min(typeof ttl === 'number' ? ttl : usualTtl, longestTtl));
    const task = new Task(this.newId(params), ++this.made, kept, host, begin);
    this.all.set(task.id, task);
    // the work starts after the response is sent
    host.after(0, () => void task.run(perform));
    host.after(kept, () => this.forget(task));
    return { task: task.shown };
  }

  private forget(task: Task<W>): void {
    task.cancel();
    this.all.delete(task.id);
  }

  /** @throws {Refusal} when the task does not exist */
  get(id: Json | undefined): Task<W> {
    const task = this.all.get(String(id));
    if (!task) throw new Refusal(codes.invalidParams, `There is no task "${String(id)}".`);
    return task;
  }

  /** The tasks created after the task with that number. */
  after(number: number): Task<W>[] {
    return [...this.all.values()].filter(task => task.number > number);
  }

  /**
   * Responds to `tasks/list`. @param emptyLast whether a full page is followed by an empty one
   * @throws {Refusal} for an unknown cursor
   */
  list(cursor: Json | undefined, size: number, emptyLast: boolean): JsonObject {
    const rest = this.after(this.decode(cursor));
    const shown = rest.slice(0, size);
    const last = shown.at(-1);
    const more = last && (rest.length > shown.length || emptyLast);
    return { tasks: shown.map(task => task.shown), ...(more && { nextCursor: encode(last.number) }) };
  }

  private decode(cursor: Json | undefined): number {
    if (cursor === undefined) return 0;
    const number = Number(Buffer.from(String(cursor), 'base64url').toString().slice('task '.length));
    // encoded again and compared, so that only exact cursors of this server are accepted
    if (!(number >= 1 && number <= this.made) || encode(number) !== cursor)
      throw new Refusal(codes.invalidParams, 'The cursor is unknown.');
    return number;
  }

  /** Responds to `tasks/cancel`. @throws {Refusal} when the task has ended, or does not exist */
  cancel(id: Json | undefined): JsonObject {
    const task = this.get(id);
    if (task.ended) throw new Refusal(codes.invalidParams, `The task is already ${task.status}.`);
    task.cancel();
    return task.shown;
  }

  close(): void {
    for (const task of this.all.values()) task.cancel();
  }
}
