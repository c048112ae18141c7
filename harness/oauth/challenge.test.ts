import { describe, expect, test } from 'vitest';
import { bearerParam, parseChallenges } from './challenge.js';

const one = (line: string) => parseChallenges([line]);
const shapes = (...lines: string[]) =>
  parseChallenges(lines).challenges.map(c => [c.scheme, Object.fromEntries(c.params)]);

describe('challenges', () => {
  test('parameters in quotes and without, in any case and with any spaces', () => {
    expect(shapes('Bearer realm="a, \\"b\\" = c" , Scope = x,error=invalid_token')).toEqual([
      ['Bearer', { realm: 'a, "b" = c', scope: 'x', error: 'invalid_token' }],
    ]);
  });

  test('several in one line, several lines, and bare schemes', () => {
    const basic = ['Basic', { realm: 'x' }];
    const bearer = ['Bearer', { scope: 'a b' }];
    expect(shapes('Basic realm="x", Bearer scope="a b"')).toEqual([basic, bearer]);
    expect(shapes('Basic realm="x"', 'Bearer scope="a b"')).toEqual([basic, bearer]);
    expect(shapes('Negotiate, Bearer scope="a b"')).toEqual([['Negotiate', {}], bearer]);
    expect(shapes('Bearer')).toEqual([['Bearer', {}]]);
    expect(shapes('')).toEqual([]);
  });

  test('an opaque value is no parameter', () => {
    const { challenges, flaw } = one('Negotiate YWJj==, Bearer realm="x"');
    expect(flaw).toBeUndefined();
    expect(challenges[0]).toMatchObject({ scheme: 'Negotiate', token68: 'YWJj==', params: [] });
    expect(challenges[1]?.params).toEqual([['realm', 'x']]);
  });

  test.each([
    ['a quote that is never closed', 'Bearer realm="x'],
    ['a URL without quotes', 'Bearer resource_metadata=https://x.example/y'],
    ['no comma between parameters', 'Bearer realm="x" scope="y"'],
    ['something glued to a quote', 'Bearer realm="x"y'],
    ['no scheme', '="x"'],
  ])('%s is found', (_, line) => {
    expect(one(line).flaw).toBeDefined();
  });

  test('a parameter of the challenge for tokens', () => {
    const all = one('Basic scope="no", bearer SCOPE="yes"');
    expect(bearerParam(all, 'scope')).toBe('yes');
    expect(bearerParam(all, 'realm')).toBeUndefined();
  });
});
