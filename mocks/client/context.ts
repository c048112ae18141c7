/** Data and operations for middleware of the client. Each deviation of each start has one context. */

import type { Json, JsonObject } from '../../spec/json-rpc.js';
import type { Revision } from '../../spec/revisions.js';
import { Memory } from '../fault-state.js';
import type { ClientBehaviour } from './behaviour.js';
import type { OpenSession } from './interfaces.js';

/** The parts of the client with the lifetime of its process. */
export interface Whole {
  readonly habits: ClientBehaviour;
  /** The current session. */
  readonly session: OpenSession | undefined;
  warn(text: string): void;
  exit(code: number): void;
  /** Runs a function later, unless the client has exited before. @param ms milliseconds */
  after(ms: number, act: () => void): void;
}

export class ClientContext extends Memory {
  constructor(private readonly whole: Whole) {
    super();
  }

  get habits(): ClientBehaviour {
    return this.whole.habits;
  }

  /** @throws {Error} when no session exists yet */
  get session(): OpenSession {
    if (!this.whole.session) throw new Error('No session exists yet.');
    return this.whole.session;
  }

  get revision(): Revision {
    return this.session.revision;
  }

  /** Sends a message without the `message` hooks. */
  send(message: Json): Promise<void> {
    return this.session.post(message);
  }

  /** Writes bytes that need not be a message. */
  write(bytes: string | Buffer): Promise<void> {
    return this.session.carrier.write(bytes);
  }

  /** Sends a request and waits for the outcome. @throws {Error} when the response is an error or is lost */
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
