/** Live mutants of clients: changes in the messages that the reference client sends, and in those that it receives. */

import { hash } from '../../../harness/generate/hash.js';
import type { ClientContext } from '../../../mocks/client/context.js';
import {
  type ClientMiddleware,
  onAnswer,
  onAsk,
  onIncoming,
  onNotification,
  onReply,
  onResult,
} from '../../../mocks/client/fault.js';
import { isObject, type Json, type JsonObject } from '../../../spec/json-rpc.js';
import { revisions } from '../../../spec/revisions.js';
import type { ClientTraffic, Path, Places } from './live-client-traffic.js';
import { before, firstResponse, responseBefore } from './live-values.js';
import { changed, changesOf } from './values.js';

export type Named = readonly [name: string, ...middleware: ClientMiddleware[]];

/** Operators on the values that the client sends, by turns: `npm run mutants` tries each one at each place in records. */
const operators = ['dropped', 'retyped', 'emptied', 'renamed'] as const;

/** Legal values in place of others. */
const neighbours: Readonly<Record<string, Json>> = {
  accept: 'decline',
  decline: 'cancel',
  cancel: 'accept',
  assistant: 'user',
  endTurn: 'maxTokens',
  toolUse: 'endTurn',
  'ref/prompt': 'ref/resource',
  completed: 'failed',
  working: 'completed',
  ...Object.fromEntries(revisions.slice(1).map(({ id }, at) => [id, revisions[at]!.id])),
};

const neighbourOf = (value: Json): Json | undefined => {
  if (typeof value === 'boolean') return !value;
  if (typeof value === 'number') return value + 1;
  return typeof value === 'string' ? neighbours[value] : undefined;
};

const valueAt = (json: Json | undefined, path: Path): Json | undefined =>
  path.reduce<Json | undefined>((at, name) => {
    if (Array.isArray(at)) return at[name as number];
    return isObject(at) ? at[name as string] : undefined;
  }, json);

/** The value with one change at a place; the same value where nothing stands at the place. */
function altered(json: JsonObject, path: Path, operator: string): JsonObject {
  const value = valueAt(json, path);
  if (value === undefined) return json;
  const node = { path, place: path.join('/'), value };
  const change = changesOf(node, neighbourOf(value)).find(one => one.operator === operator);
  return change ? (changed(json, path, change) as JsonObject) : json;
}

/** The value at a place as in the message before. */
function asBefore(json: JsonObject, path: Path, context: ClientContext): JsonObject {
  const last = before(context, valueAt(json, path));
  const parent = valueAt(json, path.slice(0, -1));
  if (last === undefined || !isObject(parent)) return json;
  return changed(json, path, { operator: '', value: last }) as JsonObject;
}

/** All changes of the values in one kind of message. */
const ofPlaces = (
  what: string,
  places: Places,
  on: (change: (json: JsonObject, context: ClientContext) => JsonObject) => ClientMiddleware,
): Named[] =>
  [...places].flatMap(([place, { path, values }]) => [
    ...turnsOf(place, values).map(
      (operator): Named => [`${what}.${place} ${operator}`, on(json => altered(json, path, operator))],
    ),
    ...(values.size > 1
      ? [
          [
            `${what}.${place} of the message before`,
            on((json, context) => asBefore(json, path, context)),
          ] as const,
        ]
      : []),
  ]);

const turnsOf = (place: string, values: ReadonlySet<string>): string[] => [
  operators[hash(place) % operators.length]!,
  ...([...values].some(text => neighbourOf(JSON.parse(text) as Json) !== undefined) ? ['swapped'] : []),
];

type Change = (json: JsonObject, context: ClientContext) => JsonObject;
const inParams =
  (change: Change) =>
  (message: JsonObject, context: ClientContext): JsonObject => {
    const params = isObject(message.params) ? message.params : undefined;
    const next = params && change(params, context);
    return next === params ? message : { ...message, params: next! };
  };

/** What stands in each request of a revision without a handshake counts once. */
const isEnvelope = (path: Path): boolean => path[0] === '_meta' && String(path[1] ?? '').includes('/');

const split = (places: Places, inside: boolean): Places =>
  new Map([...places].filter(([, { path }]) => isEnvelope(path) === inside));

/** The mutants of the messages of a revision. */
export function ofMessages(traffic: ClientTraffic): Named[] {
  const { asks, notices, answers, codes, results, heard, refusals } = traffic;
  const envelope = new Map([...asks.values()].flatMap(places => [...split(places, true)]));
  return [
    ...[...asks].flatMap(([method, places]) =>
      ofPlaces(`${method}: params`, split(places, false), change => onAsk(method, inParams(change))),
    ),
    ...ofPlaces('each request: params', envelope, change => onAsk('*', inParams(change))),
    ...[...asks.keys()].flatMap(ofAsk),
    ...[...notices].flatMap(([method, places]) => [
      ...ofPlaces(`${method}: params`, places, change => onNotification(method, inParams(change))),
      ...ofNotice(method),
    ]),
    ...[...answers].flatMap(([method, places]) =>
      ofPlaces(`${method}: result`, places, change =>
        onAnswer(method, (result, _, context) => change(result, context)),
      ),
    ),
    ...[...codes].flatMap(([method, known]) => ofAnswer(method, known)),
    ...[...results].flatMap(([method, places]) => ofResult(method, places)),
    ...[...heard].flatMap(([method, places]) => ofHeard(method, places)),
    ...[...refusals].flatMap(ofRefusal),
  ];
}

const ofAsk = (method: string): Named[] => [
  [`${method}: sent twice under one id`, onAsk(method, ask => [ask, ask])],
  [
    `${method}: under the id of the request before`,
    onAsk(method, (ask, context) => {
      const ids = context.keep(() => ({
        last: undefined as Json | undefined,
        owns: new Map<string, Json>(),
      }));
      const { last } = ids;
      ids.last ??= ask.id;
      if (last === undefined) return ask;
      ids.owns.set(JSON.stringify(last), ask.id!);
      return { ...ask, id: last };
    }),
    onIncoming((message, context) => {
      const { owns } = context.keep(() => ({
        last: undefined as Json | undefined,
        owns: new Map<string, Json>(),
      }));
      const isReply = isObject(message) && !('method' in message);
      const own = isReply ? owns.get(JSON.stringify(message.id)) : undefined;
      return own === undefined ? message : { ...(message as JsonObject), id: own };
    }),
  ],
];

const ofNotice = (method: string): Named[] => [
  [`${method}: not sent`, onNotification(method, () => undefined)],
  [
    `${method}: sent once only`,
    onNotification(method, (message, context) => (context.count() > 1 ? undefined : message)),
  ],
  [`${method}: sent twice`, onNotification(method, message => [message, message])],
  [`${method}: one too late`, onNotification(method, (message, context) => before(context, message))],
  [
    `${method}: sent again later`,
    onNotification(method, (message, context) => {
      context.after(30, () => void context.send(message).catch(() => {}));
      return message;
    }),
  ],
  [`${method}: sent as a request`, onNotification(method, message => ({ ...message, id: 'mutant' }))],
];

const otherCodes = [-32_601, -32_602, -32_603, 0];

const refused = (ask: JsonObject, code: number): JsonObject => ({
  jsonrpc: '2.0',
  id: ask.id ?? null,
  error: { code, message: 'No.' },
});

const ofAnswer = (method: string, codes: ReadonlySet<number>): Named[] => [
  ...[...codes].flatMap(code =>
    otherCodes
      .filter(other => other !== code)
      .map(
        (other): Named => [
          `${method}: error ${other} for ${code}`,
          onReply(method, reply =>
            isObject(reply.error) && reply.error.code === code
              ? { ...reply, error: { ...reply.error, code: other } }
              : reply,
          ),
        ],
      ),
  ),
  [
    `${method}: an empty result for an error`,
    onReply(method, reply => ('error' in reply ? { jsonrpc: '2.0', id: reply.id!, result: {} } : reply)),
  ],
  [
    `${method}: an error for each result`,
    onReply(method, (reply, ask) => ('error' in reply ? reply : refused(ask, -32_603))),
  ],
  [`${method}: no response`, onReply(method, () => undefined)],
  [`${method}: no response for an error`, onReply(method, reply => ('error' in reply ? undefined : reply))],
  [
    `${method}: no response from the second request on`,
    onReply(method, (reply, _, context) => (context.count() > 1 ? undefined : reply)),
  ],
  [
    `${method}: an error from the second request on`,
    onReply(method, (reply, ask, context) => (context.count() > 1 ? refused(ask, -32_603) : reply)),
  ],
  [`${method}: the response of the request before`, onReply(method, responseBefore)],
  [`${method}: answered once, then the same response`, onReply(method, firstResponse)],
  [
    `${method}: under the id of the request before`,
    onReply(method, (reply, _, context) => ({ ...reply, id: before(context, reply.id) ?? reply.id! })),
  ],
  [`${method}: answered twice`, onReply(method, reply => [reply, reply])],
  [
    `${method}: answered again later`,
    onReply(method, (reply, _, context) => {
      context.after(30, () => void context.send(reply).catch(() => {}));
      return reply;
    }),
  ],
  [
    `${method}: exits at the second request`,
    onReply(method, (reply, _, context) => {
      if (context.count() !== 2) return reply;
      context.exit(1);
      return undefined;
    }),
  ],
  [
    `${method}: progress after the response`,
    onReply(method, (reply, { params }) => {
      const meta = isObject(params) && isObject(params._meta) ? params._meta : {};
      const { progressToken } = meta;
      if (progressToken === undefined) return reply;
      const more = {
        jsonrpc: '2.0',
        method: 'notifications/progress',
        params: { progressToken, progress: 99 },
      };
      return [reply, more];
    }),
  ],
];

/** The client does not see a member of a result, or sees an earlier one. */
const ofResult = (method: string, places: Places): Named[] =>
  [...places]
    .filter(([, { path }]) => path.length === 1 && path[0] !== '_meta')
    .flatMap(([place, { path, values }]): Named[] => [
      [
        `${method}: result.${place} of the server is not seen`,
        onResult(method, result => altered(result, path, 'dropped')),
      ],
      ...(values.size > 1
        ? [
            [
              `${method}: result.${place} of the server is the one before`,
              onResult(method, (result, _, context) => asBefore(result, path, context)),
            ] as const,
          ]
        : []),
    ]);

/** The client does not hear a message of the server, or a part of it. */
const ofHeard = (method: string, places: Places): Named[] => {
  const onHeard = (change: (message: JsonObject, context: ClientContext) => Json | undefined) =>
    onIncoming((message, context) =>
      isObject(message) && message.method === method ? change(message, context) : message,
    );
  return [
    [`${method} of the server: ignored`, onHeard(() => undefined)],
    [
      `${method} of the server: the one before`,
      onHeard((message, context) => {
        const last = before(context, message);
        if (!last) return message;
        return message.id === undefined ? last : { ...last, id: message.id };
      }),
    ],
    ...[...places]
      .filter(([, { path }]) => path.length === 1)
      .map(
        ([place, { path }]): Named => [
          `${method} of the server: params.${place} not seen`,
          onHeard(inParams(params => altered(params, path, 'dropped'))),
        ],
      ),
  ];
};

const ofRefusal = (code: number): Named[] => {
  const onCode = (change: (message: JsonObject, context: ClientContext) => Json | undefined) =>
    onIncoming((message, context) =>
      isObject(message) && isObject(message.error) && message.error.code === code
        ? change(message, context)
        : message,
    );
  return [
    [
      `error ${code} of the server: exits`,
      onCode((message, context) => {
        context.exit(1);
        return message;
      }),
    ],
    [
      `error ${code} of the server: taken for an empty result`,
      onCode(({ error: _, ...rest }) => ({ ...rest, result: { resultType: 'complete' } })),
    ],
    [
      `error ${code} of the server: taken for another error`,
      onCode(message => ({ ...message, error: { code: -32_603, message: 'Internal error' } })),
    ],
  ];
};
