/** Required members of a tool's input that have a default: a server may fill them in, and then misses nothing. */

import { isObject, type Json, type JsonObject, ownMember } from '../../spec/json-rpc.js';

const hasDefault = ({ properties }: JsonObject, name: Json): boolean => {
  const property = isObject(properties) ? ownMember(properties, name) : undefined;
  return isObject(property) && property.default !== undefined;
};

/** The schema, at any depth, with those members as optional ones. */
export function withDefaultsOptional(schema: Json): Json {
  if (Array.isArray(schema)) return schema.map(withDefaultsOptional);
  if (!isObject(schema)) return schema;
  return Object.fromEntries(
    Object.entries(schema).map(([key, value]) => [
      key,
      key === 'required' && Array.isArray(value)
        ? value.filter(name => !hasDefault(schema, name))
        : withDefaultsOptional(value as Json),
    ]),
  );
}

/** Whether a call without these arguments lacks a member that has no default. */
export const lacksSomething = (schema: Json | undefined, names: readonly string[]): boolean =>
  names.some(name => !isObject(schema) || !hasDefault(schema, name));
