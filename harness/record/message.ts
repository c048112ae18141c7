/** A JSON-RPC message in a record, and the exchange of a request with its response. */

import { createHash } from 'node:crypto';
import {
  isObject,
  type Json,
  type JsonObject,
  kindOf,
  type MessageKind,
  parseJson,
  type RequestId,
  type Role,
} from '../../spec/json-rpc.js';
import type { Deadline, Exited, Frame, Overflow } from './event.js';

/** A JSON-RPC message found in a frame; a batch yields several with the same `seq`. */
export interface Message {
  readonly seq: number;
  readonly by: Role;
  /** Undefined for JSON that is none of the four kinds. */
  readonly kind: MessageKind | undefined;
  readonly json: Json;
  readonly method: string | undefined;
  /** The id as received; undefined when absent. */
  readonly id: Json | undefined;
  /** The id in comparable form: many rules compare ids. */
  readonly idKey: string;
  readonly params: JsonObject | undefined;
  readonly batched: boolean;
  readonly frame: Frame;
}

/** A request with its reply, if there was one. */
export interface Exchange {
  readonly request: Message;
  readonly reply: Message | undefined;
  /** The wait that ended without a reply. */
  readonly deadline: Deadline | undefined;
  /** The first request, where the server needed input of the client before it served this one. */
  readonly first?: Message;
}

export const resultOf = (exchange: Exchange): JsonObject | undefined => {
  const reply = exchange.reply;
  if (reply?.kind !== 'result' || !isObject(reply.json)) return undefined;
  return isObject(reply.json.result) ? reply.json.result : undefined;
};

export const errorOf = (exchange: Exchange): JsonObject | undefined => {
  const reply = exchange.reply;
  if (reply?.kind !== 'error' || !isObject(reply.json)) return undefined;
  return isObject(reply.json.error) ? reply.json.error : {};
};

/** Cache of keys: most ids count up from 1. */
const keysOfCounts = new Array<string | undefined>(10_000);

/**
 * Comparable form of an id, including its JSON type: `1` is not `"1"`. Strings and numbers, the usual ids,
 * need no JSON encoding. Long ids have a hash: a key is kept for each message.
 */
export function idKey(id: Json | undefined): string {
  if (typeof id === 'string') return `string:${shortKey(id)}`;
  if (typeof id !== 'number') return `${typeof id}:${shortKey(JSON.stringify(id) ?? 'undefined')}`;
  const known = keysOfCounts[id];
  if (known !== undefined) return known;
  const key = `number:${id}`;
  if (Number.isInteger(id) && id >= 0 && id < keysOfCounts.length) keysOfCounts[id] = key;
  return key;
}

/** Ids up to this length (characters) are their own key. */
const longestKey = 200;

const shortKey = (text: string): string =>
  text.length <= longestKey
    ? text
    : `${text.length} characters, ${createHash('sha256').update(text).digest('hex')}`;

/** The text of an id, whatever its JSON type: the same for `1` and `"1"`. */
export const idText = ({ idKey: key }: Pick<Message, 'idKey'>): string => key.slice(key.indexOf(':') + 1);

/** True for a result or an error, with or without a matching request. */
export const isReply = ({ kind }: Message): boolean => kind === 'result' || kind === 'error';

/** True for a request that every peer is able to answer: valid envelope, any params. */
export const isWellFormedRequest = (m: Message): boolean =>
  m.kind === 'request' &&
  isObject(m.json) &&
  m.json.jsonrpc === '2.0' &&
  typeof m.method === 'string' &&
  (typeof m.id === 'string' || Number.isInteger(m.id)) &&
  (m.params !== undefined || m.json.params === undefined);

export function toMessages(frame: Frame): Placed[] {
  if (frame.cutFrom !== undefined) return [];
  const json = parseJson(frame.text);
  if (json === undefined) return [];
  return Array.isArray(json)
    ? json.map(item => toMessage(item, frame, true))
    : [toMessage(json, frame, false)];
}

function toMessage(json: Json, frame: Frame, batched: boolean): Placed {
  const { id, method, params }: Partial<JsonObject> = isObject(json) ? json : {};
  return {
    seq: frame.seq,
    by: frame.by,
    kind: kindOf(json),
    json,
    method: typeof method === 'string' ? method : undefined,
    id,
    idKey: idKey(id),
    params: isObject(params) ? params : undefined,
    batched,
    frame,
    request: undefined,
    replies: undefined,
  };
}

/** The limit of the harness that an input exceeded, in words. */
export function overflowInWords({ what, amount }: Pick<Overflow, 'what' | 'amount'>): string {
  if (what === 'line') return `a message of more than ${amount} bytes, the limit (--max-message)`;
  if (what === 'values') return `a message with more than ${amount} values, the limit`;
  if (what === 'depth') return `a message with a depth of more than ${amount}, the limit`;
  if (what === 'batch') return `a batch of more than ${amount} messages, the limit`;
  if (what === 'bytes') return `more than ${amount} bytes of input, the limit (--max-message)`;
  return `more than ${amount - 1} ${what === 'frames' ? 'lines, events or requests' : 'connections'}, the limit`;
}

/** Description of the end of a process. */
export const endInWords = ({ signal, code }: Exited): string =>
  `the process ended (${signal ?? `exit code ${code}`})`;

/** A message in a few words: its method, or what kind of response it is. */
export function describeMessage({ method, kind }: Message): string {
  if (method !== undefined) return method;
  if (kind === 'error') return 'an error';
  return kind === 'result' ? 'a result' : 'another value';
}

export const describeId = (id: RequestId | Json | undefined): string => JSON.stringify(id) ?? 'no id';
/** A recorded message with its related messages, as far as they have arrived. */
export interface Placed extends Message {
  /** The request of this reply. */
  request: Message | undefined;
  replies: Message[] | undefined;
}
