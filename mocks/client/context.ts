/** What middleware of the client may see and do. One context for each deviation of each start. */

import type { Json, JsonObject } from '../../spec/json-rpc.js';
import type { Revision } from '../../spec/revisions.js';
import type { Habits } from './habits.js';
import type { ClientSession } from './session.js';

/** The parts of the client that live as long as its process. */
export interface Whole {
  readonly habits: Habits;
  /** The conversation under way. */
  readonly session: ClientSession | undefined;
  warn(text: string): void;
  exit(code: number): void;
  /** Does something later, unless the client has gone by then. @param ms milliseconds */
  after(ms: number, act: () => void): void;
}

export class ClientContext {
  private readonly counts = new Map<string, number>();
  private kept: { value: unknown } | undefined;

  constructor(private readonly whole: Whole) {}

  get habits(): Habits {
    return this.whole.habits;
  }

  /** @throws {Error} before there is a conversation */
  get session(): ClientSession {
    if (!this.whole.session) throw new Error('There is no conversation yet.');
    return this.whole.session;
  }

  get revision(): Revision {
    return this.session.revision;
  }

  /** Something this deviation remembers as long as the process lasts. */
  keep<T>(make: () => T): T {
    this.kept ??= { value: make() };
    return this.kept.value as T;
  }

  /** How often this deviation has come here, from 1. */
  count(what = ''): number {
    const count = (this.counts.get(what) ?? 0) + 1;
    this.counts.set(what, count);
    return count;
  }

  /** Sends a message past all `message` hooks. */
  send(message: Json): Promise<void> {
    return this.session.post(message);
  }

  /** Puts bytes on the wire that need not be a message. */
  write(bytes: string | Buffer): Promise<void> {
    return this.session.carrier.write(bytes);
  }

  /** Asks the server something, and waits for the outcome. @throws {Error} when it is refused or lost */
  ask(method: string, params?: JsonObject): Promise<JsonObject> {
    return this.session.ask(method, params);
  }

  warn(text: string): void {
    this.whole.warn(text);
  }

  exit(code: number): void {
    this.whole.exit(code);
  }

  after(ms: number, act: () => void): void {
    this.whole.after(ms, act);
  }
}
