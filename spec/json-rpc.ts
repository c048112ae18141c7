/** JSON-RPC 2.0 as MCP uses it: the four kinds of messages and how to distinguish them. */

export type Json = null | boolean | number | string | Json[] | JsonObject;
export interface JsonObject {
  [key: string]: Json;
}

/** basic/index#requests: a string or an integer. */
export type RequestId = string | number;

export type MessageKind = 'request' | 'notification' | 'result' | 'error';
export type Role = 'client' | 'server';

/** The parties that can be under test: a role of the protocol, or the authorization server. */
export type Party = Role | 'authorization-server';

/** The other side of the conversation. */
export const otherRole = (role: Role): Role => (role === 'client' ? 'server' : 'client');

export const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** A member of a table or of an object, by a name that a subject chose: never a member that each object has. */
export const ownMember = <T>(table: Readonly<Record<string, T>>, name: unknown): T | undefined =>
  typeof name === 'string' && Object.hasOwn(table, name) ? table[name] : undefined;

/**
 * The kind of a message, from its members alone; `undefined` when the message has none of the four shapes.
 * Deliberately lenient, so that a malformed message is still judged as the kind that was meant.
 */
export function kindOf(json: Json): MessageKind | undefined {
  if (!isObject(json)) return undefined;
  if ('method' in json) return 'id' in json ? 'request' : 'notification';
  if ('error' in json) return 'error';
  if ('result' in json) return 'result';
  return undefined;
}

/** An object without some of its members. */
export const without = <T extends object>(object: T, ...names: readonly string[]): T =>
  Object.fromEntries(Object.entries(object).filter(([name]) => !names.includes(name))) as T;

/** Equal values have equal texts: members are sorted. @param isKept members that count; default: all */
export function canonicalJson(
  value: Json | undefined,
  isKept: (name: string, member: Json) => boolean = () => true,
): string {
  const text = (item: Json): string => canonicalJson(item, isKept);
  if (Array.isArray(value)) return `[${value.map(text).join(',')}]`;
  if (!isObject(value)) return JSON.stringify(value) ?? 'absent';
  const members = Object.entries(value)
    .filter(([name, member]) => isKept(name, member))
    .sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${text(member)}`).join(',')}}`;
}

/** Objects and arrays inside each other in JSON that is read: much of the code visits values by recursion. */
export const deepestJson = 500;

/** Whether objects and arrays in a JSON text are nested deeper than what is read. */
export function isDeep(text: string): boolean {
  if (text.length < 2 * deepestJson) return false;
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    // [ {
    if (code === 0x5b || code === 0x7b) {
      if (++depth > deepestJson) return true;
    }
    // ] }
    else if (code === 0x5d || code === 0x7d) depth--;
    // "
    else if (code === 0x22) at = endOfText(text, at);
  }
  return false;
}

/** The position of the quote that ends a text. */
function endOfText(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end !== -1; end = text.indexOf('"', end + 1)) {
    let first = end;
    while (text.charCodeAt(first - 1) === 0x5c) first--;
    if ((end - first) % 2 === 0) return end;
  }
  return text.length;
}

/** How a JSON text begins. Forms and pages do not: an exception of the parser takes many times as long as this. */
const beginning = /^[ \t\r\n]*[[{"\-\dtfn]/;

/** The value of a JSON text; undefined for other texts. */
export function parseJson(text: unknown): Json | undefined {
  if (typeof text !== 'string' || !beginning.test(text)) return undefined;
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}

/** The object of a JSON text; undefined for other values and other texts. */
export function parseObject(text: unknown): JsonObject | undefined {
  const json = parseJson(text);
  return isObject(json) ? json : undefined;
}

/**
 * A string as it is, any other value as JSON. Unlike `String`, it accepts an object with a member `toString`, which
 * a subject may send.
 */
export const asText = (value: unknown): string =>
  typeof value === 'string' ? value : (JSON.stringify(value) ?? String(value));

/** Like `parseObject`, for a text from outside of a conversation, whose depth nothing has checked. */
export const parseShallow = (text: string): JsonObject | undefined =>
  isDeep(text) ? undefined : parseObject(text);

export const isJson = (text: string): boolean => parseJson(text) !== undefined;
