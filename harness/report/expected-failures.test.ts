/** Lists of the official suite: the form in which repositories of SDKs have them, and the table. */

import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { requirements } from '../../spec/requirement.js';
import { officialScenarios, parseExpectedFailures, requirementsOf } from './expected-failures.js';
import { KnownFailures } from './known-failing.js';
import { fits } from './pattern.js';

const read = (text: string, role: 'server' | 'client' = 'server') =>
  parseExpectedFailures(text, 'expected.yml', role);
const idsOf = (text: string, role?: 'server' | 'client') =>
  read(text, role).entries.map(({ line, pattern }) => `${line} ${pattern.requirement}`);

describe('a list', () => {
  test('with indented items, comments, and a section for each role', () => {
    const text =
      '# why\nclient: []\n\nserver:\n  # SEP-2322\n  - ping  # later\n  - "logging-set-level"\nclient:\n- initialize\n';
    expect(idsOf(text)).toEqual(['6 ping.answered-empty', '7 logging.set-level-answered']);
    expect(idsOf(text, 'client')[0]).toMatch(/^9 lifecycle/);
  });

  test('with items that are not indented, as go-sdk has it', () => {
    const text =
      'server:\n- dns-rebinding-protection\nclient:\n- auth/basic-cimd\n- auth/token-endpoint-auth-none  \n';
    expect(idsOf(text)).toEqual(['2 streamable-http.origin-403', '2 streamable-http.origin-validated']);
    expect(read(text, 'client').remarks).toEqual([]);
  });

  test('with checks: a check with requirements of its own covers these only', () => {
    expect(idsOf('server:\n- tools-list:wire-schema-valid\n')).toEqual(['2 base.schema-valid']);
    expect(idsOf('server:\n- ping:something-else\n')).toEqual(['2 ping.answered-empty']);
  });

  test('with scenarios that are unknown, or of extensions that are not judged: remarks', () => {
    expect(read('server:\n- pong\n- sep-2640-skills-manifest\n').remarks).toEqual([
      'expected.yml:2: "pong" is not in the table of the official suite; did you mean "ping"?',
      'expected.yml:3: no effect here, because no requirement of mcp-conform stands for: sep-2640-skills-manifest.',
    ]);
  });

  test('of an SDK: extensions, with and without a check', () => {
    expect(idsOf('server:\n  - tasks-required-task-error\n')).toEqual([
      '2 ext-tasks.required-capability-error',
    ]);
    const text =
      'client:\n  - auth/client-credentials-jwt:client-credentials-jwt-iss\n  - auth/client-credentials-basic\n';
    expect(idsOf(text, 'client')[0]).toBe('2 ext-client-credentials.assertion-iss');
    expect(read(text, 'client').remarks).toEqual([]);
  });

  test.each(['server:\n  ping: true\n', '- ping\n', '{"server": ["ping"]}'])('of another form: %j', text => {
    expect(() => read(text)).toThrow(/^expected\.yml:\d+: expected "server:"/);
  });

  test('makes failures known, and no entry is stale', () => {
    const { entries } = read('server:\n- ping\n- logging-set-level\n');
    const known = new KnownFailures(entries);
    const name = '2025-11-25/stdio/server/ping/plain';
    expect(known.apply({ verdict: 'fail', requirement: 'ping.answered-empty' }, name)).toBe(
      '"ping" in expected.yml',
    );
    expect(known.apply({ verdict: 'fail', requirement: 'base.schema-valid' }, name)).toBeUndefined();
    expect(known.stale([name], [])).toEqual([]);
  });
});

test('each requirement of the table exists', () => {
  const table = JSON.parse(
    readFileSync(new URL('../../spec/official-suite.json', import.meta.url), 'utf8'),
  ) as Record<string, Record<string, string | string[]>>;
  const all = [...requirements().keys()];
  const { aliases, ...tables } = table;
  for (const [role, scenarios] of Object.entries(tables))
    for (const [scenario, globs] of Object.entries(scenarios))
      for (const glob of globs)
        expect(
          all.some(id => fits(glob, id)),
          `${role} ${scenario}: ${glob}`,
        ).toBe(true);
  for (const to of Object.values(aliases!)) expect(requirementsOf(to as string, 'client')).toBeDefined();
  expect(officialScenarios('server').length).toBeGreaterThan(60);
});
