/** JSON-RPC 2.0 as MCP uses it: the four message kinds and how to tell them apart. */

export type Json = null | boolean | number | string | Json[] | JsonObject;
export interface JsonObject {
  [key: string]: Json;
}

/** basic/index#requests: a string or an integer. */
export type RequestId = string | number;

export type MessageKind = 'request' | 'notification' | 'result' | 'error';
export type Role = 'client' | 'server';

/** Who can be under test: a role of the protocol, or the authorization server beside it. */
export type Party = Role | 'authorization-server';

/** The other end of the conversation. */
export const otherRole = (role: Role): Role => (role === 'client' ? 'server' : 'client');

export const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/**
 * The kind a message has by its members alone; `undefined` when it has none of the four shapes.
 * Deliberately generous, so that a malformed message is still judged as what it was meant to be.
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

/** What a text says, when it is JSON. */
export function parseJson(text: unknown): Json | undefined {
  try {
    return typeof text === 'string' ? (JSON.parse(text) as Json) : undefined;
  } catch {
    return undefined;
  }
}

/** The object that a text says, when it is one. */
export function parseObject(text: unknown): JsonObject | undefined {
  const json = parseJson(text);
  return isObject(json) ? json : undefined;
}

export const isJson = (text: string): boolean => parseJson(text) !== undefined;
