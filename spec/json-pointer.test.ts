import fc from 'fast-check';
import { expect, test } from 'vitest';
import { atPointer, pointerKeys, pointerStep } from './json-pointer.js';

test('the keys of the steps are the keys of the pointer, whatever they contain', () => {
  fc.assert(
    fc.property(fc.array(fc.oneof(fc.string(), fc.constantFrom('~', '/', '~1', '~01', ''))), keys => {
      expect(pointerKeys(keys.map(pointerStep).join(''))).toEqual(keys);
    }),
  );
});

test.each([
  ['', { a: [1, { 'b/c': 2 }] }],
  ['/a/1/b~1c', 2],
  ['/a/2', undefined],
  ['/a/1/b~1c/d', undefined],
  ['/constructor', undefined],
])('%s', (pointer, value) => {
  expect(atPointer({ a: [1, { 'b/c': 2 }] }, pointer)).toEqual(value);
});
