/** biome-ignore-all lint/suspicious/noThenProperty: it is a keyword of JSON Schema */

import { describe, expect, it } from 'vitest';
import { isObject, type Json, type JsonObject } from '../../spec/json-rpc.js';
import type { Schema } from './keywords.js';
import { inspect } from './schema-table.js';

const draft7 = 'http://json-schema.org/draft-07/schema#';
const has = (name: string) => (value: Json) => isObject(value) && Object.hasOwn(value, name);
const lacks = (name: string) => (value: Json) => isObject(value) && !Object.hasOwn(value, name);
const is = (type: string) => (value: Json) => typeof value === type;
const at = (name: string, check: (value: Json) => boolean) => (value: Json) =>
  isObject(value) && Object.hasOwn(value, name) && check(value[name]!);
const object = (properties: JsonObject, more: JsonObject = {}): JsonObject => ({
  type: 'object',
  properties,
  ...more,
});
const tree = (recursion: JsonObject): JsonObject =>
  object({ value: { type: 'integer' }, left: recursion, right: recursion });
const kinds = (...names: string[]) =>
  names.map(kind =>
    object({ kind: { const: kind }, [kind]: { type: 'integer' } }, { required: ['kind', kind] }),
  );

/** A schema, and the features of its values: at least one value has each feature. */
const cases: Record<string, [Schema, ...((value: Json) => boolean)[]]> = {
  allOf: [
    {
      allOf: [
        object({ a: { type: 'integer' } }, { required: ['a'] }),
        object({ a: { minimum: 5 }, b: { type: 'null' } }),
      ],
    },
    has('b'),
    lacks('b'),
  ],
  'allOf, all closed': [
    {
      allOf: [
        object({ a: {}, b: {} }, { additionalProperties: false }),
        object({ a: { type: 'null' }, c: {} }, { additionalProperties: false }),
      ],
    },
    has('a'),
    lacks('a'),
  ],
  anyOf: [
    { anyOf: [{ type: 'string' }, { type: 'array', items: { type: 'null' } }] },
    is('string'),
    Array.isArray,
  ],
  'anyOf beside properties': [
    object({ a: {}, b: {} }, { anyOf: [{ required: ['a'] }, { required: ['b'] }] }),
    has('a'),
    has('b'),
    lacks('a'),
  ],
  oneOf: [{ oneOf: [{ type: 'string' }, { type: 'integer' }] }, is('string'), is('number')],
  'oneOf that overlaps': [
    {
      oneOf: [
        { type: 'integer', multipleOf: 3 },
        { type: 'integer', multipleOf: 5 },
      ],
    },
  ],
  'oneOf of required': [
    object({ a: {}, b: {} }, { oneOf: [{ required: ['a'] }, { required: ['b'] }] }),
    has('a'),
    has('b'),
  ],
  'oneOf with a constant as discriminator': [{ oneOf: kinds('x', 'y') }, has('x'), has('y')],
  'nested combinators': [
    {
      allOf: [
        { anyOf: [{ type: 'string' }, { type: 'integer' }] },
        { oneOf: [{ type: ['integer', 'null'] }, { minLength: 2, type: 'string' }] },
      ],
    },
    is('string'),
    is('number'),
  ],
  'many combinations': [
    {
      type: 'object',
      allOf: [...'abcde'].map(name => ({ anyOf: [1, 2, 3].map(n => ({ required: [`${name}${n}`] })) })),
    },
  ],
  'not a type': [{ not: { type: ['string', 'object', 'array'] } }, is('number'), is('boolean')],
  'not a constant': [{ type: 'integer', minimum: 0, maximum: 3, not: { const: 2 } }, value => value === 3],
  'not required': [object({ a: {} }, { not: { required: ['a'] } })],
  'not anyOf': [{ type: 'object', not: { anyOf: [{ required: ['a'] }, { required: ['b'] }] } }],
  'not a range': [{ type: 'integer', not: { minimum: 0 } }],
  'not a pattern': [{ type: 'string', not: { pattern: '^a' } }],
  'not not': [{ not: { not: { type: 'string' } } }],
  'if, then and else': [
    object(
      { kind: { enum: ['card', 'cash'] }, number: { type: 'string' } },
      {
        required: ['kind'],
        if: { properties: { kind: { const: 'card' } } },
        then: { required: ['number'] },
        else: { properties: { number: false } },
      },
    ),
    at('kind', value => value === 'card'),
    at('kind', value => value === 'cash'),
  ],
  'if without else': [
    object(
      { a: { type: 'integer' } },
      { if: { required: ['a'], properties: { a: { minimum: 10 } } }, then: { required: ['big'] } },
    ),
    has('big'),
    at('a', value => (value as number) < 10),
  ],
  '$ref to $defs': [
    {
      ...object({ a: { $ref: '#/$defs/word' } }, { required: ['a'] }),
      $defs: { word: { type: 'string', minLength: 1 } },
    },
  ],
  '$ref to definitions': [
    { $schema: draft7, ...object({ a: { $ref: '#/definitions/w' } }), definitions: { w: { type: 'null' } } },
    has('a'),
  ],
  '$ref beside other keywords': [
    { $ref: '#/$defs/n', minimum: 10, $defs: { n: { type: 'integer', maximum: 20 } } },
  ],
  '$ref with escapes': [{ $ref: '#/$defs/a~1b~0c%25d', $defs: { 'a/b~c%d': { type: 'null' } } }],
  '$ref into other keywords': [
    { ...object({ a: { type: 'integer' }, b: { $ref: '#/properties/a' } }), 'x-own': {} },
    has('b'),
  ],
  '$ref into unknown keywords': [{ $ref: '#/components/word', components: { word: { type: 'string' } } }],
  $anchor: [{ $ref: '#here', $defs: { x: { $anchor: 'here', type: 'boolean' } } }],
  '$id and relative references': [
    {
      $id: 'https://example.com/a/root.json',
      ...object({ item: { $ref: 'item.json' } }, { required: ['item'] }),
      $defs: {
        x: {
          $id: 'item.json',
          ...object({ y: { $ref: '#/$defs/y' } }, { minProperties: 1 }),
          $defs: { y: { type: 'null' } },
        },
      },
    },
    at('item', has('y')),
  ],
  '$dynamicRef in one document': [
    {
      $dynamicAnchor: 'node',
      ...object({ child: { $dynamicRef: '#node' } }, { additionalProperties: false }),
    },
    has('child'),
    lacks('child'),
  ],
  'a recursive tree': [tree({ $ref: '#' }), has('left'), lacks('left'), at('left', has('right'))],
  'a recursive union': [
    {
      $ref: '#/$defs/json',
      $defs: {
        json: {
          anyOf: [
            { type: ['string', 'null'] },
            { type: 'array', items: { $ref: '#/$defs/json' } },
            { type: 'object', additionalProperties: { $ref: '#/$defs/json' } },
          ],
        },
      },
    },
    is('string'),
    Array.isArray,
    isObject,
  ],
  'mutual recursion': [
    {
      $ref: '#/$defs/a',
      $defs: { a: object({ b: { $ref: '#/$defs/b' } }), b: { type: 'array', items: { $ref: '#/$defs/a' } } },
    },
    has('b'),
  ],
  'a required list of the same schema': [
    object({ all: { type: 'array', items: { $ref: '#' } } }, { required: ['all'] }),
  ],
  'a tool in the style of zod': [
    {
      $schema: draft7,
      ...object(
        {
          a: { type: 'number' },
          tags: { type: 'array', items: { type: 'string' }, default: [] },
          mode: { anyOf: [{ type: 'string', const: 'x' }, { type: 'null' }] },
        },
        { required: ['a'], additionalProperties: false },
      ),
    },
    has('tags'),
    has('mode'),
  ],
  'a tool in the style of pydantic': [
    {
      title: 'Args',
      ...object(
        {
          item: { $ref: '#/$defs/Item' },
          limit: { anyOf: [{ type: 'integer' }, { type: 'null' }], default: null, title: 'Limit' },
        },
        { required: ['item'] },
      ),
      $defs: {
        Item: object({ name: { type: 'string', title: 'Name' } }, { required: ['name'], title: 'Item' }),
      },
    },
    at('limit', value => value === null),
    at('limit', is('number')),
  ],
  'a tool without parameters': [object({})],
};

describe('values for advertised schemas with combinators, references and recursion', () => {
  it.each(Object.entries(cases))('%s', (_, [schema, ...reaches]) => {
    expect(inspect(schema, reaches)).toEqual({ unsupported: [], misfits: [], unreached: [] });
  });
});
