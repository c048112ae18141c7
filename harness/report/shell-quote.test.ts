import { expect, test } from 'vitest';
import { quoteFor } from './shell-quote.js';

test.each([
  ['plain-word/1.js', 'plain-word/1.js'],
  ['two words', "'two words'"],
  ["it's", `'it'\\''s'`],
  ['', "''"],
])('%j for a POSIX shell', (word, quoted) => {
  expect(quoteFor('linux', word)).toBe(quoted);
});

test.each([
  ['C:\\Node\\node.exe', 'C:\\Node\\node.exe'],
  ['C:\\Program Files\\x', '"C:\\Program Files\\x"'],
  ['a b\\', '"a b\\\\"'],
  ['{"a":1}', '"{\\"a\\":1}"'],
  ['a\\"b', '"a\\\\\\"b"'],
  ["it's", `"it's"`],
  ['', '""'],
])('%j for cmd.exe', (word, quoted) => {
  expect(quoteFor('win32', word)).toBe(quoted);
});
