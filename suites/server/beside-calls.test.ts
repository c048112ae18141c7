import { expect, test } from 'vitest';
import type { Known } from '../../harness/scenario/scenario.js';
import { quickTools } from './beside-calls.js';

const named = (name: string) => ({ name, arguments: {} });

test('tools that say that they change something are called before the others', () => {
  const others = Array.from({ length: 12 }, (_, n) => `other-${n}`);
  const names = ['reads', ...others, 'slow_change', 'trigger_tool_change'];
  const known: Pick<Known, 'callable' | 'slowTools' | 'tools'> = {
    callable: names.map(named),
    slowTools: new Set(['slow_change']),
    tools: [{ name: 'reads', annotations: { readOnlyHint: true } }],
  };
  const quick = quickTools(known as Known).map(({ name }) => name);
  expect(quick[0]).toBe('trigger_tool_change');
  expect(quick).toHaveLength(8);
  expect(quick).not.toContain('slow_change');
  expect(quick).not.toContain('reads');
});
