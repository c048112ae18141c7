/** The open subscription of the reference client where a request asks for changes (basic/patterns/subscriptions). */

import { envelopeKeys, metaOf } from '../../harness/record/envelope.js';
import { idKey } from '../../harness/record/message.js';
import { isObject, type Json, type JsonObject, type RequestId } from '../../spec/json-rpc.js';
import type { AskOptions } from './ask.js';

interface Listener {
  readonly parts: { readonly habits: { readonly watchesTools: boolean } };
  askOnce(method: string, params: JsonObject | undefined, options: AskOptions): Promise<JsonObject>;
  withdraw(id: RequestId): Promise<void>;
}

/** Times that a lost subscription is renewed. */
const mostRenewals = 3;

export class Subscriptions {
  private readonly uris = new Set<string>();
  private readonly taskIds = new Set<string>();
  /** States of tasks that nobody has waited for yet. */
  private readonly states = new Map<string, JsonObject[]>();
  private readonly waiters = new Map<string, (state: JsonObject) => void>();
  private open: RequestId | undefined;
  private acknowledge: () => void = () => {};
  private renewals = 0;

  constructor(private readonly session: Listener) {}

  /** Watches a resource, or watches it no longer. A new subscription replaces the former one. */
  async watch(uri: string, on: boolean): Promise<void> {
    if (on) this.uris.add(uri);
    else this.uris.delete(uri);
    await this.renew();
  }

  /** Watches a task, or watches it no longer. */
  async watchTask(taskId: string, on: boolean): Promise<void> {
    if (on) this.taskIds.add(taskId);
    else this.taskIds.delete(taskId);
    await this.renew();
  }

  /** The next state of a watched task. */
  nextState(taskId: string): Promise<JsonObject> {
    const state = this.states.get(taskId)?.shift();
    return state ? Promise.resolve(state) : new Promise(resolve => this.waiters.set(taskId, resolve));
  }

  /** Whether a subscription is wanted. */
  get isWanted(): boolean {
    return this.uris.size + this.taskIds.size > 0;
  }

  private get filter(): JsonObject {
    return {
      ...(this.uris.size > 0 && { resourceSubscriptions: [...this.uris] }),
      ...(this.uris.size > 0 && this.session.parts.habits.watchesTools && { toolsListChanged: true }),
      ...(this.taskIds.size > 0 && { taskIds: [...this.taskIds] }),
    };
  }

  /** Sends the subscription again, and ends the former one. */
  async renew(): Promise<void> {
    const former = this.open;
    this.open = undefined;
    if (former !== undefined) await this.session.withdraw(former);
    if (!this.isWanted) return;
    const acknowledged = new Promise<void>(resolve => {
      this.acknowledge = resolve;
    });
    let own: RequestId | undefined;
    const over = this.session
      .askOnce(
        'subscriptions/listen',
        { notifications: this.filter },
        {
          timeoutMs: Number.POSITIVE_INFINITY,
          onSent: id => {
            own = id;
            this.open = id;
          },
        },
      )
      .then(
        () => this.ended(own),
        () => this.ended(own),
      );
    await Promise.race([acknowledged, over]);
  }

  private ended(id: RequestId | undefined): void {
    this.acknowledge();
    if (id === undefined || this.open !== id) return;
    this.open = undefined;
  }

  /** The connection is lost: the subscription is no longer open. */
  lost(): void {
    this.open = undefined;
  }

  /** Whether a subscription that ended without being asked to is to be renewed now. */
  get isDue(): boolean {
    return this.isWanted && this.open === undefined && this.renewals++ < mostRenewals;
  }

  /** A notification of the server; one of another subscription is ignored. */
  hear(message: JsonObject): void {
    const params = isObject(message.params) ? message.params : undefined;
    const id: Json | undefined = metaOf({ params })[envelopeKeys.subscriptionId];
    if (message.method === 'notifications/tasks' && params) this.take(params);
    if (message.method !== 'notifications/subscriptions/acknowledged') return;
    if (idKey(id) === idKey(this.open)) this.acknowledge();
  }

  private take({ _meta: _, ...state }: JsonObject): void {
    const taskId = String(state.taskId);
    const waiter = this.waiters.get(taskId);
    this.waiters.delete(taskId);
    if (waiter) waiter(state);
    else this.states.set(taskId, [...(this.states.get(taskId) ?? []), state]);
  }
}
