import { expect, test } from 'vitest';
import { capitalize, sentence } from './sentence.js';

test('a part of a sentence is written as a sentence, and a sentence stays as it is', () => {
  expect(sentence('the run took too long')).toBe('The run took too long.');
  expect(sentence('The run took too long.')).toBe('The run took too long.');
  expect(capitalize('')).toBe('');
});
