import { describe, expect, test } from 'vitest';
import { everything, gradeInRelease } from '../../harness/judge/release.js';
import { requirement } from '../../spec/requirement.js';
import { nextReleaseSet, type ReleaseSet } from './freeze.js';

const old = { 'tools.name-length': { '2025-11-25': 'warning' } } as const;
const more = { ...old, 'ping.answered-empty': { '2025-11-25': 'violation' } } as const;
const first = nextReleaseSet('0.1.0', everything, old);
const second = nextReleaseSet('0.2.0', first, more);
const third = nextReleaseSet('0.3.0', second, more);
const grade = (set: ReleaseSet, id: 'ping.answered-empty' | 'tools.name-length') =>
  gradeInRelease(requirement(id), '2025-11-25', 'fail', set);

describe('the requirements that a release counts', () => {
  test('before the first release everything counts', () => {
    expect(grade(everything, 'ping.answered-empty')).toBe('violation');
  });

  test('the first release counts all that it has', () => {
    expect(first).toEqual({ release: '0.1.0', counted: old, pending: {} });
  });

  test('a new requirement is a note until the release after the one that announces it', () => {
    expect(grade(first, 'ping.answered-empty')).toBe('note');
    expect(second.pending).toEqual({ 'ping.answered-empty': { '2025-11-25': 'violation' } });
    expect(grade(second, 'ping.answered-empty')).toBe('note');
    expect(grade(third, 'ping.answered-empty')).toBe('violation');
    expect(third.pending).toEqual({});
  });

  test('a requirement that becomes stricter keeps its grade until then', () => {
    const once = nextReleaseSet('0.1.0', everything, { 'ping.answered-empty': { '2025-11-25': 'warning' } });
    const next = nextReleaseSet('0.2.0', once, more);
    expect(grade(once, 'ping.answered-empty')).toBe('warning');
    expect(grade(next, 'ping.answered-empty')).toBe('warning');
    expect(grade(nextReleaseSet('0.3.0', next, more), 'ping.answered-empty')).toBe('violation');
  });

  test('a requirement that becomes milder does so at once', () => {
    const milder = { 'ping.answered-empty': { '2025-11-25': 'warning' } } as const;
    expect(nextReleaseSet('0.4.0', third, milder).counted).toEqual(milder);
  });

  test('a requirement that is removed is no longer counted', () => {
    expect(nextReleaseSet('0.4.0', third, old).counted).toEqual(old);
  });
});
