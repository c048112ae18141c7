import { describe, expect, test } from 'vitest';
import { bearerParam, parseChallenges } from './challenge.js';

const one = (line: string) => parseChallenges([line]);
const shapes = (...lines: string[]) =>
  parseChallenges(lines).challenges.map(c => [c.scheme, Object.fromEntries(c.params)]);

describe('challenges', () => {
  test('parameters with and without quotes, in any case and with any white space', () => {
    expect(shapes('Bearer realm="a, \\"b\\" = c" , Scope = x,error=invalid_token')).toEqual([
      ['Bearer', { realm: 'a, "b" = c', scope: 'x', error: 'invalid_token' }],
    ]);
  });

  test('several challenges in one line, in several lines, and bare schemes', () => {
    const basic = ['Basic', { realm: 'x' }];
    const bearer = ['Bearer', { scope: 'a b' }];
    expect(shapes('Basic realm="x", Bearer scope="a b"')).toEqual([basic, bearer]);
    expect(shapes('Basic realm="x"', 'Bearer scope="a b"')).toEqual([basic, bearer]);
    expect(shapes('Negotiate, Bearer scope="a b"')).toEqual([['Negotiate', {}], bearer]);
    expect(shapes('Bearer')).toEqual([['Bearer', {}]]);
    expect(shapes('')).toEqual([]);
  });

  test('an opaque value is not a parameter', () => {
    const { challenges, flaw } = one('Negotiate YWJj==, Bearer realm="x"');
    expect(flaw).toBeUndefined();
    expect(challenges[0]).toMatchObject({ scheme: 'Negotiate', token68: 'YWJj==', params: [] });
    expect(challenges[1]?.params).toEqual([['realm', 'x']]);
  });

  test.each([
    ['an unclosed quote', 'Bearer realm="x'],
    ['a URL without quotes', 'Bearer resource_metadata=https://x.example/y'],
    ['no comma between parameters', 'Bearer realm="x" scope="y"'],
    ['text directly after a quote', 'Bearer realm="x"y'],
    ['no scheme', '="x"'],
  ])('%s is found', (_, line) => {
    expect(one(line).flaw).toBeDefined();
  });

  test('a parameter of the Bearer challenge', () => {
    const all = one('Basic scope="no", bearer SCOPE="yes"');
    expect(bearerParam(all, 'scope')).toBe('yes');
    expect(bearerParam(all, 'realm')).toBeUndefined();
  });
});
