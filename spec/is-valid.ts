/**
 * Whether a value fits a definition, yes or no. Nearly all messages do, and a chain of plain functions says so at once,
 * where ajv first takes a good part of a second to load and to generate code. What does not fit goes on to ajv, which says why.
 */

import { formats as known } from './formats.js';
import { isObject, type Json, type JsonObject } from './json-rpc.js';

export type Fits = (value: Json) => boolean;

/** A schema, as far as references lead into it. */
export interface Definitions {
  readonly definitions?: unknown;
  /** What newer dialects call them. */
  readonly $defs?: unknown;
}

/** How a schema is read. */
export interface Reading {
  /** It is in JSON Schema 2020-12, which has `prefixItems`; default: yes. */
  readonly newest?: boolean;
  /** Formats ask something of a value; default: yes. */
  readonly formats?: boolean;
}

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

/** How to look for what stands under a name; what every object inherits does not, and hardly any name is such. */
const memberOf = (name: string): ((object: JsonObject) => Json | undefined) | undefined =>
  name in Object.prototype ? object => (Object.hasOwn(object, name) ? object[name] : undefined) : undefined;

/** How many characters a text has, as JSON Schema counts them: code points. */
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

/** What each keyword asks that our schemas use, and those that tools use most. */
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
  /** Those that have a schema are asked for where that is. */
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

/** Those that ask nothing of a value, or nothing by themselves. */
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

export interface Checks {
  /** For a definition of the document. */
  readonly named: (definition: string) => Fits;
  /** For a schema that may refer to its definitions. */
  readonly of: (schema: Json) => Fits;
  /** What a reference leads to; undefined when it is none to a definition. */
  readonly target: (reference: Json | undefined) => Json | undefined;
}

/**
 * Makes the checks for a document; both throw an `Error` for a keyword, type, format, pattern or reference that is not
 * known here.
 */
export function fitsOf(document: Definitions, { newest = true, formats = true }: Reading = {}): Checks {
  const made = new Map<string, Fits>();
  const isAsked = (key: string) => !silent.has(key) && (formats || key !== 'format');

  const target = (reference: Json | undefined): Json | undefined => {
    const [, where, name] =
      (typeof reference === 'string' && /^#\/(definitions|\$defs)\/([^/]+)$/.exec(reference)) || [];
    const there = document[where as keyof Definitions];
    return name !== undefined && isObject(there) && Object.hasOwn(there, name) ? there[name] : undefined;
  };

  const referred = (reference: string): Fits => {
    const ready = made.get(reference);
    if (ready) return ready;
    const schema = target(reference);
    if (schema === undefined) throw unknown('$ref', reference);
    // a definition may contain itself: whoever asks while it is being made gets what asks again later
    made.set(reference, value => made.get(reference)!(value));
    const fits = of(schema);
    made.set(reference, fits);
    return fits;
  };

  const of = (schema: Json): Fits => {
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

  const byName = new Map<string, Fits>();
  const named = (name: string): Fits => {
    const fits = byName.get(name) ?? referred(prefix + name);
    byName.set(name, fits);
    return fits;
  };

  return { named, of, target };
}

const unknown = (keyword: string, argument: Json): Error =>
  new Error(`spec/is-valid.ts does not know "${keyword}": ${JSON.stringify(argument)}.`);

function isKnown(keyword: string, argument: Json): boolean {
  if (keyword === '$ref') return typeof argument === 'string';
  if (keyword === 'type') return [argument].flat().every(name => Object.hasOwn(types, name as string));
  if (keyword === 'format') return Object.hasOwn(known, argument as string);
  if (keyword === 'items') return !Array.isArray(argument);
  if (keyword === 'const' || keyword === 'enum') return [argument].flat().every(v => !isObject(v));
  return true;
}
