/** Results that a deviation of the reference client keeps and uses again; the reference itself keeps none. */

import type { JsonObject } from '../../spec/json-rpc.js';
import type { ClientBehaviour } from './behaviour.js';

/** The mark of results of requests that were sent again with answers. */
const again = 'again ';

export class ResultCache {
  private readonly results = new Map<string, JsonObject>();

  constructor(private readonly habits: ClientBehaviour) {}

  /** A kept result; whether a request is sent again is known afterwards, so every possible key is tried. */
  find(method: string, params: JsonObject | undefined): JsonObject | undefined {
    for (const [key, result] of this.results) {
      const isRetried = key.startsWith(again);
      const own = isRetried ? key.slice(again.length) : key;
      if (this.habits.cacheKey(method, params, result, isRetried) === own) return result;
    }
    return undefined;
  }

  keep(method: string, params: JsonObject | undefined, result: JsonObject, isRetried: boolean): void {
    const key = this.habits.cacheKey(method, params, result, isRetried);
    if (key !== undefined) this.results.set(`${isRetried ? again : ''}${key}`, result);
  }

  /** The server has notified of a change. */
  drop(): void {
    if (this.habits.dropsStale) this.results.clear();
  }
}
