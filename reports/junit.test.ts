import { SaxesParser } from 'saxes';
import { describe, expect, it, vi } from 'vitest';
import type { RunEvent } from '../harness/report/run-event.js';
import { attacked } from './attack.test.util.js';
import { junit } from './junit.js';
import {
  allWell,
  caseStart,
  finding,
  oneViolation,
  run,
  runEnd,
  runStart,
  written,
} from './samples.test.util.js';

vi.mock('../spec/requirement.js', async actual =>
  (await import('./samples.test.util.js')).withTestRows(await actual<object>()),
);

interface Element {
  name: string;
  attributes: Record<string, string>;
  children: Element[];
  text: string;
}

/** Refuses text that is not well-formed XML 1.0. */
function parse(xml: string): Element {
  const root: Element = { name: '', attributes: {}, children: [], text: '' };
  const open = [root];
  const parser = new SaxesParser();
  parser.on('error', error => {
    throw error;
  });
  parser.on('opentag', ({ name, attributes }) => {
    const element = { name, attributes: attributes as Record<string, string>, children: [], text: '' };
    open.at(-1)!.children.push(element);
    open.push(element);
  });
  parser.on('text', text => {
    open.at(-1)!.text += text;
  });
  parser.on('closetag', () => void open.pop());
  parser.write(xml).close();
  return root.children[0]!;
}

const count = /^\d+$/;
const seconds = /^\d+(\.\d+)?$/;
const any = /^/;
const outcome = { attributes: { message: any, type: any }, children: [] };

/**
 * What the schemas of JUnit reports that CI systems publish have in common: the elements in each element, and the
 * form of each attribute. `name` is required where it is allowed.
 */
const schema: Record<string, { attributes: Record<string, RegExp>; children: string[] }> = {
  testsuites: {
    attributes: { name: any, tests: count, failures: count, errors: count, skipped: count, time: seconds },
    children: ['testsuite'],
  },
  testsuite: {
    attributes: {
      ...{ name: any, tests: count, failures: count, errors: count, skipped: count, time: seconds },
      timestamp: /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d/,
    },
    children: ['testcase'],
  },
  testcase: {
    attributes: { name: /./, classname: /./ },
    children: ['failure', 'error', 'skipped', 'system-out'],
  },
  failure: outcome,
  error: outcome,
  skipped: { attributes: { message: any }, children: [] },
  'system-out': { attributes: {}, children: [] },
};

function misfits({ name, attributes, children }: Element): string[] {
  const rule = schema[name];
  if (!rule) return [`element ${name}`];
  const named = 'name' in rule.attributes && attributes.name === undefined ? [`${name} without a name`] : [];
  const wrong = Object.entries(attributes).filter(([key, value]) => !rule.attributes[key]?.test(value));
  const strange = children.filter(child => !rule.children.includes(child.name));
  return [
    ...named,
    ...wrong.map(([key, value]) => `${name} ${key}="${value}"`),
    ...strange.map(child => `${child.name} in ${name}`),
    ...(name === 'testcase' && children.length > 1 ? ['testcase with two outcomes'] : []),
    ...countMisfits({ name, attributes, children }),
    ...children.flatMap(misfits),
  ];
}

/** The counts of a suite, and of all suites, are those of its tests. */
function countMisfits({ name, attributes, children }: Omit<Element, 'text'>): string[] {
  if (!['testsuites', 'testsuite'].includes(name)) return [];
  const tests = name === 'testsuite' ? children : children.flatMap(suite => suite.children);
  const of = (kind: string) => tests.filter(test => test.children[0]?.name === kind).length;
  const counted = {
    tests: tests.length,
    failures: of('failure'),
    errors: of('error'),
    skipped: of('skipped'),
  };
  return Object.entries(counted).flatMap(([key, n]) =>
    attributes[key] === String(n) ? [] : [`${name} ${key}="${attributes[key]}", counted ${n}`],
  );
}

const report = (events: readonly RunEvent[]) => {
  const root = parse(written(junit, events).replaceAll('<revision>', 'dated'));
  expect(misfits(root)).toEqual([]);
  return root;
};

/** The outcome of each test. */
const outcomes = (events: readonly RunEvent[]) =>
  Object.fromEntries(
    report(events)
      .children.flatMap(suite => suite.children)
      .map(test => [test.attributes.name, test.children[0]?.name ?? 'passed']),
  );

describe('JUnit', () => {
  it('is refused with a wrong count, an unknown attribute, and an element in the wrong place', () => {
    const root = report(oneViolation());
    root.attributes.tests = '9';
    root.children[0]!.attributes.more = 'x';
    root.children[0]!.children[0]!.children.push({
      name: 'testcase',
      attributes: {},
      children: [],
      text: '',
    });
    expect(misfits(root)).toEqual(
      expect.arrayContaining([
        'testsuites tests="9", counted 4',
        'testsuite more="x"',
        'testcase in testcase',
        'testcase without a name',
      ]),
    );
  });

  it('has a test for each requirement', () => {
    expect(outcomes(allWell())).toEqual({
      'test.must': 'passed',
      'test.other-must': 'passed',
      'test.should': 'passed',
      'test.may': 'skipped',
    });
  });

  it('reports a failure in full', () => {
    const [suite] = report(oneViolation()).children;
    const { name, tests, failures, errors, skipped } = suite!.attributes;
    expect([name, tests, failures, errors, skipped]).toEqual(['dated on stdio', '4', '1', '0', '2']);
    const failed = suite!.children.find(test => test.attributes.name === 'test.must')!;
    expect(failed.attributes.classname).toBe('dated stdio.test');
    expect(failed.children[0]!.attributes).toEqual({
      message: 'expected error -32602 or error -32601, got result {"content":[]}',
      type: 'violation of a MUST',
    });
    expect(failed.children[0]!.text).toContain('  13  +0.004s  ←  {"id":3,"result":{"content":[]}}');
    expect(failed.children[0]!.text).toContain(' Reproduce  mcp-conform server --run');
  });

  const some = [
    caseStart(1, 'server/x'),
    finding('test.must', 1, { verdict: 'inconclusive', message: 'no tool' }),
    finding('test.should', 1, { verdict: 'fail', expected: ['x'] }),
    finding('test.may', 1, { verdict: 'fail', expected: ['x'] }),
    finding('test.other-must', 1, { verdict: 'fail', expected: ['x'] }, 'issue 7'),
  ];

  it('the same grades fail in JUnit and in the run', () => {
    const lenient = { 'test.must': 'skipped', 'test.should': 'system-out', 'test.may': 'system-out' };
    expect(outcomes(run(0, some))).toEqual({ ...lenient, 'test.other-must': 'skipped' });
    expect(outcomes(run(1, some, { strict: true, fixtures: true }))).toMatchObject({
      'test.must': 'error',
      'test.should': 'failure',
    });
  });

  it('reports a run without a verdict, and stale lines', () => {
    const unjudged = { reason: 'It exited.', details: ['stderr: no'] };
    expect(outcomes([runStart(), runEnd(3, { unjudged, stale: ['line 3: x'] })])).toEqual({
      'can be judged': 'error',
      'line 3: x': 'failure',
    });
  });

  it('is well-formed with any text of the subject', () => {
    const text = written(junit, attacked());
    expect(text).not.toMatch(/[^\n\P{Cc}]|\p{Cf}|\p{Cs}|<script|<b>/u);
    expect(outcomes(attacked())).toMatchObject({ 'test.must': 'failure', 'test.other-must': 'error' });
  });

  it('writes nothing for an aborted run', () => {
    expect(written(junit, oneViolation().slice(0, -1))).toBe('');
  });
});
