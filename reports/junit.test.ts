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

const report = (events: readonly RunEvent[]) =>
  parse(written(junit, events).replaceAll('<revision>', 'dated'));

/** The outcome of each test. */
const outcomes = (events: readonly RunEvent[]) =>
  Object.fromEntries(
    report(events)
      .children.flatMap(suite => suite.children)
      .map(test => [test.attributes.name, test.children[0]?.name ?? 'passed']),
  );

describe('JUnit', () => {
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
