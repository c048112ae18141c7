/** Legal repetitions of clients without a handshake: calls after an error, subscriptions and lists. */

import type { Json, JsonObject } from '../../../spec/json-rpc.js';
import { isObject } from '../../../spec/json-rpc.js';
import { showing } from '../../fault.js';
import { isStateless, paramsOf } from '../../server/faults/shared.js';
import { type ClientDeviation, type ClientMiddleware, clientQuirk, onIncoming, onStep } from '../fault.js';

const modern = (id: string, what: string, ...middleware: ClientMiddleware[]): ClientDeviation =>
  clientQuirk(id, { what, where: isStateless }, ...middleware);

/** Calls a refused tool once more. The tools of scenarios about refusals have names that begin with `refused`. */
function repeatingCalls(change: (params: JsonObject) => JsonObject): ClientMiddleware {
  return {
    message(message, context) {
      const params = paramsOf(message);
      if (message.method === 'tools/call' && String(params.name).startsWith('refused'))
        context.keep(() => new Map<Json, JsonObject>()).set(message.id!, message);
      return message;
    },
    incoming(message, context) {
      const calls = context.keep(() => new Map<Json, JsonObject>());
      if (!isObject(message) || !('error' in message)) return message;
      const call = calls.get(message.id!);
      if (call && !String(call.id).startsWith('again'))
        void context.send({ ...call, id: `again ${String(call.id)}`, params: change(paramsOf(call)) });
      return message;
    },
  };
}

const fiveFilters: readonly JsonObject[] = [
  { toolsListChanged: true },
  { promptsListChanged: true },
  { resourcesListChanged: true },
  { resourceSubscriptions: ['test://static-text'] },
  { resourceSubscriptions: ['test://watched-resource', 'test://static-text'] },
];

export const repetitionQuirks: readonly ClientDeviation[] = [
  showing(
    ['error-codes.legacy-range-meaningless#other-arguments'],
    modern(
      'client-calls-with-other-arguments',
      'The client calls a tool again with other arguments after any error.',
      repeatingCalls(params => ({ ...params, arguments: { again: true } })),
    ),
  ),
  showing(
    ['error-codes.legacy-range-meaningless#repeats-any'],
    modern(
      'client-repeats-refused-calls',
      'The client repeats a call once after any error.',
      repeatingCalls(params => params),
    ),
  ),
  showing(
    ['subscriptions.client-checks-ack#other-filters'],
    modern(
      'client-subscribes-with-five-filters',
      'The client opens five subscriptions with five filters after the first acknowledgement.',
      onIncoming((message, context) => {
        const isAck = isObject(message) && String(message.method).endsWith('/acknowledged');
        if (isAck && context.count() === 1)
          for (const filter of fiveFilters)
            void context.ask('subscriptions/listen', { notifications: filter }).catch(() => {});
        return message;
      }),
    ),
  ),
  showing(
    ['caching.ttl-no-polling#elsewhere'],
    modern(
      'client-lists-tools-in-a-row',
      'The client requests a stale list of tools three times before it goes on.',
      onStep(step => (step[0] === 'list' && step[1] === 'tools' ? [step, step, step] : [step])),
    ),
  ),
];
