/** The scripts for the official suite are scripts, and their calls are those that the suite asks for. */

import { expect, test } from 'vitest';
import { parseScript } from '../../harness/scenario/script.js';
import { officialScript } from './official-scripts.js';

test.each([
  ['tools_call', ['add_numbers']],
  ['auth/scope-step-up', ['test-tool']],
  ['json-schema-2020-12-preservation', ['json_schema_echo']],
  ['http-standard-headers', ['test_headers', 'my-hyphenated-tool']],
  ['request-metadata', []],
])('%s', (scenario, tools) => {
  const script = parseScript(officialScript(scenario, {}));
  expect(script[0]).toEqual(['connect']);
  expect(script.at(-1)).toEqual(['close']);
  expect(script.filter(([verb]) => verb === 'call').map(([, name]) => name)).toEqual(tools);
});

test('a scenario names its calls in the context', () => {
  const toolCalls = [{ name: 'one', arguments: { a: null } }, { name: 'two' }, 'three'];
  expect(officialScript('http-custom-headers', { toolCalls })).toEqual([
    ['connect'],
    ['list', 'tools'],
    ['call', 'one', { a: null }],
    ['call', 'two', {}],
    ['close'],
  ]);
});
