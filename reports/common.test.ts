import { describe, expect, test } from 'vitest';
import { requirement } from '../spec/requirement.js';
import { isCommon } from './common.js';

describe('a warning that most servers get', () => {
  const row = requirement('jsonrpc.error-message-concise');

  test('is common in the report of a server', () => {
    expect(isCommon({ grade: 'warning', row }, 'server')).toBe(true);
    expect(isCommon({ grade: 'violation', row }, 'server')).toBe(false);
  });

  test('is a warning as any other in the report of a client', () => {
    expect(isCommon({ grade: 'warning', row }, 'client')).toBe(false);
  });
});
