/** Requests that run as tasks: what a session has of them, and what becomes of each. */

import { randomUUID } from 'node:crypto';
import { isObject, type Json, type JsonObject } from '../spec/json-rpc.js';
import { Call } from './call.js';
import { codes, errorOutcome, Refusal } from './refusal.js';
import type { Session } from './session.js';

/** The key in `_meta` that says which task a message belongs to. */
export const relatedTask = 'io.modelcontextprotocol/related-task';

type Status = 'working' | 'input_required' | 'completed' | 'failed' | 'cancelled';

/** Nothing is kept longer, in milliseconds. */
const longestTtl = 3_600_000;
const usualTtl = 60_000;
const pollInterval = 50;

export class Task {
  status: Status = 'working';
  private statusMessage: string | undefined;
  private readonly createdAt = new Date().toISOString();
  private lastUpdatedAt = this.createdAt;
  /** `result` or `error`, once it has ended. */
  private outcome: JsonObject | undefined;
  private readonly work: Call;
  /** Questions to the client that are not answered yet. */
  private questions = 0;
  /** Who waits for the result. */
  private readonly waiting = new Set<() => void>();
  /** Questions go out when somebody waits for the result. */
  private readonly heldBack: (() => void)[] = [];

  constructor(
    readonly id: string,
    /** Tells them apart in the order of their making. */
    readonly number: number,
    readonly ttl: number,
    private readonly session: Session,
    { id: request, method, params }: Call,
  ) {
    this.work = new Call(session, request, method, params, this);
  }

  get ended(): boolean {
    return this.outcome !== undefined;
  }

  /** As it is shown to the client. */
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

  async run(perform: (call: Call) => JsonObject | Promise<JsonObject>): Promise<void> {
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
    const message = 'Cancelled by the client.';
    this.end('cancelled', errorOutcome(new Refusal(codes.internalError, message)), message);
    this.work.cancel();
  }

  /** The first end counts; what the work comes to after that is lost. */
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
    this.session.notify('notifications/tasks/status', this.shown);
  }

  /** Asks the client something without which the task cannot go on. */
  async needsInput(ask: () => Promise<JsonObject>): Promise<JsonObject> {
    if (this.ended) throw new Error('The task has ended.');
    this.questions++;
    this.move('input_required', 'The client is asked for something.');
    try {
      if (this.waiting.size === 0) await new Promise<void>(resolve => this.heldBack.push(resolve));
      return await ask();
    } finally {
      if (--this.questions === 0 && !this.ended) this.move('working');
    }
  }

  /**
   * What the request would have been answered with; waits for the end.
   * @throws {Refusal} when that is an error, or when the result is no longer wanted
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
      this.outcome ?? errorOutcome(new Refusal(codes.internalError, 'Not waited for.'));
    if (isObject(error)) throw new Refusal(Number(error.code), String(error.message), error.data);
    const body = result as JsonObject;
    const meta = isObject(body._meta) ? body._meta : {};
    return { ...body, _meta: { ...meta, [relatedTask]: { taskId: this.id } } };
  }
}

/** The tasks of one session. */
export class Tasks {
  /** In the order of their making. */
  private readonly all = new Map<string, Task>();
  private made = 0;

  constructor(private readonly session: Session) {}

  /** Nobody is to guess the id of somebody else's task. */
  newId: (ask: JsonObject) => string = () => randomUUID();

  /** Answers a request that runs as a task from now on. */
  create(call: Call, perform: (call: Call) => JsonObject | Promise<JsonObject>): JsonObject {
    const { session } = this;
    const { ttl } = call.params.task as JsonObject;
    const kept = Math.max(0, Math.min(typeof ttl === 'number' ? ttl : usualTtl, longestTtl));
    const task = new Task(this.newId(call.params), ++this.made, kept, session, call);
    this.all.set(task.id, task);
    // it starts when the answer is on its way
    session.after(0, () => void task.run(perform));
    session.after(kept, () => this.forget(task));
    return { task: task.shown };
  }

  private forget(task: Task): void {
    task.cancel();
    this.all.delete(task.id);
  }

  /** @throws {Refusal} when there is none */
  get(id: Json | undefined): Task {
    const task = this.all.get(String(id));
    if (!task) throw new Refusal(codes.invalidParams, `There is no task "${String(id)}".`);
    return task;
  }

  /** Those made after one of that number. */
  after(number: number): Task[] {
    return [...this.all.values()].filter(task => task.number > number);
  }

  get count(): number {
    return this.made;
  }

  close(): void {
    for (const task of this.all.values()) task.cancel();
  }
}
