/** Custom tools of a server instead of well-known ones. */

import { describe, expect, test } from 'vitest';
import { parseFixtures } from '../entry/arguments.js';
import { assignRoles, callOf } from './tools-by-role.js';

const tools = [
  { name: 'wait', inputSchema: { type: 'object', properties: { s: { type: 'integer' } }, required: ['s'] } },
  { name: 'well_known', inputSchema: { type: 'object' } },
];
const wellKnown = { slow: 'well_known', progress: 'well_known' } as never;

describe('tools by role', () => {
  test('well-known tools have their roles, and get the arguments of the scenario', () => {
    const toolsByRole = assignRoles(tools, wellKnown, {});
    expect([...toolsByRole.keys()]).toEqual(['slow', 'progress']);
    expect(callOf(toolsByRole.get('slow'), { a: 1 })).toEqual({ name: 'well_known', arguments: { a: 1 } });
  });

  test('a well-known tool whose schema rejects the arguments of the scenario gets minimal valid ones', () => {
    const strict = { name: 'well_known', inputSchema: { type: 'object', additionalProperties: false } };
    const slow = assignRoles([strict], wellKnown, {}).get('slow');
    expect(callOf(slow, { a: 1 })).toEqual({ name: 'well_known', arguments: {} });
    const needs = { ...strict, inputSchema: { type: 'object', required: ['s'], properties: { s: {} } } };
    const other = callOf(assignRoles([needs], wellKnown, {}).get('slow'), { a: 1 });
    expect(Object.keys(other.arguments as object)).toEqual(['s']);
  });

  test('a custom tool gets minimal valid arguments, or those of the user', () => {
    expect(callOf(assignRoles(tools, wellKnown, { slow: { tool: 'wait' } }).get('slow'), { a: 1 })).toEqual({
      name: 'wait',
      arguments: { s: 1 },
    });
    const own = { slow: { tool: 'wait', arguments: { s: 9 } } };
    expect(callOf(assignRoles(tools, wellKnown, own).get('slow'))).toEqual({
      name: 'wait',
      arguments: { s: 9 },
    });
  });

  test('a named tool that the server does not have is not replaced', () => {
    expect(assignRoles(tools, wellKnown, { slow: { tool: 'wiat' } }).has('slow')).toBe(false);
  });
});

describe('--fixture', () => {
  test('names a tool for a role, with or without arguments', () => {
    expect(parseFixtures(['slow=ns:wait:{"s":{"n":1}}', 'error=fail'])).toEqual({
      slow: { tool: 'ns:wait', arguments: { s: { n: 1 } } },
      error: { tool: 'fail' },
    });
  });

  test.each([
    ['slowly=x', /--fixture must be one of slow, progress, .*, not "slowly"/],
    ['slow', /takes role=tool/],
    ['slow=', /takes role=tool/],
    ['slow=x:{', /is not JSON/],
  ])('%s is refused', (text, message) => {
    expect(() => parseFixtures([text])).toThrow(message);
  });
});
