import { expect, test } from 'vitest';
import { excessOf, formsOf, wordsOf } from './forms.js';

const place = new URL('http://a.example/login');
const form = '<form><input name=a><button>Sign in</button></form>';

test('a page with more tags than any page for a user has is not parsed', () => {
  const page = `${form}${'<p>words'.repeat(20_000)}`;
  expect(excessOf(page)).toMatch(/more than 20000 tags, the limit of mcp-conform/);
  expect(formsOf(page, place)).toEqual([]);
  expect(wordsOf(page)).toBe(page);
});

test('a long page is read', () => {
  const page = `${form}${`<p>${'words '.repeat(50)}`.repeat(2_000)}`;
  expect(excessOf(page)).toBeUndefined();
  expect(formsOf(page, place)).toHaveLength(1);
  expect(wordsOf(page)).toContain('Sign in');
});
