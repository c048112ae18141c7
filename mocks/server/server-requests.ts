/** Requests of the mock to its client, and the responses that are still expected. */

import { idKey } from '../../harness/record/message.js';
import { isObject, type Json, type JsonObject } from '../../spec/json-rpc.js';
import type { OpenSession } from './interfaces.js';
import { codes, Refusal } from './refusal.js';

interface Waiting {
  readonly method: string;
  readonly params: JsonObject | undefined;
  settle(outcome: JsonObject | Refusal): void;
}

/** The longest wait for a response, in milliseconds; the response may depend on a user. */
const patienceMs = 60_000;

export class ServerRequests {
  private readonly waiting = new Map<string, Waiting>();

  constructor(private readonly session: OpenSession) {}

  /**
   * Sends a request and waits for its result. No request is sent before `notifications/initialized`.
   * @throws {Refusal} when the response is an error or an invalid result, or when there is no response in
   *   time
   */
  ask(method: string, params: JsonObject | undefined, signal?: AbortSignal): Promise<JsonObject> {
    const { session } = this;
    if (!session.initialized)
      return Promise.reject(
        new Refusal(codes.internalError, 'The client has not sent notifications/initialized.'),
      );
    const id = session.nextId();
    return new Promise((resolve, reject) => {
      const key = idKey(id);
      const { about } = session;
      const giveUp = (why: string) => {
        if (!this.waiting.has(key)) return;
        session.whileAbout(about, () =>
          session.notify('notifications/cancelled', { requestId: id, reason: why }),
        );
        this.waiting.get(key)?.settle(new Refusal(codes.internalError, why));
      };
      const stop = () => giveUp('The response is no longer needed.');
      const timer = setTimeout(() => giveUp('No response arrived in time.'), patienceMs);
      signal?.addEventListener('abort', stop, { once: true });
      this.waiting.set(key, {
        method,
        params,
        settle: outcome => {
          this.waiting.delete(key);
          clearTimeout(timer);
          signal?.removeEventListener('abort', stop);
          if (outcome instanceof Refusal) reject(outcome);
          else resolve(outcome);
        },
      });
      session.sendAll([{ jsonrpc: '2.0', id, method, ...(params && { params }) }]);
    });
  }

  /** Handles a response of the client; a response without an open request is ignored. */
  settle(reply: JsonObject): void {
    const waiting = this.waiting.get(idKey(reply.id));
    waiting?.settle(this.outcomeOf(reply, waiting));
  }

  private outcomeOf(reply: JsonObject, { method, params }: Waiting): JsonObject | Refusal {
    if (isObject(reply.error)) return new Refusal(Number(reply.error.code), `${messageOf(reply.error)}`);
    const { vocabulary } = this.session;
    const definition = vocabulary.resultDefinition('server', method, params);
    const result = reply.result as Json;
    if (!isObject(result) || (definition && !vocabulary.fits(definition, result)))
      return new Refusal(codes.invalidParams, 'The response of the client is malformed.');
    return result;
  }

  close(): void {
    for (const { settle } of this.waiting.values())
      settle(new Refusal(codes.internalError, 'The client has disconnected.'));
  }
}

const messageOf = (error: JsonObject): string =>
  typeof error.message === 'string' ? error.message : 'The client returned an error.';
