import { expect, test } from 'vitest';
import { revisions } from '../../../spec/revisions.js';
import { record, request, result } from '../record.test.util.js';
import { problemIn } from './problem-text.js';

const [asked, reply] = record(revisions[0]!, [
  ['c', request(1, 'ping', { 'a/b': [7] })],
  ['s', result(1, { a: 8 })],
]).messages;

test.each([
  ['', "must have required property 'id'", '', undefined, 'the message to have the member "id"'],
  ['/content/0/text', 'must be string', 'result', 'A', 'result.content[0].text to be a string (A)'],
  ['/a~1b/c~0d', 'must be integer,null', '', 'A', '["a/b"]["c~d"] to be an integer or null (A)'],
  ['/params/9lives', 'must be object', '', 'A', 'params.9lives to be an object (A)'],
  ['', 'must NOT have more than 100 items', 'result', 'A | B', 'result not to have more than 100 items'],
  [
    '/params/a',
    "must have required property 'b', or must be string,null",
    '',
    'A',
    'params.a to have the member "b", or to be a string or null (A)',
  ],
  ['/params', 'must match format "uri"', '', '', 'params to match format "uri"'],
])('the problem of %j is %j', (path, message, root, definition, expected) => {
  const m = root === 'result' ? reply! : asked!;
  expect(problemIn(m, { path, message }, definition).expected).toBe(expected);
});

test('a finding has the value at the place of the problem', () => {
  const at = (path: string) => ({ path, message: 'must be string' });
  expect(problemIn(asked!, at('/params/a~1b/0'), 'A')).toEqual({
    expected: 'params["a/b"][0] to be a string (A)',
    actual: '7',
  });
  expect(problemIn(reply!, at('/a'), 'A')).toEqual({ expected: 'result.a to be a string (A)', actual: '8' });
  expect(problemIn(reply!, at('/b/c'), undefined)).toEqual({
    expected: 'result.b.c to be a string',
    actual: 'nothing',
  });
});
