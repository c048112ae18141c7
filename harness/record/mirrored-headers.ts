/**
 * HTTP headers that repeat members of the body (basic/transports/streamable-http#request-headers). One pure
 * function for all who need them: the harness sends them, mocks and rules compare them.
 */

import { headerNames } from '../../spec/extensions/index.js';
import { isObject, type Json, type JsonObject } from '../../spec/json-rpc.js';
import { namedVersion } from './envelope.js';
import type { HeaderList } from './event.js';

/** The members that `Mcp-Name` repeats, by method. */
const nameMembers: Readonly<Record<string, string>> = {
  'tools/call': 'name',
  'prompts/get': 'name',
  'resources/read': 'uri',
};

/** A value that a header can hold unchanged: visible ASCII, with single spaces and tabs inside. */
const isPlain = (value: string): boolean =>
  /^[\x21-\x7e](?:[\t\x20-\x7e]*[\x21-\x7e])?$/.test(value) && !/^=\?base64\?.*\?=$/.test(value);

/** The text of a header value: unchanged, or encoded in Base64 between `=?base64?` and `?=`. */
export const encodeHeader = (value: string): string =>
  value === '' || isPlain(value) ? value : `=?base64?${Buffer.from(value, 'utf8').toString('base64')}?=`;

/** The value of a header; undefined when its Base64 is invalid. */
export function decodeHeader(text: string): string | undefined {
  const [, encoded] = /^=\?base64\?(.*)\?=$/.exec(text) ?? [];
  if (encoded === undefined) return text;
  if (!/^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/.test(encoded)) return undefined;
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(Buffer.from(encoded, 'base64'));
  } catch {
    return undefined;
  }
}

/** A parameter of a tool that a header repeats. */
export interface HeaderParameter {
  /** The name in `x-mcp-header`. */
  readonly name: string;
  /** The names of the properties from the root. */
  readonly path: readonly string[];
  readonly type: Json | undefined;
}

/** The parameters of an input schema with a usable `x-mcp-header`, reached through `properties` only. */
export function headerParameters(schema: Json | undefined, path: readonly string[] = []): HeaderParameter[] {
  if (!isObject(schema) || !isObject(schema.properties)) return [];
  return Object.entries(schema.properties).flatMap(([key, property]) => {
    if (!isObject(property)) return [];
    const name = property['x-mcp-header'];
    const at = [...path, key];
    const own = typeof name === 'string' ? [{ name, path: at, type: property.type }] : [];
    return [...own, ...headerParameters(property, at)];
  });
}

/** The argument of a parameter, as the text of a header; undefined when the call has none. */
export function argumentText({ path }: HeaderParameter, args: Json | undefined): string | undefined {
  let at: Json | undefined = args;
  for (const key of path) at = isObject(at) ? at[key] : undefined;
  return typeof at === 'string' || typeof at === 'boolean' || typeof at === 'number' ? String(at) : undefined;
}

/** The member of the body that `Mcp-Name` repeats; undefined for methods without this header. */
export function nameIn(method: Json | undefined, params: Json | undefined): string | undefined {
  const member = typeof method === 'string' && Object.hasOwn(nameMembers, method) && nameMembers[method];
  const value = member && isObject(params) ? params[member] : undefined;
  return typeof value === 'string' ? value : undefined;
}

/** As `nameIn`, also for methods of extensions. */
export function anyNameIn(method: Json | undefined, params: Json | undefined): string | undefined {
  const member = typeof method === 'string' && Object.hasOwn(headerNames, method) && headerNames[method];
  const value = member && isObject(params) ? params[member] : undefined;
  return typeof value === 'string' ? value : nameIn(method, params);
}

/** Whether a method needs `Mcp-Name`. */
export const needsName = (method: unknown): boolean =>
  typeof method === 'string' && Object.hasOwn(nameMembers, method);

/**
 * The headers of a POST, derived from its body; none for a body that is not a message with a method.
 * @param schemaOf the input schema of a tool, as far as it is known
 */
export function mirroredHeaders(
  body: Json | undefined,
  schemaOf: (tool: string) => JsonObject | undefined = () => undefined,
): HeaderList {
  if (!isObject(body) || typeof body.method !== 'string') return [];
  const params = isObject(body.params) ? body.params : undefined;
  const version = namedVersion({ params });
  const name = anyNameIn(body.method, params);
  const schema = body.method === 'tools/call' && name !== undefined ? schemaOf(name) : undefined;
  return [
    ...(typeof version === 'string' ? [['MCP-Protocol-Version', encodeHeader(version)] as const] : []),
    ['Mcp-Method', encodeHeader(body.method)] as const,
    ...(name === undefined ? [] : [['Mcp-Name', encodeHeader(name)] as const]),
    ...headerParameters(schema).flatMap(parameter => {
      const text = argumentText(parameter, params?.arguments);
      return text === undefined ? [] : [[`Mcp-Param-${parameter.name}`, encodeHeader(text)] as const];
    }),
  ];
}
