/** Tasks of the tasks extension: the work of tool calls that goes on after the response. */

import { randomUUID } from 'node:crypto';
import { isObject, type Json, type JsonObject } from '../../../spec/json-rpc.js';
import type { World } from '../interfaces.js';
import { codes, errorOutcome, Refusal } from '../refusal.js';

type Status = 'working' | 'input_required' | 'completed' | 'failed' | 'cancelled';

/** Milliseconds for which a task is kept. */
const ttlMs = 60_000;
const pollIntervalMs = 20;

interface Question {
  readonly asked: JsonObject;
  answer(response: JsonObject): void;
}

/** The work of a task, as far as the task controls it. */
interface TaskWork {
  cancel(): void;
}

class LongTask {
  status: Status = 'working';
  private statusMessage: string | undefined;
  private readonly createdAt = new Date().toISOString();
  private lastUpdatedAt = this.createdAt;
  /** `result` or `error`, after the work has ended. */
  private outcome: JsonObject = {};
  /** Questions without an answer, by key. */
  private readonly questions = new Map<string, Question>();
  private count = 0;
  work: TaskWork | undefined;

  constructor(
    readonly id: string,
    private readonly changed: (task: LongTask) => void,
  ) {}

  get ended(): boolean {
    return this.status === 'completed' || this.status === 'failed' || this.status === 'cancelled';
  }

  /** The task as announced, without what belongs to its state. */
  get plain(): JsonObject {
    return {
      taskId: this.id,
      status: this.status,
      ...(this.statusMessage !== undefined && { statusMessage: this.statusMessage }),
      createdAt: this.createdAt,
      lastUpdatedAt: this.lastUpdatedAt,
      ttlMs,
      pollIntervalMs,
    };
  }

  /** The task with what belongs to its state. */
  get detailed(): JsonObject {
    const asked = [...this.questions].map(([key, question]) => [key, question.asked] as const);
    const waits = this.status === 'input_required' && { inputRequests: Object.fromEntries(asked) };
    return { ...this.plain, ...waits, ...this.outcome };
  }

  async run(perform: () => JsonObject | Promise<JsonObject>): Promise<void> {
    try {
      this.end('completed', { result: await perform() });
    } catch (error) {
      const outcome = errorOutcome(error);
      this.end('failed', outcome, String((outcome.error as JsonObject).message));
    }
  }

  /** Asks the client. @param key that of the question; default: a number @returns its answer */
  ask(method: string, params: JsonObject | undefined, key?: string): Promise<JsonObject> {
    const name = key ?? `question-${++this.count}`;
    return new Promise(resolve => {
      this.questions.set(name, { asked: { method, ...(params && { params }) }, answer: resolve });
      // questions of one turn are shown together
      void Promise.resolve().then(() => this.move('input_required', 'The task needs input.'));
    });
  }

  /** Takes answers to open questions, and ignores others. */
  update(responses: JsonObject): void {
    for (const [key, response] of Object.entries(responses)) {
      const question = this.questions.get(key);
      if (!question || !isObject(response)) continue;
      this.questions.delete(key);
      question.answer(response);
    }
    if (this.questions.size === 0 && this.status === 'input_required') this.move('working');
  }

  cancel(): void {
    this.end('cancelled', {}, 'The task was cancelled.');
    this.work?.cancel();
  }

  /** The first outcome counts; a later outcome of the work is discarded. */
  private end(status: Status, outcome: JsonObject, message?: string): void {
    if (this.ended) return;
    this.outcome = outcome;
    this.questions.clear();
    this.move(status, message);
  }

  private move(status: Status, message?: string): void {
    if (this.ended || this.status === status) return;
    this.status = status;
    this.statusMessage = message;
    this.lastUpdatedAt = new Date().toISOString();
    this.changed(this);
  }
}

/** The tasks of a process. */
class TaskStore {
  private readonly all = new Map<string, LongTask>();

  constructor(private readonly world: World) {}

  newId: () => string = () => randomUUID();

  create(): LongTask {
    const task = new LongTask(this.newId(), ({ id, detailed }) =>
      this.world.announce({ task: id, state: detailed }),
    );
    this.all.set(task.id, task);
    setTimeout(() => this.all.delete(task.id), ttlMs).unref();
    return task;
  }

  has(id: Json): boolean {
    return typeof id === 'string' && this.all.has(id);
  }

  /** @throws {Refusal} when the task does not exist */
  get(id: Json | undefined): LongTask {
    const task = this.all.get(String(id));
    if (!task) throw new Refusal(codes.invalidParams, `There is no task "${String(id)}".`);
    return task;
  }
}

const stores = new WeakMap<World, TaskStore>();

/** The tasks of a process, which all its sessions share. */
export function taskStoreOf(world: World): TaskStore {
  const store = stores.get(world) ?? new TaskStore(world);
  stores.set(world, store);
  return store;
}
