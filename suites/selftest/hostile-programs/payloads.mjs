// Values and texts that hostile programs send.

export const MB = 2 ** 20;

/** JSON text: arrays or objects inside each other. */
export const deepText = (depth, open = '[', close = ']', inner = '') =>
  `${open.repeat(depth)}${inner}${close.repeat(depth)}`;
export const deepObjectText = depth => deepText(depth, '{"a":', '}', '1');

/** A value nested this deep, for places that are serialized by `JSON.stringify`. */
export const deepValue = depth => {
  let value = 1;
  for (let at = 0; at < depth; at++) value = { a: value };
  return value;
};

export const numbers = count => Array.from({ length: count }, (_, at) => at);
export const members = (count, value = {}) => Object.fromEntries(numbers(count).map(at => [`m${at}`, value]));

/** Stands for raw JSON text in a value: `JSON.stringify` writes it as a text, and `rawJson` puts the text in its place. */
export const raw = text => ({ 'raw json': text });
export const rawJson = value => {
  const texts = [];
  const json = JSON.stringify(value, (_, part) => {
    if (part === null || typeof part !== 'object' || part['raw json'] === undefined) return part;
    texts.push(part['raw json']);
    return `raw json ${texts.length - 1}`;
  });
  return texts.reduce((text, part, at) => text.replace(`"raw json ${at}"`, () => part), json);
};

const object = (properties, more = {}) => ({ type: 'object', properties, ...more });
const text = more => object({ text: { type: 'string', ...more } }, { required: ['text'] });

const doubling = times => ({
  type: 'object',
  allOf: [{ $ref: '#/$defs/d0' }],
  $defs: Object.fromEntries([
    ...numbers(times).map(at => [
      `d${at}`,
      { allOf: [{ $ref: `#/$defs/d${at + 1}` }, { $ref: `#/$defs/d${at + 1}` }] },
    ]),
    [`d${times}`, { type: 'object' }],
  ]),
});

/** Input schemas of a tool, each with what is hostile about it. */
export const schemas = {
  'backtracking-pattern': ['a pattern with exponential backtracking', text({ pattern: '^(a+)+$' })],
  'nine-nested-stars': [
    'nine repetitions inside each other',
    text({ pattern: `^${'('.repeat(9)}a${'*)'.repeat(9)}b$` }),
  ],
  'huge-repetition': ['a pattern with a million repetitions', text({ pattern: '^(?:a{1000}){1000}$' })],
  'backreference-pattern': ['a pattern with back references', text({ pattern: '^(a*)*\\1\\1\\1b$' })],
  'invalid-pattern': ['a pattern that is no regular expression', text({ pattern: '(((' })],
  'lookbehind-pattern': ['a pattern with look-behind', text({ pattern: '^(?<=(a+)+)b(?=(c+)+)$' })],
  'long-pattern': ['a pattern of 200,000 characters', text({ pattern: `^(${'a|'.repeat(100_000)}b)$` })],
  'pattern-properties': [
    'slow patterns for names of members',
    object({}, { patternProperties: { '^(a|a)*$': { type: 'string' }, '^(b+)+c$': {} }, minProperties: 3 }),
  ],
  'property-names': [
    'a slow pattern for all names',
    object({}, { propertyNames: { pattern: '^(x+x+)+y$' }, minProperties: 1 }),
  ],
  'million-items': [
    'at least a million items',
    object({ list: { type: 'array', minItems: 1_000_000 } }, { required: ['list'] }),
  ],
  'nested-items': [
    'a thousand items of a thousand items',
    object(
      { list: { type: 'array', minItems: 1000, items: { type: 'array', minItems: 1000 } } },
      { required: ['list'] },
    ),
  ],
  'long-text': ['a text of ten million characters', text({ minLength: 10_000_000 })],
  'endless-text': ['a text of a thousand million characters', text({ minLength: 1_000_000_000 })],
  'many-properties': ['ten million members', object({}, { minProperties: 10_000_000 })],
  'many-contained': [
    'ten million contained items',
    object(
      { list: { type: 'array', contains: { const: 1 }, minContains: 10_000_000 } },
      { required: ['list'] },
    ),
  ],
  'long-required': [
    '100,000 required members',
    object({}, { required: numbers(100_000).map(at => `m${at}`) }),
  ],
  'unique-items': [
    '20,000 different objects',
    object(
      { list: { type: 'array', uniqueItems: true, minItems: 20_000, items: { type: 'object' } } },
      { required: ['list'] },
    ),
  ],
  'impossible-unique-items': [
    'three different booleans',
    object(
      { list: { type: 'array', uniqueItems: true, minItems: 3, items: { type: 'boolean' } } },
      { required: ['list'] },
    ),
  ],
  'doubling-definitions': ['definitions that double 18 times', doubling(18)],
  'doubling-definitions-30': ['definitions that double 30 times', doubling(30)],
  'huge-enum': ['200,000 permitted values', text({ enum: numbers(200_000).map(at => `v${at}`) })],
  'many-unusual-properties': [
    '20,000 members with unusual names',
    object(Object.fromEntries(numbers(20_000).map(at => [`__proto__${at}\u0000"\\`, { type: 'string' }]))),
  ],
  'prototype-properties': [
    'members named like those of every object',
    object(
      JSON.parse(
        '{"__proto__":{"type":"string"},"constructor":{"type":"string"},"toString":{"type":"string"}}',
      ),
      { required: ['__proto__', 'constructor', 'toString', 'hasOwnProperty', 'valueOf'] },
    ),
  ],
  'tiny-multiple': [
    'multiples of 1e-320',
    object({ number: { type: 'number', multipleOf: 1e-320 } }, { required: ['number'] }),
  ],
  'multiple-of-zero': [
    'multiples of 0',
    object({ number: { type: 'number', multipleOf: 0 } }, { required: ['number'] }),
  ],
  'huge-multiple': [
    'multiples of 1e308 below 2',
    object({ number: { multipleOf: 1e308, exclusiveMinimum: 0, maximum: 2 } }, { required: ['number'] }),
  ],
  'empty-range': [
    'a range without numbers',
    object({ number: { type: 'integer', minimum: 5, maximum: 4 } }, { required: ['number'] }),
  ],
  'deep-schema': [
    'schemas nested 400 deep',
    object({}, { properties: { a: numbers(200).reduce(inner => ({ properties: { a: inner } }), {}) } }),
  ],
  'too-deep-schema': [
    'schemas nested 3,000 deep',
    raw(`{"type":"object","properties":{"a":${deepText(1500, '{"properties":{"a":', '}}', '{}')}}}`),
  ],
  'reference-to-itself': [
    'a definition that is itself',
    object({ a: { $ref: '#/properties/a' } }, { required: ['a'] }),
  ],
  'circle-of-references': [
    'three definitions in a circle',
    object(
      { a: { $ref: '#/$defs/a' } },
      {
        required: ['a'],
        $defs: { a: { $ref: '#/$defs/b' }, b: { $ref: '#/$defs/c' }, c: { $ref: '#/$defs/a' } },
      },
    ),
  ],
  'endless-value': [
    'a tree without leaves',
    object(
      { a: { $ref: '#/$defs/t' } },
      { required: ['a'], $defs: { t: object({ t: { $ref: '#/$defs/t' } }, { required: ['t'] }) } },
    ),
  ],
  'dynamic-reference': [
    'dynamic references in a circle',
    object({ a: { $dynamicRef: '#x' } }, { $dynamicAnchor: 'x', required: ['a'] }),
  ],
  'reference-to-a-file': ['a definition in a file', object({ a: { $ref: 'file:///etc/passwd' } })],
  'reference-to-the-network': [
    'a definition at an address of this host',
    object({ a: { $ref: 'http://127.0.0.1:{canary}/schema.json' } }),
  ],
  'metaschema-of-its-own': [
    'a dialect at an address of this host',
    object({}, { $schema: 'http://127.0.0.1:{canary}/dialect' }),
  ],
  'same-id-twice': [
    'one id for two schemas',
    object({ a: { $id: 'urn:x', type: 'string' }, b: { $id: 'urn:x', type: 'number' } }),
  ],
  'thousand-alternatives': [
    'a thousand alternatives of which one fits',
    object(
      { a: { oneOf: numbers(1000).map(at => ({ type: 'integer', minimum: at, maximum: at + 500 })) } },
      { required: ['a'] },
    ),
  ],
  contradiction: ['a schema that nothing fits', { type: 'object', not: {} }],
  'schema-is-false': ['the schema false', false],
  'schema-is-null': ['the schema null', null],
  'schema-is-a-text': ['a text for a schema', 'object'],
  'types-of-wrong-type': [
    'keywords of the wrong type',
    {
      type: 'object',
      properties: [],
      required: 'a',
      minProperties: 'x',
      additionalProperties: 7,
      $defs: null,
    },
  ],
  'format-regex': ['the format regex', text({ format: 'regex', minLength: 50, pattern: '^[^a]*$' })],
};
