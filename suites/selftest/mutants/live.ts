/**
 * Live mutants: the reference server with one change in how it behaves, for what no single message shows: parameters that
 * it ignores, responses of earlier requests, notifications that it does not send, a failure after some time.
 */

import {
  type Fault,
  fault,
  type Middleware,
  onError,
  onIncoming,
  onNotification,
  onReply,
  onRequest,
  onResult,
  refusal,
} from '../../../mocks/fault.js';
import { isObject, type Json, type JsonObject, parseJson } from '../../../spec/json-rpc.js';
import type { Revision } from '../../../spec/revisions.js';
import { tryMock } from '../run-mock.js';
import { before, firstResponse, responseBefore, watched } from './live-values.js';
import { changed, nodesOf } from './values.js';

/** What the parties of a conforming run send. */
interface Traffic {
  /** Requests of the client, by method. */
  readonly requests: ReadonlyMap<string, Sent>;
  /** Requests of the server: methods. */
  readonly questions: ReadonlySet<string>;
  /** Notifications of each side: methods. */
  readonly notices: { readonly client: ReadonlySet<string>; readonly server: ReadonlySet<string> };
  /** Capabilities of the server, as paths. */
  readonly capabilities: ReadonlySet<string>;
}

/** Places in the messages about one method. */
interface Sent {
  readonly params: Set<string>;
  readonly lists: Set<string>;
  readonly members: Set<string>;
  readonly codes: Set<number>;
}

interface LiveMutant {
  readonly name: string;
  readonly revision: Revision;
  readonly fault: Fault;
  /** Whether the change has made a difference to a message. */
  readonly hasActed: () => boolean;
}

/** Values deeper than this belong to a fixture. */
const deepest = 2;

/**
 * The handlers of the reference get this parameter; what the envelope says is read before, and nothing reads what no
 * revision defines.
 */
const isHandled = (path: readonly (string | number)[]): boolean => {
  if (path.length > deepest || path[0] === 'unknown') return false;
  return path[0] !== '_meta' || path[1] === 'progressToken';
};

const dotted = (path: readonly (string | number)[]): string => path.join('.');
const split = (place: string): string[] => place.split('.');

const valueAt = (json: Json | undefined, path: readonly (string | number)[]): Json | undefined =>
  path.reduce<Json | undefined>((at, name) => (isObject(at) ? at[name] : undefined), json);

/** Runs the reference, and notes what it and the harness send. */
export async function trafficOf(revision: Revision): Promise<Traffic> {
  const { wire } = await tryMock(revision);
  const requests = new Map<string, Sent>();
  const questions = new Set<string>();
  const notices = { client: new Set<string>(), server: new Set<string>() };
  const capabilities = new Set<string>();
  const methods = new Map<string, string>();
  for (const event of wire) {
    if (event.kind !== 'frame' || event.deliberate) continue;
    const json = parseJson(event.text);
    if (!isObject(json)) continue;
    const { method, id, params, result, error } = json;
    const key = `${event.link} ${JSON.stringify(id)}`;
    if (typeof method === 'string' && id === undefined) notices[event.by as 'client' | 'server'].add(method);
    else if (typeof method === 'string' && event.by === 'server') questions.add(method);
    else if (typeof method === 'string') {
      methods.set(key, method);
      const sent = entryOf(requests, method);
      for (const { path } of nodesOf(params ?? {})) if (isHandled(path)) sent.params.add(dotted(path));
    } else if (event.by === 'server' && methods.has(key)) {
      const sent = entryOf(requests, methods.get(key)!);
      if (isObject(error) && typeof error.code === 'number') sent.codes.add(error.code);
      if (!isObject(result)) continue;
      for (const { path, value } of nodesOf(result)) {
        if (path.length === 1) sent.members.add(dotted(path));
        if (path.length <= deepest && Array.isArray(value) && value.length > 1) sent.lists.add(dotted(path));
      }
      for (const { path } of nodesOf(result.capabilities ?? {})) capabilities.add(dotted(path));
    }
  }
  return { requests, questions, notices, capabilities };
}

function entryOf(requests: Map<string, Sent>, method: string): Sent {
  const sent: Sent = requests.get(method) ?? {
    params: new Set(),
    lists: new Set(),
    members: new Set(),
    codes: new Set(),
  };
  requests.set(method, sent);
  return sent;
}

type Named = readonly [name: string, ...middleware: Middleware[]];

/** The mutants of a revision. */
export function liveMutants(revision: Revision, traffic: Traffic): LiveMutant[] {
  const named: Named[] = [
    ...[...traffic.requests].flatMap(([method, sent]) => ofRequest(method, sent)),
    ...[...traffic.questions].flatMap(ofQuestion),
    ...[...traffic.notices.server].flatMap(ofNotice),
    ...[...traffic.notices.client].map((method): Named => [`${method}: ignored`, ignored(method)]),
    ...[...traffic.capabilities].map(
      (place): Named => [`capability ${place}: not declared`, undeclared(place)],
    ),
  ];
  return named.map(([what, ...middleware]) => {
    let acted = false;
    const note = () => {
      acted = true;
    };
    return {
      name: `${revision.id}: ${what}`,
      revision,
      fault: {
        ...fault('live', { what, breaks: ['base.schema-valid'] }, ...middleware.map(m => watched(m, note))),
        breaks: [],
      },
      hasActed: () => acted,
    };
  });
}

function ofRequest(method: string, { params, lists, members, codes }: Sent): Named[] {
  return [
    ...[...params].map(
      (place): Named => [
        `${method}: params.${place} ignored`,
        onRequest(method, ask => dropped(ask, ['params', ...split(place)])),
      ],
    ),
    ...[...params].map(
      (place): Named => [
        `${method}: params.${place} of the request before`,
        onRequest(method, (ask, context) => {
          const path = split(place);
          const now = valueAt(ask.params, path);
          const last = before(context, now);
          const parent = valueAt(ask, ['params', ...path.slice(0, -1)]);
          if (last === undefined || !isObject(parent)) return ask;
          return changed(ask, ['params', ...path], { operator: '', value: last }) as JsonObject;
        }),
      ],
    ),
    ...[...lists].flatMap(place =>
      Object.entries(listChanges).map(
        ([what, change]): Named => [
          `${method}: result.${place} ${what}`,
          onResult(method, result => {
            const value = valueAt(result, split(place));
            if (!Array.isArray(value) || value.length === 0) return result;
            return changed(result, split(place), { operator: '', value: change(value) });
          }),
        ],
      ),
    ),
    ...[...members].map(
      (place): Named => [
        `${method}: result.${place} of the response before`,
        onResult(method, (result, _, context) => {
          const last = before(context, result[place]);
          return last === undefined ? result : { ...result, [place]: last };
        }),
      ],
    ),
    ...[...codes].flatMap(code =>
      otherCodes
        .filter(other => other !== code)
        .map(
          (other): Named => [
            `${method}: error ${other} for ${code}`,
            onError(method, error => (error.code === code ? { ...error, code: other } : error)),
          ],
        ),
    ),
    ...(codes.size > 0 ? ([[`${method}: an empty result for an error`, pardoned(method)]] as Named[]) : []),
    [`${method}: no response`, onReply(method, () => undefined)],
    [`${method}: no response from the third request on`, later(method, () => undefined)],
    [
      `${method}: an error from the third request on`,
      later(method, (_, ask) => refusal(ask, -32_603, 'busy')),
    ],
    [`${method}: the response of the request before`, onReply(method, responseBefore)],
    [`${method}: served once, then the same response`, onReply(method, firstResponse)],
    [
      `${method}: exits at the fifth request`,
      onReply(method, (reply, _, context) => {
        if (context.count() !== 5) return reply;
        context.exit(1);
        return undefined;
      }),
    ],
  ];
}

const listChanges: Readonly<Record<string, (list: readonly Json[]) => Json[]>> = {
  'without its last item': list => list.slice(0, -1),
  'without its first item': list => list.slice(1),
  empty: () => [],
  'with one item only': list => list.slice(0, 1),
  'with its first item twice': list => [...list, list[0]!],
  reversed: list => list.toReversed(),
};

const otherCodes = [-32_600, -32_601, -32_602, -32_603, -32_700, -32_002, -32_000, 0];

const dropped = (ask: JsonObject, path: readonly string[]): JsonObject => {
  const parent = valueAt(ask, path.slice(0, -1));
  if (!isObject(parent) || !(path.at(-1)! in parent)) return ask;
  return changed(ask, path, { operator: '', value: undefined }) as JsonObject;
};

/** An invalid request gets a result without content. */
const pardoned = (method: string): Middleware =>
  onReply(method, (reply, ask) =>
    'error' in reply ? { jsonrpc: '2.0', id: ask.id ?? null, result: { resultType: 'complete' } } : reply,
  );

const later = (
  method: string,
  change: (reply: JsonObject, ask: JsonObject) => JsonObject | undefined,
): Middleware => onReply(method, (reply, ask, context) => (context.count() > 2 ? change(reply, ask) : reply));

const ofQuestion = (method: string): Named[] => [
  [`${method}: not sent`, { message: message => (message.method === method ? undefined : message) }],
  [
    `${method}: the response of the client is ignored`,
    {
      message: (message, context) => {
        if (message.method === method) context.keep(() => new Set<string>()).add(JSON.stringify(message.id));
        return message;
      },
      incoming: (message, context) => {
        const asked = context.keep(() => new Set<string>());
        const isReply = isObject(message) && !('method' in message) && asked.has(JSON.stringify(message.id));
        return isReply ? undefined : message;
      },
    },
  ],
];

const ofNotice = (method: string): Named[] => [
  [`${method}: not sent`, onNotification(method, () => undefined)],
  [
    `${method}: sent once only`,
    onNotification(method, (m, context) => (context.count() > 1 ? undefined : m)),
  ],
  [`${method}: sent twice`, onNotification(method, m => [m, m])],
  [
    `${method}: params of the notification before`,
    onNotification(method, (message, context) => {
      const last = before(context, message.params);
      return last === undefined ? message : { ...message, params: last };
    }),
  ],
  [
    `${method}: one too late`,
    onNotification(method, (message, context) => {
      return before(context, message);
    }),
  ],
];

const ignored = (method: string): Middleware =>
  onIncoming(message => (isObject(message) && message.method === method ? undefined : message));

const undeclared = (place: string): Middleware =>
  onResult(['initialize', 'server/discover'], result => dropped(result, ['capabilities', ...split(place)]));
