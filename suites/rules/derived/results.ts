/** Results of the subject, in the parts that rules inspect. */

import { type Conversation, derivedBy } from '../../../harness/record/conversation.js';
import { type Exchange, type Message, resultOf } from '../../../harness/record/message.js';
import { questionsTo } from '../../../harness/record/questions.js';
import { formats } from '../../../spec/formats.js';
import { isObject, type Json, type JsonObject } from '../../../spec/json-rpc.js';
import { isSound } from './conversation.js';
import { taskQuestions } from './ext-tasks.js';

export interface Answered {
  readonly request: Message;
  readonly reply: Message;
  readonly result: JsonObject;
}

/** Requests to the subject of one method; to a client also the questions inside of results and of tasks. */
export const askedOf = derivedBy((conversation: Conversation, method: string): readonly Exchange[] => {
  if (conversation.subject === 'server' || !conversation.isStateless)
    return conversation.exchanges({ by: 'peer', method });
  const ofTasks = taskQuestions(conversation).filter(({ request }) => request.method === method);
  return [...questionsTo(conversation, method), ...ofTasks].map(question => ({
    deadline: undefined,
    ...question,
  }));
});

/** Results of the subject to one method. */
export const answered = derivedBy((conversation: Conversation, method: string): readonly Answered[] => {
  const found: Answered[] = [];
  for (const exchange of askedOf(conversation, method)) {
    const { request, reply } = exchange;
    const result = resultOf(exchange);
    if (reply && result && isSound(reply)) found.push({ request, reply, result });
  }
  return found;
});

/** A value for a finding, as JSON of at most 200 characters. */
export const shown = (value: Json | undefined): string => (JSON.stringify(value) ?? 'nothing').slice(0, 200);

export const objects = (value: Json | undefined): JsonObject[] =>
  Array.isArray(value) ? value.filter(isObject) : [];

/** One block, or several. */
export const blocksOf = (content: Json | undefined): JsonObject[] =>
  isObject(content) ? [content] : objects(content);

/** RFC 4648 with the standard alphabet and padding; line breaks are accepted. */
export const isBase64 = (value: Json | undefined): boolean =>
  typeof value === 'string' && formats.byte(value.replace(/[\r\n]/g, ''));

/** type/subtype, with parameters or without. */
export const isMimeType = (value: Json | undefined): boolean =>
  typeof value === 'string' && /^[\w!#$&^.+-]+\/[\w!#$&^.+-]+\s*(;.*)?$/.test(value);

export const isMedia = (block: JsonObject): boolean => block.type === 'image' || block.type === 'audio';

/** The first flaw in the data of images and audio; undefined when there is none. */
export const mediaFlaw = (blocks: readonly JsonObject[]): string | undefined => {
  const wrong = blocks.find(block => !isBase64(block.data));
  return wrong && `data ${JSON.stringify(wrong.data)?.slice(0, 80)}`;
};

/** Whether two values are equal as JSON: the order of members is free. */
export function sameJson(a: Json | undefined, b: Json | undefined): boolean {
  if (a === b) return true;
  if (Array.isArray(a) && Array.isArray(b))
    return a.length === b.length && a.every((x, i) => sameJson(x, b[i]));
  if (!isObject(a) || !isObject(b)) return false;
  const keys = Object.keys(a);
  if (keys.length !== Object.keys(b).length) return false;
  for (const key of keys) if (!Object.hasOwn(b, key) || !sameJson(a[key], b[key])) return false;
  return true;
}

const texts = new WeakMap<JsonObject, string>();

/** An object as JSON text, serialized once for all comparisons. */
export function textOf(object: JsonObject): string {
  let text = texts.get(object);
  if (text === undefined) {
    text = JSON.stringify(object);
    texts.set(object, text);
  }
  return text;
}

/** The last item before a moment; the items are in the order of their moments. */
export function lastBefore<T>(items: readonly T[], seq: number, of: (item: T) => number): T | undefined {
  let [low, high] = [0, items.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (of(items[middle]!) < seq) low = middle + 1;
    else high = middle;
  }
  return items[low - 1];
}
