/** What each side declares: its capabilities, and the hints of its tools. */

import { extensionIdentifiers, extensionPath } from '../../spec/extensions/index.js';
import { isObject, type Json, type JsonObject } from '../../spec/json-rpc.js';

/**
 * The identifiers of extensions of the catalogue in a declaration of capabilities. Each message asks for them, and a
 * subject may declare thousands.
 */
export const extensionsIn = (capabilities: JsonObject | undefined): readonly string[] => {
  const declared = capabilities?.extensions;
  return isObject(declared) ? extensionIdentifiers.filter(id => Object.hasOwn(declared, id)) : [];
};

/** Capabilities with extensions that a party has without declaring them. */
export function withNamed(capabilities: JsonObject, extensions: readonly string[] = []): JsonObject {
  if (extensions.length === 0) return capabilities;
  const named = Object.fromEntries(extensions.map(identifier => [identifier, {}]));
  const declared = isObject(capabilities.extensions) ? capabilities.extensions : {};
  return { ...capabilities, extensions: { ...named, ...declared } };
}

/**
 * Whether a dotted path is declared: `tools.listChanged` requires `true` or an object at that path. An extension is
 * `extensions/` and its identifier, with `#setting` where a setting of it is required.
 */
export function declares(capabilities: JsonObject | undefined, path: string): boolean {
  let at: Json | undefined = capabilities;
  const prefix = extensionPath('');
  const parts = path.startsWith(prefix)
    ? ['extensions', ...path.slice(prefix.length).split('#')]
    : path.split('.');
  for (const part of parts) {
    if (!isObject(at)) return false;
    at = at[part];
  }
  return at === true || isObject(at);
}

/** Whether a tool or another item says that it changes nothing. */
export const isReadOnly = ({ annotations }: JsonObject): boolean =>
  isObject(annotations) && annotations.readOnlyHint === true;
