import { describe, expect, it } from 'vitest';
import { latestRevision } from '../../spec/revisions.js';
import { concerns, matches, parsePattern, suggest, UsageError } from './pattern.js';

const latest = latestRevision.id;
const name = `${latest}/stdio/server/tools/call-unknown-name`;

describe('patterns', () => {
  it.each([
    name,
    `${latest}/**`,
    `${latest.slice(0, 5)}*/stdio/**`,
    '*/stdio/server/tools/call-unknown-name',
    '*/*/server/tools/*',
    '**/call-*-name',
    '**',
    '**/**',
    'server/**',
    'server/tools/*',
    'server/tools/call-unknown-name',
    'server/**/call-unknown-name',
    'server/tools/call-unknown-name/**',
    '*/*/*/*/c*l-*n-n*e',
  ])('%s selects the case', text => {
    expect(matches(parsePattern(text), name)).toBe(true);
  });

  it.each([
    'server/*',
    'server/tools/call',
    'server/tools/call-unknown-name-2',
    'client/**',
    'tools/**',
    '*/tools/**',
    '*/http-sse/**',
    'server/tools/call.unknown.name',
    '*',
  ])('%s does not', text => {
    expect(matches(parsePattern(text), name)).toBe(false);
  });

  it('compares the requirement if both sides have one', () => {
    const pattern = parsePattern('server/tools/**#tools.unknown-*');
    expect(matches(pattern, name, 'tools.unknown-tool')).toBe(true);
    expect(matches(pattern, name, 'tools.other')).toBe(false);
    expect(matches(pattern, name)).toBe(true);
    expect(matches(parsePattern('**'), name, 'tools.other')).toBe(true);
    // a dot matches only a dot
    expect(matches(parsePattern('**#a.b'), name, 'axb')).toBe(false);
  });

  it('detects the revisions and transports of a pattern', () => {
    expect(concerns(parsePattern('server/**'), latest, 'stdio')).toBe(true);
    expect(concerns(parsePattern(`${latest}/**`), latest, 'stdio')).toBe(true);
    expect(concerns(parsePattern('**/x'), latest, 'stdio')).toBe(true);
    expect(concerns(parsePattern('*/http-sse/**'), latest, 'stdio')).toBe(false);
    expect(concerns(parsePattern(`${latest}/**`), 'another', 'stdio')).toBe(false);
    expect(concerns(parsePattern('*'), latest, 'stdio')).toBe(false);
  });

  it.each([
    ['', '"" is not a pattern: it is empty.'],
    ['#a.b', '"#a.b" is not a pattern: write "**#a.b" for every case.'],
    ['server/#', '"server/#" is not a pattern: nothing follows the "#".'],
    ['a#b#c', '"a#b#c" is not a pattern: it contains more than one "#".'],
    ['a//b', '"a//b" is not a pattern: a segment between two "/" is empty.'],
    ['/a', '"/a" is not a pattern: a segment between two "/" is empty.'],
    ['a b', '"a b" is not a pattern: it contains white space.'],
    ['a/b**', '"a/b**" is not a pattern: "**" stands for whole segments, but is part of "b**".'],
  ])('%j is refused', (text, message) => {
    expect(() => parsePattern(text)).toThrow(new UsageError(message));
  });
});

describe('suggest', () => {
  const words = ['server/ping/answer', 'server/tools/list', 'latest', 'all'];
  it.each([
    ['server/pign/answer', 'server/ping/answer'],
    ['server/tool/list', 'server/tools/list'],
    ['lates', 'latest'],
    ['xyzzy', undefined],
    ['server/prompts/get', undefined],
  ])('%s → %s', (word, meant) => {
    expect(suggest(word, words)).toBe(meant);
  });
});
