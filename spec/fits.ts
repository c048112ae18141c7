/**
 * Whether a value fits a definition, yes or no. Nearly all messages do, and a chain of plain functions says so at once,
 * where ajv first takes a good part of a second to load and to generate code. What does not fit goes on to ajv, which says why.
 */

import { formats } from './formats.js';
import { isObject, type Json, type JsonObject } from './json-rpc.js';

export type Fits = (value: Json) => boolean;

type Definitions = Readonly<Record<string, JsonObject>>;
type Keyword = (argument: Json, schema: JsonObject, of: (schema: Json) => Fits) => Fits;

const prefix = '#/definitions/';

const anything: Fits = () => true;

const types: Readonly<Record<string, Fits>> = {
  string: value => typeof value === 'string',
  number: value => typeof value === 'number',
  // what is too large for us and became Infinity is no fraction either
  integer: value => typeof value === 'number' && !(value % 1),
  boolean: value => typeof value === 'boolean',
  object: isObject,
  array: Array.isArray,
  null: value => value === null,
};

/** A loop, not `every`: this runs for every member of every message, and each call of that makes a function. */
function fitsAll(parts: readonly Fits[], value: Json): boolean {
  for (const fits of parts) if (!fits(value)) return false;
  return true;
}

function fitsAny(parts: readonly Fits[], value: Json): boolean {
  for (const fits of parts) if (fits(value)) return true;
  return false;
}

/** What stands under a name; what every object inherits does not. */
const member = (object: JsonObject, name: string): Json | undefined =>
  name in Object.prototype && !Object.hasOwn(object, name) ? undefined : object[name];

/** What each keyword of draft-07 asks, as far as our schemas use it. */
const keywords: Readonly<Record<string, Keyword>> = {
  $ref: (ref, _, of) => of({ $ref: ref }),
  type(names) {
    const any = [names].flat().map(name => types[name as string]!);
    return any.length === 1 ? any[0]! : value => fitsAny(any, value);
  },
  const: wanted => value => value === wanted,
  enum: listed => value => (listed as Json[]).includes(value),
  minimum: least => value => typeof value !== 'number' || value >= (least as number),
  maximum: most => value => typeof value !== 'number' || value <= (most as number),
  maxItems: most => value => !Array.isArray(value) || value.length <= (most as number),
  format(name) {
    const matches = formats[name as keyof typeof formats];
    return value => typeof value !== 'string' || matches(value);
  },
  anyOf(schemas, _, of) {
    const any = (schemas as Json[]).map(of);
    return value => fitsAny(any, value);
  },
  allOf(schemas, _, of) {
    const all = (schemas as Json[]).map(of);
    return value => fitsAll(all, value);
  },
  items(schema, _, of) {
    const fits = of(schema);
    return value => !Array.isArray(value) || value.every(fits);
  },
  required: names => value => {
    if (isObject(value))
      for (const name of names as string[]) if (member(value, name) === undefined) return false;
    return true;
  },
  properties(members, _, of) {
    const named = Object.entries(members as JsonObject).map(([name, schema]) => ({ name, fits: of(schema) }));
    return value => {
      if (!isObject(value)) return true;
      for (const { name, fits } of named) {
        const own = member(value, name);
        if (own !== undefined && !fits(own)) return false;
      }
      return true;
    };
  },
  additionalProperties(schema, { properties }, of) {
    const fits = of(schema);
    if (fits === anything) return anything;
    const named = new Set(Object.keys((properties ?? {}) as JsonObject));
    return value => {
      if (isObject(value))
        for (const name of Object.keys(value)) if (!named.has(name) && !fits(value[name]!)) return false;
      return true;
    };
  },
};

/** Those that ask nothing of a value. */
const silent = new Set([
  '$schema',
  'definitions',
  'title',
  'description',
  'default',
  'examples',
  'deprecated',
]);

export interface Checks {
  /** For a definition of the document. */
  readonly named: (definition: string) => Fits;
  /** For a schema that may refer to its definitions. */
  readonly of: (schema: Json) => Fits;
}

/**
 * Makes the checks for a document; both throw an `Error` for a keyword, type, format or reference that no schema of ours
 * has had so far.
 */
export function fitsOf(definitions: Definitions): Checks {
  const made = new Map<string, Fits>();

  const named = (name: string): Fits => {
    const ready = made.get(name);
    if (ready) return ready;
    // a definition may contain itself: whoever asks while it is being made gets what asks again later
    made.set(name, value => made.get(name)!(value));
    const fits = of(definitions[name]!);
    made.set(name, fits);
    return fits;
  };

  const of = (schema: Json): Fits => {
    if (typeof schema === 'boolean') return schema ? anything : () => false;
    const { $ref, ...rest } = schema as JsonObject;
    if ($ref !== undefined && !isReference($ref)) throw unknown('$ref', $ref);
    if (isReference($ref) && Object.keys(rest).length === 0) return named($ref.slice(prefix.length));
    const asked = Object.entries(schema as JsonObject).filter(([key]) => !silent.has(key));
    const parts = asked.map(([key, argument]) => {
      const keyword = keywords[key];
      if (!keyword || !isKnown(key, argument)) throw unknown(key, argument);
      return keyword(argument, schema as JsonObject, of);
    });
    const asking = parts.filter(fits => fits !== anything);
    if (asking.length < 2) return asking[0] ?? anything;
    return value => fitsAll(asking, value);
  };

  const isReference = (ref: Json | undefined): ref is string =>
    typeof ref === 'string' && ref.startsWith(prefix) && Object.hasOwn(definitions, ref.slice(prefix.length));

  return { named, of };
}

const unknown = (keyword: string, argument: Json): Error =>
  new Error(`spec/fits.ts does not know "${keyword}": ${JSON.stringify(argument)}.`);

function isKnown(keyword: string, argument: Json): boolean {
  if (keyword === 'type') return [argument].flat().every(name => Object.hasOwn(types, name as string));
  if (keyword === 'format') return Object.hasOwn(formats, argument as string);
  if (keyword === 'items') return !Array.isArray(argument);
  if (keyword === 'const' || keyword === 'enum') return [argument].flat().every(v => !isObject(v));
  return true;
}
