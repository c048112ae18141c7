import { Ajv } from 'ajv';
import { Ajv2019 } from 'ajv/dist/2019.js';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect, test } from 'vitest';
import type { Json, JsonObject } from '../../../spec/json-rpc.js';
import { isPlainSchema } from '../../../spec/plain-schema.js';
import { latestRevision } from '../../../spec/revisions.js';
import { checkSchema, judgeValue } from './schemas.js';

const options = { strict: false, validateFormats: false, logger: false, ownProperties: true } as const;

const anything: readonly Json[] = [
  ...['', 'string', 'object', 'a', { format: 'a' }, 0, 1, -1, 1.5, true, false, null],
  ...[
    [],
    {},
    ['a'],
    ['a', 'a'],
    ['string', 'null'],
    [1],
    [{}],
    [[]],
    { a: {} },
    { a: 1 },
    { a: { type: 'x' } },
  ],
  ...[{ type: 'string' }, { required: 'a' }, { minLength: -1 }, { enum: 1 }, { $ref: 1 }, [{ type: 1 }]],
];

const keywords = [
  ...['type', 'properties', 'required', 'items', 'additionalProperties', 'anyOf', 'oneOf', 'allOf', 'enum'],
  ...['const', 'default', 'title', 'description', 'format', 'minimum', 'maximum', 'minLength', 'maxLength'],
  ...['minItems', 'maxItems', 'uniqueItems', 'pattern', 'not', 'mystery', '$defs', '__proto__x'],
  ...['$schema', '$comment', '$ref', '$id', '$anchor', 'definitions', 'examples', 'deprecated', 'readOnly'],
  ...['writeOnly', 'prefixItems', 'contains', 'propertyNames', 'dependentRequired', 'dependentSchemas', 'if'],
  ...['then', 'else', 'exclusiveMinimum', 'exclusiveMaximum', 'minProperties', 'maxProperties', 'multipleOf'],
  ...[
    'patternProperties',
    'unevaluatedProperties',
    'dependencies',
    'constructor',
    'enumNames',
    'x-mcp-header',
  ],
];

const schemas = keywords.flatMap(keyword =>
  anything.map((value): JsonObject => ({ not: { [keyword]: value } })),
);

test('a schema called valid without ajv is valid for ajv', () => {
  const ajv = new Ajv2020(options);
  for (const schema of schemas) {
    const valid = ajv.validateSchema(schema) === true;
    expect(checkSchema(schema, latestRevision).flaw === undefined, JSON.stringify(schema)).toBe(valid);
  }
});

test.each([Ajv, Ajv2019, Ajv2020])('a plain schema is valid for any %o', Dialect => {
  const ajv = new Dialect(options);
  const plain = schemas.filter(isPlainSchema);
  expect(plain.length).toBeGreaterThan(100);
  for (const schema of plain) expect(ajv.validateSchema(schema), JSON.stringify(schema)).toBe(true);
});

const isValid = (schema: JsonObject, value: Json): boolean =>
  judgeValue(schema, value, { revision: latestRevision, expected: 'valid', evidence: [] }).verdict === 'pass';

test('a value called valid without ajv is valid for ajv', () => {
  const fitting: JsonObject[] = [
    { type: 'object', properties: { a: { type: 'integer' } }, required: ['a'], additionalProperties: false },
    { type: 'array', items: { enum: ['a', 1, null] }, maxItems: 1 },
    { anyOf: [{ type: 'string' }, { type: 'object', properties: { a: { const: 1 } } }] },
    { oneOf: [{ type: 'integer' }, { type: 'number' }] },
    { type: 'object', required: ['constructor'] },
    { $schema: 'https://json-schema.org/draft/2020-12/schema', minimum: 1 },
    { enum: [{ a: 1 }, ['a']] },
    { properties: { a: { const: {} }, enum: { type: 'string' } } },
    { format: 'uri', minLength: 2 },
    { format: 'email', enum: ['a', 1] },
    { type: 'string', enum: ['a', 'object'], enumNames: ['A', 'O'], 'x-order': { $ref: 1 } },
    { $ref: '#/x-parts/a', 'x-parts': { a: { type: 'string' } } },
    { properties: { format: { type: 'integer' } }, const: { format: 'a' } },
  ];
  for (const schema of fitting) {
    const fits = new Ajv2020(options).compile(schema);
    for (const value of anything)
      expect(isValid(schema, value), JSON.stringify([schema, value])).toBe(fits(value));
  }
});
