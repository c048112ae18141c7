/** basic/patterns/subscriptions: open requests that deliver notifications of changes. */

import { declares } from '../../harness/record/conversation.js';
import { envelopeKeys } from '../../harness/record/envelope.js';
import { isObject, type JsonObject, type RequestId } from '../../spec/json-rpc.js';
import { subscribedTasks } from './extensions/tasks.js';
import type { Call, Change, OpenSession } from './interfaces.js';

interface Subscription {
  readonly id: RequestId;
  readonly filter: JsonObject;
  end(): void;
}

/** The entries of a filter for lists, each with the capability that it needs. */
const lists = { toolsListChanged: 'tools', promptsListChanged: 'prompts', resourcesListChanged: 'resources' };

export class Subscriptions {
  private readonly open = new Set<Subscription>();

  constructor(private readonly session: OpenSession) {}

  /** Serves subscriptions/listen: acknowledges, and resolves when the subscription ends. */
  listen(params: JsonObject, call: Call): Promise<JsonObject> {
    const filter = this.honoured(isObject(params.notifications) ? params.notifications : {}, call);
    return new Promise(resolve => {
      const subscription: Subscription = {
        id: call.id,
        filter,
        end: () => {
          this.open.delete(subscription);
          resolve({ _meta: { [envelopeKeys.subscriptionId]: call.id } });
        },
      };
      this.notify(subscription, 'notifications/subscriptions/acknowledged', { notifications: filter });
      this.open.add(subscription);
      call.signal.addEventListener('abort', subscription.end, { once: true });
    });
  }

  /** The entries that the mock supports. */
  private honoured(wanted: JsonObject, call: Call): JsonObject {
    const { scope } = call;
    const filter: JsonObject = {};
    for (const [entry, list] of Object.entries(lists))
      if (wanted[entry] === true && declares(scope.capabilities, `${list}.listChanged`)) filter[entry] = true;
    const uris = wanted.resourceSubscriptions;
    if (Array.isArray(uris) && declares(scope.capabilities, 'resources.subscribe'))
      filter.resourceSubscriptions = uris;
    const ids = subscribedTasks(wanted.taskIds, call);
    if (ids) filter.taskIds = ids;
    return filter;
  }

  announce(change: Change): void {
    for (const subscription of this.open) {
      const { filter } = subscription;
      if ('uri' in change) {
        const uris = filter.resourceSubscriptions;
        if (Array.isArray(uris) && uris.includes(change.uri))
          this.notify(subscription, 'notifications/resources/updated', { uri: change.uri });
      } else if ('task' in change) {
        const ids = filter.taskIds;
        if (Array.isArray(ids) && ids.includes(change.task))
          this.notify(subscription, 'notifications/tasks', change.state);
      } else if (filter[`${change.list}ListChanged`] === true)
        this.notify(subscription, `notifications/${change.list}/list_changed`, {});
    }
  }

  private notify({ id }: Subscription, method: string, params: JsonObject): void {
    const tagged = { ...params, _meta: { [envelopeKeys.subscriptionId]: id } };
    this.session.whileAbout(id, () => this.session.notify(method, tagged));
  }

  /** Ends all subscriptions with a result. */
  endAll(): void {
    for (const subscription of this.open) subscription.end();
  }
}
