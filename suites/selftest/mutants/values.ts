/** Changes of one value in a message. */

import { isObject, type Json, type JsonObject, without } from '../../../spec/json-rpc.js';

/** A value in a message, and where it stands. */
export interface Node {
  readonly path: readonly (string | number)[];
  /** The path, with a star for each index. */
  readonly place: string;
  readonly value: Json;
}

/** Members whose content the specification leaves open: deeper values are one place. */
const open = new Set([
  'arguments',
  'annotations',
  'structuredContent',
  'inputSchema',
  'outputSchema',
  'requestedSchema',
  'experimental',
  'data',
  'metadata',
  'content',
  'input',
]);

/** Members with names that the author of the message chooses. */
const maps = new Set(['properties', 'inputRequests', 'inputResponses', 'extensions']);

/** The values of a message, from its members inwards. */
export function nodesOf(json: Json): Node[] {
  const found: Node[] = [];
  const visit = (value: Json, path: readonly (string | number)[], place: string): void => {
    if (path.length > 0) found.push({ path, place, value });
    const parent = path.at(-1);
    const isMap = typeof parent === 'string' && maps.has(parent);
    const deep = path.filter(name => typeof name === 'string' && open.has(name)).length > 2;
    if (deep) return;
    if (Array.isArray(value))
      for (const [at, item] of value.entries()) visit(item, [...path, at], `${place}/*`);
    else if (isObject(value))
      for (const [name, member] of Object.entries(value))
        visit(member, [...path, name], `${place}/${isMap ? '*' : name}`);
  };
  visit(json, [], '');
  return found;
}

/** A changed value; `undefined` removes the member, a `name` gives it another one. */
interface Change {
  readonly operator: string;
  readonly value: Json | undefined;
  readonly name?: string;
}

const otherSpelling = (name: string): string => {
  const snake = name.replace(/[A-Z]/g, letter => `_${letter.toLowerCase()}`);
  return snake === name ? `${name}_` : snake;
};

const retyped = (value: Json): Json => {
  if (typeof value === 'string') return 7;
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  if (value === null) return 'null';
  return Array.isArray(value) ? {} : [];
};

const emptied = (value: Json): Json | undefined => {
  if (value === '' || value === null || typeof value === 'boolean') return undefined;
  if (typeof value === 'string') return '';
  if (typeof value === 'number') return value === 0 ? undefined : 0;
  if (Array.isArray(value)) return value.length === 0 ? undefined : [];
  return Object.keys(value).length === 0 ? undefined : {};
};

/** @param other another value that stands at this place in a conforming message, if one is known */
export function changesOf({ path, value }: Node, other: Json | undefined): Change[] {
  const name = path.at(-1);
  const changes: Change[] = [
    { operator: 'dropped', value: undefined },
    { operator: 'retyped', value: retyped(value) },
  ];
  const add = (operator: string, changed: Json): void => void changes.push({ operator, value: changed });
  if (typeof name === 'string') changes.push({ operator: 'renamed', value, name: otherSpelling(name) });
  if (value !== null) add('null', null);
  const nothing = emptied(value);
  if (nothing !== undefined) add('emptied', nothing);
  if (other !== undefined) add('swapped', other);
  if (typeof value === 'boolean') add('inverted', !value);
  if (typeof value === 'string') add('altered', `${value}~`);
  if (typeof value === 'number') {
    add('fraction', value + 0.5);
    add('negative', -value - 1);
    add('altered', value + 1);
  }
  if (Array.isArray(value) && value.length > 0) {
    add('with an item twice', [...value, value[0]!]);
    add('with null', [...value, null]);
    if (value.length > 1) add('reversed', [...value].reverse());
  }
  if (isObject(value)) add('extended', { ...value, extra: true });
  return changes;
}

/** The message with one value changed. */
export function changed(json: Json, path: readonly (string | number)[], change: Change): Json {
  const [head, ...rest] = path;
  if (head === undefined) return change.value ?? null;
  if (Array.isArray(json)) {
    const at = head as number;
    if (rest.length === 0 && change.value === undefined) return json.filter((_, index) => index !== at);
    return json.map((item, index) => (index === at ? changed(item, rest, change) : item));
  }
  const object = json as JsonObject;
  if (rest.length > 0) return { ...object, [head]: changed(object[head]!, rest, change) };
  if (change.value === undefined) return without(object, String(head));
  if (change.name === undefined) return { ...object, [head]: change.value };
  return Object.fromEntries(
    Object.entries(object).map(([name, value]) => [name === head ? change.name! : name, value]),
  );
}
