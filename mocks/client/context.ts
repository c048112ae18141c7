/** What middleware of the client may see and do. One context for each deviation of each start. */

import type { Json, JsonObject } from '../../spec/json-rpc.js';
import type { Revision } from '../../spec/revisions.js';
import { Memory } from '../fault-state.js';
import type { Habits } from './behaviour.js';
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

export class ClientContext extends Memory {
  constructor(private readonly whole: Whole) {
    super();
  }

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
