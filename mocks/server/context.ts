/** What middleware may see and do. One context for each deviation of each connection, which it lasts as long as. */

import type { Json } from '../../spec/json-rpc.js';
import type { Revision } from '../../spec/revisions.js';
import { Memory } from '../fault-state.js';
import type { Session } from './session.js';
import type { World } from './world.js';

export class Context extends Memory {
  constructor(readonly session: Session) {
    super();
  }

  /** The negotiated revision; before that the newest one offered. */
  get revision(): Revision {
    return this.session.revision;
  }

  get world(): World {
    return this.session.world;
  }

  /** The client has said `notifications/initialized`. */
  get initialized(): boolean {
    return this.session.initialized;
  }

  /** Sends a message past all `message` hooks. */
  send(message: Json): void {
    this.session.channel.send(message);
  }

  /** Writes to standard output as it is. */
  write(bytes: string | Buffer): void {
    this.session.channel.write(bytes);
  }

  /** Writes to standard error. */
  warn(text: string): void {
    this.session.channel.warn(text);
  }

  /** Ends the process at once. */
  exit(code: number): void {
    this.session.channel.exit(code);
  }

  /** Does something later, unless the connection has ended by then. @param ms milliseconds */
  after(ms: number, act: () => void): void {
    this.session.after(ms, act);
  }

  /** An id the mock has not used for a request yet. */
  nextId(): number {
    return this.session.nextId();
  }

  /** From 0 to 1, the same for the same seed. */
  random(): number {
    return this.session.random();
  }
}
