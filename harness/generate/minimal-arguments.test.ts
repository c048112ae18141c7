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
