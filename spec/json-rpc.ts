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

/** The value of a JSON text; undefined for other texts. */
export function parseJson(text: unknown): Json | undefined {
  try {
    return typeof text === 'string' ? (JSON.parse(text) as Json) : undefined;
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

export const isJson = (text: string): boolean => parseJson(text) !== undefined;
