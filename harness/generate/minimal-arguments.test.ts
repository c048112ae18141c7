import { expect, test } from 'vitest';
import { minimalArguments } from './minimal-arguments.js';

const text = { type: 'string' };

test('required members are enough for a plain schema', () => {
  const schema = { type: 'object', properties: { a: text, b: text }, required: ['a'] };
  expect(minimalArguments(schema)).toEqual({ a: 'text' });
});

test('members that a condition requires are there', () => {
  const properties = { phone: text, email: text };
  const one = { anyOf: [{ required: ['phone'] }, { required: ['email'] }] };
  expect(Object.keys(minimalArguments({ type: 'object', properties, ...one }))).not.toEqual([]);
  const both = { allOf: [{ required: ['phone', 'email'] }] };
  expect(Object.keys(minimalArguments({ type: 'object', properties, ...both })).sort()).toEqual([
    'email',
    'phone',
  ]);
});

test('a schema without a generated value gets its required members', () => {
  const schema = { type: 'object', properties: { a: text }, required: ['a'], anyOf: [false] };
  expect(minimalArguments(schema)).toEqual({ a: 'text' });
});

test.each([
  ['a number or a text', { anyOf: [{ type: 'number' }, { type: 'string', enum: ['NaN'] }] }, 1],
  ['a nullable number', { oneOf: [{ type: 'integer' }, { type: 'null' }] }, 1],
])('a required member has a valid value: %s', (_, a, value) => {
  expect(minimalArguments({ type: 'object', properties: { a }, required: ['a'] })).toEqual({ a: value });
});

test('a member with a pattern, a reference or a bound has a generated value where the smallest is invalid', () => {
  const properties = {
    digits: { type: 'string', pattern: '^[0-9]+$' },
    flag: { $ref: '#/$defs/flag' },
    few: { type: 'number', maximum: 0 },
  };
  const schema = { type: 'object', properties, required: Object.keys(properties) };
  expect(minimalArguments({ ...schema, $defs: { flag: { type: 'boolean' } } })).toEqual({
    digits: expect.stringMatching(/^[0-9]+$/),
    flag: expect.any(Boolean),
    few: expect.toSatisfy((value: number) => value <= 0),
  });
});
