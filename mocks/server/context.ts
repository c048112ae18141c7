/**
 * Data and operations for middleware. Each deviation of each connection has one context, with the lifetime of
 * the connection.
 */

import type { Json } from '../../spec/json-rpc.js';
import type { Revision } from '../../spec/revisions.js';
import { Memory } from '../fault-state.js';
import type { OpenSession, World } from './interfaces.js';

export class Context extends Memory {
  /** @param at holds the session whose messages the middleware sees at this moment */
  constructor(private readonly at: { readonly session: OpenSession }) {
    super();
  }

  get session(): OpenSession {
    return this.at.session;
  }

  /** The negotiated revision; before negotiation the newest one offered. */
  get revision(): Revision {
    return this.session.revision;
  }

  get world(): World {
    return this.session.world;
  }

  /** The client has sent `notifications/initialized`. */
  get initialized(): boolean {
    return this.session.initialized;
  }

  /** Sends a message without the `message` hooks. */
  send(message: Json): void {
    this.session.channel.send(message);
  }

  /** Writes to standard output without changes. */
  write(bytes: string | Buffer): void {
    this.session.channel.write(bytes);
  }

  /** Writes to standard error. */
  warn(text: string): void {
    this.session.channel.warn(text);
  }

  /** Terminates the process immediately. */
  exit(code: number): void {
    this.session.channel.exit(code);
  }

  /** Runs a function later, unless the connection has ended before. @param ms milliseconds */
  after(ms: number, act: () => void): void {
    this.session.after(ms, act);
  }

  /** A request id that the mock has not used yet. */
  nextId(): number {
    return this.session.nextId();
  }

  /** A number from 0 to 1, the same for the same seed. */
  random(): number {
    return this.session.random();
  }
}
