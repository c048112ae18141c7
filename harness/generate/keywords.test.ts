import { describe, expect, it } from 'vitest';
import { isObject, type Json, type JsonObject } from '../../spec/json-rpc.js';
import type { Schema } from './keywords.js';
import { inspect } from './schema-table.js';

const draft7 = 'http://json-schema.org/draft-07/schema#';
const has = (name: string) => (value: Json) => isObject(value) && Object.hasOwn(value, name);
const lacks = (name: string) => (value: Json) => isObject(value) && !Object.hasOwn(value, name);
const is = (type: string) => (value: Json) => typeof value === type;
const length = (count: number) => (value: Json) => Array.isArray(value) && value.length === count;
const object = (properties: JsonObject, more: JsonObject = {}): JsonObject => ({
  type: 'object',
  properties,
  ...more,
});

/** A schema, and the features of its values: at least one value has each feature. */
const cases: Record<string, [Schema, ...((value: Json) => boolean)[]]> = {
  true: [true, is('string'), is('number'), is('boolean'), isObject, Array.isArray, value => value === null],
  'the empty schema': [{}, is('string'), isObject],
  'type list': [{ type: ['string', 'null'] }, is('string'), value => value === null],
  'integer and number': [{ type: ['integer', 'string'] }, Number.isInteger, is('string')],
  'const object': [{ const: { a: [1, null] } }],
  'const null': [{ const: null }],
  'enum of all types': [
    { enum: [1, 'a', null, [1], { b: 2 }] },
    is('number'),
    is('string'),
    Array.isArray,
    isObject,
  ],
  'enum with type': [{ type: 'string', enum: ['a', 1, 'b'] }, value => value === 'a', value => value === 'b'],
  'enum of both parts': [
    { allOf: [{ enum: [1, 2, 3] }, { enum: [2, 3, 4] }] },
    value => value === 2,
    value => value === 3,
  ],
  lengths: [{ type: 'string', minLength: 3, maxLength: 5 }, value => (value as string).length === 3],
  'long text': [{ type: 'string', minLength: 500 }],
  'pattern, not anchored': [{ type: 'string', pattern: 'b+' }],
  'pattern, anchored': [{ type: 'string', pattern: '^[a-z]{2}-\\d+$' }],
  'pattern with lengths': [{ type: 'string', pattern: '^[a-z]+$', minLength: 30, maxLength: 40 }],
  'pattern, negative look-ahead': [{ type: 'string', pattern: '^(?!x-)[a-z-]+$' }],
  'pattern with word boundary': [{ type: 'string', pattern: '^\\bfoo\\b' }],
  'pattern with Unicode classes': [{ type: 'string', pattern: '^\\p{Lu}\\p{Ll}*$' }],
  'pattern with unnecessary escapes': [{ type: 'string', pattern: '^[\\w\\-\\_]+$' }],
  'two patterns': [{ allOf: [{ type: 'string', pattern: '^a' }, { pattern: 'b$' }] }],
  'pattern and format': [{ type: 'string', format: 'uri', pattern: '^https://' }],
  'pattern of any type': [{ pattern: '^a' }, is('string'), value => typeof value !== 'string'],
  'integer bounds': [
    { type: 'integer', minimum: -2, maximum: 2 },
    value => value === -2,
    value => value === 2,
  ],
  'exclusive bounds': [{ type: 'number', exclusiveMinimum: 0, exclusiveMaximum: 1 }],
  'integers in exclusive bounds': [{ type: 'integer', exclusiveMinimum: 0, exclusiveMaximum: 2 }],
  'fractional bounds of integers': [{ type: 'integer', minimum: 0.5, maximum: 1.5 }],
  'minimum alone': [{ type: 'number', minimum: 100 }, value => value === 100],
  multipleOf: [{ type: 'integer', multipleOf: 7, minimum: 1, maximum: 100 }],
  'multipleOf, fractional': [{ type: 'number', multipleOf: 0.01, minimum: 0, maximum: 10 }],
  'multipleOf twice': [{ allOf: [{ type: 'integer', multipleOf: 6 }, { multipleOf: 4 }] }],
  'integer multipleOf a fraction': [{ type: 'integer', multipleOf: 1.5, minimum: 0, maximum: 30 }],
  properties: [
    object({ a: { type: 'string' }, b: { type: 'null' } }),
    has('a'),
    lacks('a'),
    has('b'),
    lacks('b'),
  ],
  required: [object({ a: { type: 'string' } }, { required: ['a', 'z'] })],
  'members named like prototypes': [
    object(
      { constructor: { type: 'null' }, toString: { type: 'null' } },
      { required: ['constructor', '__proto__'] },
    ),
    has('toString'),
    lacks('toString'),
  ],
  'additionalProperties false': [object({ a: {} }, { additionalProperties: false }), has('a'), lacks('a')],
  'additionalProperties schema': [
    object({ a: { type: 'null' } }, { additionalProperties: { type: 'integer' } }),
    value => Object.keys(value as JsonObject).some(k => k !== 'a'),
  ],
  'unknown members where allowed': [
    object({ a: {} }),
    value => Object.keys(value as JsonObject).some(k => k !== 'a'),
  ],
  patternProperties: [
    object(
      {},
      {
        patternProperties: { '^x-': { type: 'integer' }, '-n$': { type: 'number', minimum: 0 } },
        additionalProperties: false,
      },
    ),
    value => Object.keys(value as JsonObject).some(k => k.startsWith('x-')),
    value => Object.keys(value as JsonObject).some(k => k.endsWith('-n')),
  ],
  'patternProperties over properties': [
    object(
      { 'x-a': { minimum: 3 } },
      { required: ['x-a'], patternProperties: { '^x-': { type: 'integer' } } },
    ),
  ],
  propertyNames: [
    object({ toolong: {} }, { propertyNames: { maxLength: 3 }, minProperties: 2 }),
    lacks('toolong'),
  ],
  'propertyNames pattern': [object({}, { propertyNames: { pattern: '^[a-z]{4}$' }, minProperties: 1 })],
  'propertyNames enum': [object({}, { propertyNames: { enum: ['a', 'b'] } }), has('a'), has('b')],
  minProperties: [object({ a: {}, b: {}, c: {} }, { minProperties: 2, additionalProperties: false })],
  maxProperties: [object({ a: {}, b: {}, c: {} }, { maxProperties: 1, required: ['b'] })],
  'minProperties of unknown members': [{ type: 'object', minProperties: 5 }],
  dependentRequired: [
    object({ a: {}, b: {} }, { dependentRequired: { a: ['b', 'c'] } }),
    has('a'),
    lacks('a'),
  ],
  dependentSchemas: [
    object({ a: {} }, { dependentSchemas: { a: { required: ['b'], properties: { b: { type: 'null' } } } } }),
    has('a'),
    lacks('a'),
  ],
  'dependencies of draft-07': [
    { $schema: draft7, ...object({ a: {}, b: {} }, { dependencies: { a: ['b'], b: { required: ['c'] } } }) },
    has('a'),
    lacks('a'),
  ],
  unevaluatedProperties: [
    {
      type: 'object',
      allOf: [{ properties: { a: { type: 'null' } } }],
      properties: { b: {} },
      unevaluatedProperties: false,
    },
    has('a'),
    has('b'),
    lacks('a'),
  ],
  items: [{ type: 'array', items: { type: 'boolean' } }, length(0), value => (value as Json[]).length > 2],
  'items false': [{ type: 'array', items: false }, length(0)],
  'array bounds': [{ type: 'array', minItems: 2, maxItems: 3 }, length(2), length(3)],
  'long arrays': [{ type: 'array', minItems: 300, items: { type: 'integer' } }],
  uniqueItems: [{ type: 'array', items: { enum: [1, 2, 3] }, uniqueItems: true, minItems: 3 }],
  'uniqueItems of objects': [
    {
      type: 'array',
      items: object({ a: { type: 'boolean' } }, { additionalProperties: false }),
      uniqueItems: true,
    },
    length(3),
  ],
  prefixItems: [
    { type: 'array', prefixItems: [{ type: 'string' }, { type: 'integer' }] },
    length(0),
    length(1),
    length(2),
    length(4),
  ],
  'prefixItems, closed': [
    { type: 'array', prefixItems: [{ type: 'string' }, { type: 'integer' }], items: false },
    length(1),
    length(2),
  ],
  'prefixItems, complete': [
    { type: 'array', prefixItems: [{ const: 1 }, { const: 2 }], items: false, minItems: 2 },
    length(2),
  ],
  'prefixItems with others': [
    { type: 'array', prefixItems: [{ type: 'null' }], items: { type: 'string' } },
    length(3),
  ],
  'tuples of draft-07': [
    { $schema: draft7, type: 'array', items: [{ type: 'string' }], additionalItems: { type: 'null' } },
    length(0),
    length(2),
  ],
  'tuples of draft-07, not declared': [
    { type: 'array', items: [{ type: 'string' }, { type: 'null' }], additionalItems: false },
    length(2),
  ],
  contains: [{ type: 'array', contains: { const: 'here' } }, length(1), length(3)],
  'contains, counted': [
    { type: 'array', items: { type: 'integer' }, contains: { minimum: 100 }, minContains: 2, maxContains: 3 },
  ],
  'contains with a prefix': [
    { type: 'array', prefixItems: [{ type: 'null' }], contains: { type: 'string' } },
  ],
  'minContains 0': [{ type: 'array', contains: { const: 1 }, minContains: 0 }, length(0)],
};

const formats = [
  'date',
  'time',
  'date-time',
  'duration',
  'email',
  'hostname',
  'ipv4',
  'ipv6',
  'uri',
  'uri-reference',
  'uuid',
  'uri-template',
  'json-pointer',
  'relative-json-pointer',
  'regex',
  'byte',
  'iri',
  'idn-email',
  'idn-hostname',
];

describe('values for advertised schemas, by keyword', () => {
  it.each(Object.entries(cases))('%s', (_, [schema, ...reaches]) => {
    expect(inspect(schema, reaches)).toEqual({ unsupported: [], misfits: [], unreached: [] });
  });

  it.each(formats)('format %s', format => {
    expect(inspect({ type: 'string', format }, [])).toEqual({ unsupported: [], misfits: [], unreached: [] });
  });
});
