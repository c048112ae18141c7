/** Values of headers that repeat members of the body. */

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { decodeHeader, encodeHeader } from './mirrored-headers.js';

test.each(['', 'plain', ' a ', '\uFEFFbyte order mark', '=?base64?YQ==?=', 'Zürich', 'a\nb'])(
  'a header keeps the value %j',
  value => {
    expect(decodeHeader(encodeHeader(value))).toBe(value);
  },
);

test('a header keeps any value', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), value => {
      expect(decodeHeader(encodeHeader(value))).toBe(value);
    }),
  );
});

test('a value with invalid Base64, or with bytes that are not UTF-8, has no meaning', () => {
  expect(decodeHeader('=?base64?YQ?=')).toBeUndefined();
  expect(decodeHeader('=?base64?/w==?=')).toBeUndefined();
});
