/** Test support: records of a revision without a handshake. */

import type { Json, JsonObject } from '../../spec/json-rpc.js';
import { definedRevisions } from '../../spec/revisions.js';
import type { Example, ExampleTable } from './example.test.util.js';
import { ask, body, end, event } from './http-events.test.util.js';
import {
  error,
  everything,
  everythingOfClient,
  type Line,
  notification,
  request,
} from './record.test.util.js';

const key = (name: string): string => `io.modelcontextprotocol/${name}`;
export const { id: version } = definedRevisions.findLast(r => r.era === 'modern')!;

/** The metadata of a request. */
const envelope = (more: JsonObject = {}): JsonObject => ({
  [key('protocolVersion')]: version,
  [key('clientInfo')]: { name: 'c', version: '1' },
  [key('clientCapabilities')]: everythingOfClient,
  ...more,
});

export const enveloped = (id: Json, method: string, params: JsonObject = {}, meta: JsonObject = {}): Json =>
  request(id, method, { ...params, _meta: envelope(meta) });

export const serverInfo = { [key('serverInfo')]: { name: 's', version: '1' } };

export const complete = (id: Json, result: JsonObject = {}, meta: JsonObject = {}): Json => ({
  jsonrpc: '2.0',
  id,
  result: { resultType: 'complete', ...result, _meta: { ...serverInfo, ...meta } },
});

export const hints = { ttlMs: 0, cacheScope: 'private' };

/** A request with its complete result. */
export const answeredWith = (id: number, method: string, params: JsonObject, result: JsonObject): Line[] => [
  ['c', enveloped(id, method, params)],
  ['s', complete(id, result)],
];

export const refusedWith = (id: number, method: string, code: Json, data?: Json): Line[] => [
  ['c', enveloped(id, method, {})],
  ['s', { ...(error(id, code) as JsonObject), error: { code, message: 'no', ...(data && { data }) } }],
];

export const discovered = (capabilities: Json = everything): Line[] =>
  answeredWith(900, 'server/discover', {}, { supportedVersions: [version], capabilities, ...hints });

/** A request that needs input of the client. */
export const asksFor = (
  id: number,
  result: JsonObject,
  method = 'tools/call',
  params: JsonObject = { name: 't' },
): Line[] => [
  ['c', enveloped(id, method, params)],
  ['s', { jsonrpc: '2.0', id, result: { resultType: 'input_required', ...result, _meta: serverInfo } }],
];

export const listens = (id: Json, filter: JsonObject): Line => [
  'c',
  enveloped(id, 'subscriptions/listen', { notifications: filter }),
];

export const tagged = (id: Json, method: string, params: JsonObject = {}): Line => [
  's',
  notification(method, { ...params, _meta: { [key('subscriptionId')]: id } }),
];

export const acknowledged = (id: Json, filter: JsonObject): Line =>
  tagged(id, 'notifications/subscriptions/acknowledged', { notifications: filter });

/** A POST with its response: JSON, or events on a stream. */
export const posted = (
  exchange: number,
  message: Json,
  status: number,
  answers: readonly Json[],
  headers: Record<string, string> = {},
): Line[] => {
  const isStream = answers.length > 1;
  const type = isStream ? 'text/event-stream' : 'application/json';
  const buffering = isStream ? { 'X-Accel-Buffering': 'no' } : {};
  return [
    ...ask(exchange, 'POST', message, status, type, {
      headers: { ...buffering, ...headers },
      sent: { 'MCP-Protocol-Version': version },
    }),
    ...answers.flatMap(json => (isStream ? event(exchange, json) : [body(exchange, json)])),
    end(exchange),
  ];
};

type Some = readonly (readonly Line[] | Example)[];

/** Examples without a handshake; each begins with server/discover. */
export const stateless = (
  table: Record<string, { good: Some; legal?: Some; bad: Some }>,
  transport: Example['transport'] = 'stdio',
): ExampleTable => {
  const place = (some: Some = []): Example[] =>
    some.map(e => {
      const example = 'lines' in e ? e : { lines: e };
      const lines = example.lines as readonly Line[];
      const first = (example.transport ?? transport) === 'stdio' ? discovered() : [];
      return { era: 'modern', transport, ...example, lines: [...first, ...lines] };
    });
  return Object.fromEntries(
    Object.entries(table).map(([id, { good, legal, bad }]) => [
      id,
      { good: place(good), legal: place(legal), bad: place(bad) },
    ]),
  );
};
