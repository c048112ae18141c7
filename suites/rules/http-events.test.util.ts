import type { NewEvent } from '../../harness/record/event.js';
import type { Json } from '../../spec/json-rpc.js';
import type { Revision } from '../../spec/revisions.js';
import type { Example, ExampleTable } from './example.test.util.js';
import { everything, everythingOfClient, handshake, type Line, request, result } from './record.test.util.js';

type Headers = Record<string, string>;
const list = (headers: Headers) => Object.entries(headers);
export const polite = {
  Accept: 'application/json, text/event-stream',
  'Content-Type': 'application/json',
};

/** A request of the harness and the head of its response. */
export const ask = (
  exchange: number,
  method: string,
  body: Json | undefined,
  status: number,
  type?: string,
  more: {
    headers?: Headers;
    sent?: Headers;
    deliberate?: true;
    transport?: 'sse';
    connection?: number | undefined;
    url?: string;
  } = {},
): Line[] => {
  const { headers = {}, sent = {}, deliberate, transport, connection, url = 'http://localhost/mcp' } = more;
  const stream = method === 'POST' ? 'post' : (transport ?? 'get');
  const mark = deliberate ? { deliberate } : {};
  const frame: NewEvent = {
    kind: 'frame',
    by: 'client',
    text: JSON.stringify(body),
    exchange,
    stream,
    ...mark,
  };
  const all = list({ ...(type && { 'Content-Type': type }), ...headers });
  return [
    ...(body === undefined ? [] : [frame]),
    {
      kind: 'http-request',
      exchange,
      method,
      url,
      headers: list({ ...polite, ...sent }),
      stream,
      ...(connection !== undefined && { connection }),
      ...mark,
    },
    { kind: 'http-response', exchange, status, headers: all },
  ];
};

export const end = (exchange: number, by: 'server' | 'client' = 'server'): Line => ({
  kind: 'http-end',
  exchange,
  by,
});

/** A message as an event of a stream. */
export const event = (
  exchange: number,
  json: Json,
  fields: { id?: string; event?: string; raw?: string } = {},
  stream: 'post' | 'get' | 'sse' = 'post',
): Line[] => [
  { kind: 'sse', exchange, ...fields, framed: true },
  { kind: 'frame', by: 'server', text: JSON.stringify(json), exchange, stream },
];

export const body = (exchange: number, json: Json): Line => ({
  kind: 'frame',
  by: 'server',
  text: JSON.stringify(json),
  exchange,
  stream: 'post',
});

/** A ping and its response on a stream of its own. */
export const ping = (exchange: number, id = exchange): Line[] => [
  ...ask(exchange, 'POST', request(id, 'ping'), 200, 'text/event-stream'),
  ...event(exchange, result(id)),
  end(exchange),
];

/** Examples over one transport. */
export const over = (
  transport: 'streamable-http' | 'http-sse',
  table: Record<string, Partial<Record<'good' | 'legal' | 'bad', (readonly Line[] | Example)[]>>>,
): ExampleTable =>
  Object.fromEntries(
    Object.entries(table).map(([id, { good = [], legal = [], bad = [] }]) => {
      const at = (e: readonly Line[] | Example): Example => {
        const { lines, ...more } = 'lines' in e ? e : { lines: e };
        if (typeof lines === 'function') return { transport, lines, ...more };
        const shaken = (r: Revision) => [...handshake(r, everything, everythingOfClient), ...lines];
        return { transport, lines: shaken, ...more };
      };
      return [id, { good: good.map(at), legal: legal.map(at), bad: bad.map(at) }];
    }),
  );
