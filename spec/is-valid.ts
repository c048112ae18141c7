/**
 * Whether a value is valid for a definition, as yes or no. Nearly all messages are valid, and a chain of
 * plain functions shows that at once, while ajv first needs a large part of a second to load and to generate
 * code. Invalid values go on to ajv, which reports the reason.
 */

import { formats as known } from './formats.js';
import { isObject, type Json, type JsonObject } from './json-rpc.js';

export type IsValid = (value: Json) => boolean;

/** A schema, as far as references point into it. */
export interface Definitions {
  readonly definitions?: unknown;
  /** The name of `definitions` in newer dialects. */
  readonly $defs?: unknown;
}

/** Options for reading a schema. */
export interface Reading {
  /** The schema is in JSON Schema 2020-12, which has `prefixItems`; default: yes. */
  readonly newest?: boolean;
  /** `format` is a constraint on values; default: yes. */
  readonly formats?: boolean;
}

type Keyword = (argument: Json, schema: JsonObject, of: (schema: Json) => IsValid) => IsValid;

const prefix = '#/definitions/';

const anything: IsValid = () => true;

const types: Readonly<Record<string, IsValid>> = {
  string: value => typeof value === 'string',
  number: value => typeof value === 'number',
  // a number too large for JavaScript becomes Infinity, which is not a fraction either
  integer: value => typeof value === 'number' && !(value % 1),
  boolean: value => typeof value === 'boolean',
  object: isObject,
  array: Array.isArray,
  null: value => value === null,
};

/**
 * A loop instead of `every`: this code runs for every member of every message, and each call of `every`
 * creates a function.
 */
function fitsAll(parts: readonly IsValid[], value: Json): boolean {
  for (const fits of parts) if (!fits(value)) return false;
  return true;
}

function fitsAny(parts: readonly IsValid[], value: Json): boolean {
  for (const fits of parts) if (fits(value)) return true;
  return false;
}

/**
 * The lookup of a member by name, without members that every object inherits; undefined for the great
 * majority of names, which no object inherits.
 */
const memberOf = (name: string): ((object: JsonObject) => Json | undefined) | undefined =>
  name in Object.prototype ? object => (Object.hasOwn(object, name) ? object[name] : undefined) : undefined;

/** The length of a text as JSON Schema counts it: in code points. */
export const lengthOf = (text: string): number => [...text].length;

const ofNumber =
  (fits: (value: number, bound: number) => boolean): Keyword =>
  bound =>
  value =>
    typeof value !== 'number' || fits(value, bound as number);
const ofList =
  (fits: (value: Json[], bound: number) => boolean): Keyword =>
  bound =>
  value =>
    !Array.isArray(value) || fits(value, bound as number);
const ofText =
  (fits: (value: string, bound: number) => boolean): Keyword =>
  bound =>
  value =>
    typeof value !== 'string' || fits(value, bound as number);

/** The constraints of the keywords that the schemas of MCP use, and of those that tools use most. */
const keywords: Readonly<Record<string, Keyword>> = {
  $ref: (ref, _, of) => of({ $ref: ref }),
  type(names) {
    const any = [names].flat().map(name => types[name as string]!);
    return any.length === 1 ? any[0]! : value => fitsAny(any, value);
  },
  const: wanted => value => value === wanted,
  enum: listed => value => (listed as Json[]).includes(value),
  minimum: ofNumber((value, least) => value >= least),
  maximum: ofNumber((value, most) => value <= most),
  exclusiveMinimum: ofNumber((value, below) => value > below),
  exclusiveMaximum: ofNumber((value, above) => value < above),
  minItems: ofList(({ length }, least) => length >= least),
  maxItems: ofList(({ length }, most) => length <= most),
  minLength: ofText((value, least) => lengthOf(value) >= least),
  maxLength: ofText((value, most) => lengthOf(value) <= most),
  pattern(pattern) {
    const expression = new RegExp(pattern as string, 'u');
    return value => typeof value !== 'string' || expression.test(value);
  },
  format(name) {
    const matches = known[name as keyof typeof known];
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
  oneOf(schemas, _, of) {
    const one = (schemas as Json[]).map(of);
    return value => one.filter(fits => fits(value)).length === 1;
  },
  not(schema, _, of) {
    const fits = of(schema);
    return value => !fits(value);
  },
  if(schema, { then: so = true, else: otherwise = true }, of) {
    const [fits, whenSo, whenNot] = [of(schema), of(so), of(otherwise)];
    return value => (fits(value) ? whenSo(value) : whenNot(value));
  },
  items(schema, { prefixItems }, of) {
    const fits = of(schema);
    const first = Array.isArray(prefixItems) ? prefixItems.length : 0;
    const rest = (value: Json[]) => (first === 0 ? value : value.slice(first));
    return value => !Array.isArray(value) || rest(value).every(fits);
  },
  prefixItems(schemas, _, of) {
    const all = (schemas as Json[]).map(of);
    return value => !Array.isArray(value) || all.every((fits, n) => n >= value.length || fits(value[n]!));
  },
  /** Required members that have a schema are checked by `properties`. */
  required(names, { properties = {} }) {
    const wanted = (names as string[])
      .filter(name => !Object.hasOwn(properties as JsonObject, name))
      .map(name => ({ name, member: memberOf(name) }));
    if (wanted.length === 0) return anything;
    return value => {
      if (!isObject(value)) return true;
      for (const { name, member } of wanted)
        if ((member ? member(value) : value[name]) === undefined) return false;
      return true;
    };
  },
  properties(members, { required = [] }, of) {
    const named = Object.entries(members as JsonObject).map(([name, schema]) => ({
      name,
      member: memberOf(name),
      fits: of(schema),
      needed: (required as Json[]).includes(name),
    }));
    return value => {
      if (!isObject(value)) return true;
      for (const { name, member, fits, needed } of named) {
        const own = member ? member(value) : value[name];
        if (own === undefined ? needed : !fits(own)) return false;
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

/** Keywords that are no constraint, or no constraint by themselves. */
const silent = new Set([
  '$schema',
  '$comment',
  '$anchor',
  '$defs',
  'definitions',
  'then',
  'else',
  'title',
  'description',
  'enumNames',
  'default',
  'examples',
  'deprecated',
]);

interface Checks {
  /** The check for a definition of the document. */
  readonly named: (definition: string) => IsValid;
  /** The check for a schema that may refer to the definitions of the document. */
  readonly of: (schema: Json) => IsValid;
  /** The target of a reference; undefined when it is not a reference to a definition. */
  readonly target: (reference: Json | undefined) => Json | undefined;
}

/**
 * Creates the checks for a document; both throw an `Error` for a keyword, type, format, pattern or reference
 * that is not supported here.
 */
export function validatorOf(document: Definitions, { newest = true, formats = true }: Reading = {}): Checks {
  const made = new Map<string, IsValid>();
  const isAsked = (key: string) => !silent.has(key) && (formats || key !== 'format');

  const target = (reference: Json | undefined): Json | undefined => {
    const [, where, name] =
      (typeof reference === 'string' && /^#\/(definitions|\$defs)\/([^/]+)$/.exec(reference)) || [];
    const there = document[where as keyof Definitions];
    return name !== undefined && isObject(there) && Object.hasOwn(there, name) ? there[name] : undefined;
  };

  const referred = (reference: string): IsValid => {
    const ready = made.get(reference);
    if (ready) return ready;
    const schema = target(reference);
    if (schema === undefined) throw unknown('$ref', reference);
    // a definition may contain itself: until its check is complete, references to it look the check up again
    // on each call
    made.set(reference, value => made.get(reference)!(value));
    const fits = of(schema);
    made.set(reference, fits);
    return fits;
  };

  const of = (schema: Json): IsValid => {
    if (typeof schema === 'boolean') return schema ? anything : () => false;
    const { $ref, ...rest } = schema as JsonObject;
    if (typeof $ref === 'string' && Object.keys(rest).length === 0) return referred($ref);
    const asked = Object.entries(schema as JsonObject).filter(([key]) => isAsked(key));
    const parts = asked.map(([key, argument]) => {
      const isOne = Object.hasOwn(keywords, key) && (newest || key !== 'prefixItems');
      const keyword = isOne ? keywords[key] : undefined;
      if (!keyword || !isKnown(key, argument)) throw unknown(key, argument);
      return keyword(argument, schema as JsonObject, of);
    });
    const asking = parts.filter(fits => fits !== anything);
    if (asking.length < 2) return asking[0] ?? anything;
    return value => fitsAll(asking, value);
  };

  const byName = new Map<string, IsValid>();
  const named = (name: string): IsValid => {
    const fits = byName.get(name) ?? referred(prefix + name);
    byName.set(name, fits);
    return fits;
  };

  return { named, of, target };
}

const unknown = (keyword: string, argument: Json): Error =>
  new Error(`spec/is-valid.ts does not support "${keyword}": ${JSON.stringify(argument)}.`);

function isKnown(keyword: string, argument: Json): boolean {
  if (keyword === '$ref') return typeof argument === 'string';
  if (keyword === 'type') return [argument].flat().every(name => Object.hasOwn(types, name as string));
  if (keyword === 'format') return Object.hasOwn(known, argument as string);
  if (keyword === 'items') return !Array.isArray(argument);
  if (keyword === 'const' || keyword === 'enum') return [argument].flat().every(v => !isObject(v));
  return true;
}
