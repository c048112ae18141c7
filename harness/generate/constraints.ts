/** All constraints on a value: a schema without its combinators. */

import { isDeepStrictEqual } from 'node:util';
import { isObject, type Json, type JsonObject } from '../../spec/json-rpc.js';
import type { Schema } from './keywords.js';
import { isSchema } from './keywords.js';
import type { NumberDemands } from './numbers.js';

export const types = ['null', 'boolean', 'number', 'string', 'array', 'object'] as const;
export type Type = (typeof types)[number];

/** The rules of one schema for members; the rules of several schemas apply together. */
interface MemberRules {
  readonly properties: Readonly<Record<string, Schema>>;
  readonly patterns: Readonly<Record<string, Schema>>;
  readonly additional: Schema | undefined;
}

/** The rules of one schema for elements. */
interface ElementRules {
  readonly first: readonly Schema[];
  readonly rest: Schema | undefined;
}

interface Contained {
  readonly schema: Schema;
  readonly least: number;
  readonly most: number;
}

export interface Demands extends NumberDemands {
  readonly types: readonly Type[];
  readonly values: readonly Json[] | undefined;
  readonly minLength: number;
  readonly maxLength: number;
  readonly patterns: readonly string[];
  readonly formats: readonly string[];
  readonly members: readonly MemberRules[];
  readonly required: readonly string[];
  readonly names: readonly Schema[];
  readonly minProperties: number;
  readonly maxProperties: number;
  /** Schema for members that no other rule covers. */
  readonly unevaluated: Schema | undefined;
  readonly elements: readonly ElementRules[];
  readonly minItems: number;
  readonly maxItems: number;
  readonly unique: boolean;
  readonly contains: readonly Contained[];
  /** Schema for elements that no other rule covers. */
  readonly unevaluatedItems: Schema | undefined;
  /** Keywords that construction does not guarantee: the result must be checked. */
  readonly checked: readonly string[];
  /** Number of entries into recursive parts so far. */
  readonly entered: number;
}

export const anything: Demands = {
  types,
  values: undefined,
  whole: false,
  minimum: -Infinity,
  maximum: Infinity,
  aboveMinimum: false,
  belowMaximum: false,
  multiples: [],
  minLength: 0,
  maxLength: Infinity,
  patterns: [],
  formats: [],
  members: [],
  required: [],
  names: [],
  minProperties: 0,
  maxProperties: Infinity,
  unevaluated: undefined,
  elements: [],
  minItems: 0,
  maxItems: Infinity,
  unique: false,
  contains: [],
  unevaluatedItems: undefined,
  checked: [],
  entered: 0,
};

const number = (json: Json | undefined, otherwise: number): number =>
  typeof json === 'number' ? json : otherwise;
const texts = (json: Json | undefined): string[] =>
  Array.isArray(json) ? json.filter(item => typeof item === 'string') : [];
const schemas = (json: Json | undefined): Record<string, Schema> =>
  isObject(json)
    ? (Object.fromEntries(Object.entries(json).filter(([, s]) => isSchema(s))) as Record<string, Schema>)
    : {};
const schema = (json: Json | undefined): Schema | undefined => (isSchema(json) ? json : undefined);

/** The constraints of the keywords of one schema, without its combinators. */
export function demandsOf(json: JsonObject): Demands {
  const wanted = json.type === undefined ? undefined : ([json.type].flat() as string[]);
  const [above, below] = [number(json.exclusiveMinimum, -Infinity), number(json.exclusiveMaximum, Infinity)];
  const [least, most] = [number(json.minimum, -Infinity), number(json.maximum, Infinity)];
  const values = json.const === undefined ? (json.enum as Json[] | undefined) : [json.const];
  const unevaluated = [json.unevaluatedProperties, json.unevaluatedItems].some(
    s => s !== undefined && s !== true,
  );
  return {
    ...anything,
    types: wanted
      ? types.filter(t => wanted.includes(t) || (t === 'number' && wanted.includes('integer')))
      : types,
    whole: wanted?.includes('integer') === true && !wanted.includes('number'),
    values:
      json.const !== undefined && Array.isArray(json.enum) ? intersection([json.const], json.enum) : values,
    minimum: Math.max(least, above),
    aboveMinimum: above >= least && above > -Infinity,
    maximum: Math.min(most, below),
    belowMaximum: below <= most && below < Infinity,
    multiples: typeof json.multipleOf === 'number' ? [json.multipleOf] : [],
    minLength: number(json.minLength, 0),
    maxLength: number(json.maxLength, Infinity),
    patterns: typeof json.pattern === 'string' ? [json.pattern] : [],
    formats: typeof json.format === 'string' ? [json.format] : [],
    members: [
      {
        properties: schemas(json.properties),
        patterns: schemas(json.patternProperties),
        additional: schema(json.additionalProperties),
      },
    ].filter(
      m =>
        Object.keys(m.properties).length + Object.keys(m.patterns).length > 0 || m.additional !== undefined,
    ),
    required: texts(json.required),
    names: isSchema(json.propertyNames) ? [json.propertyNames] : [],
    minProperties: number(json.minProperties, 0),
    maxProperties: number(json.maxProperties, Infinity),
    unevaluated: schema(json.unevaluatedProperties),
    elements: elementsOf(json),
    minItems: number(json.minItems, 0),
    maxItems: number(json.maxItems, Infinity),
    unique: json.uniqueItems === true,
    contains: isSchema(json.contains)
      ? [
          {
            schema: json.contains,
            least: number(json.minContains, 1),
            most: number(json.maxContains, Infinity),
          },
        ]
      : [],
    unevaluatedItems: schema(json.unevaluatedItems),
    checked: unevaluated ? ['unevaluatedProperties'] : [],
  };
}

function elementsOf(json: JsonObject): ElementRules[] {
  const old = Array.isArray(json.items);
  const first = (old ? json.items : (json.prefixItems ?? [])) as Schema[];
  const rest = schema(old ? json.additionalItems : json.items);
  return first.length > 0 || rest !== undefined ? [{ first, rest }] : [];
}

const intersection = (a: readonly Json[], b: readonly Json[]): Json[] =>
  a.filter(one => b.some(other => isDeepStrictEqual(one, other)));

const both = (a: Schema | undefined, b: Schema | undefined): Schema | undefined =>
  a === undefined || b === undefined ? (a ?? b) : a === false || b === false ? false : { allOf: [a, b] };

/** The combination of two sets of constraints; undefined when no value meets both. */
export function together(a: Demands, b: Demands): Demands | undefined {
  const shared = a.types.filter(type => b.types.includes(type));
  const values = a.values && b.values ? intersection(a.values, b.values) : (a.values ?? b.values);
  if (shared.length === 0 || values?.length === 0) return undefined;
  const minimum = Math.max(a.minimum, b.minimum);
  const maximum = Math.min(a.maximum, b.maximum);
  return {
    types: shared,
    values,
    whole: a.whole || b.whole,
    minimum,
    maximum,
    aboveMinimum: [a, b].some(d => d.aboveMinimum && d.minimum === minimum),
    belowMaximum: [a, b].some(d => d.belowMaximum && d.maximum === maximum),
    multiples: [...a.multiples, ...b.multiples],
    minLength: Math.max(a.minLength, b.minLength),
    maxLength: Math.min(a.maxLength, b.maxLength),
    patterns: [...new Set([...a.patterns, ...b.patterns])],
    formats: [...new Set([...a.formats, ...b.formats])],
    members: [...a.members, ...b.members],
    required: [...new Set([...a.required, ...b.required])],
    names: [...a.names, ...b.names],
    minProperties: Math.max(a.minProperties, b.minProperties),
    maxProperties: Math.min(a.maxProperties, b.maxProperties),
    unevaluated: both(a.unevaluated, b.unevaluated),
    elements: [...a.elements, ...b.elements],
    minItems: Math.max(a.minItems, b.minItems),
    maxItems: Math.min(a.maxItems, b.maxItems),
    unique: a.unique || b.unique,
    contains: [...a.contains, ...b.contains],
    unevaluatedItems: both(a.unevaluatedItems, b.unevaluatedItems),
    checked: [...a.checked, ...b.checked],
    entered: Math.max(a.entered, b.entered),
  };
}
