/** Findings about one event of the subject have one cause. */

import { expect, test } from 'vitest';
import type { Event } from '../record/event.js';
import { Causes, tellers } from './cause.js';

const at = { at: 0, link: 1, case: 1 };
const frame = (seq: number, by: 'client' | 'server', more: object = {}): Event =>
  ({ ...at, seq, kind: 'frame', by, text: '{}', ...more }) as Event;
const seen = (...events: Event[]): Causes => {
  const causes = new Causes();
  for (const event of events) causes.add(event);
  return causes;
};
const finding = (requirement: string, grade: 'violation' | 'warning' | 'inconclusive' = 'violation') => ({
  requirement,
  grade,
  case: 'a case',
});

test('the cause is the last event of the subject in the evidence', () => {
  const causes = seen(frame(1, 'client'), frame(2, 'server'), frame(3, 'client'));
  expect(causes.of([1, 2, 3], 'server')).toBe(causes.of([2], 'server'));
  expect(causes.of([1], 'server')).toBeUndefined();
});

test('without an event of the subject, the cause is the end of its process, or a deadline', () => {
  const exit = { ...at, seq: 2, kind: 'exit', code: 1, signal: null } as Event;
  const causes = seen(frame(1, 'client'), exit);
  expect(causes.of([1, 2], 'server')).toBe('2');
});

test('the end of a process is the cause, on all connections to one process', () => {
  const open = (link: number): Event =>
    ({ seq: link, at: 0, link, case: 1, kind: 'open', transport: 'streamable-http', revision: 'x' }) as Event;
  const exit = (seq: number, link: number, time: number): Event =>
    ({ seq, at: time, link, case: 1, kind: 'exit', code: 1, signal: null }) as Event;
  const causes = seen(
    open(1),
    open(2),
    frame(3, 'client'),
    frame(4, 'server'),
    exit(5, 1, 10),
    exit(6, 2, 11),
  );
  expect(causes.of([3, 4, 5], 'server')).toBe('5');
  expect(causes.of([6], 'server')).toBe('5');
  const processes = seen(frame(1, 'server'), exit(2, 1, 10), exit(3, 2, 10));
  expect(processes.of([3], 'server')).not.toBe(processes.of([2], 'server'));
});

test('head and body of a response are one event, blocks of a stream are several', () => {
  const head = (seq: number, exchange: number, type: string): Event =>
    ({
      ...at,
      seq,
      kind: 'http-response',
      exchange,
      status: 200,
      headers: [['Content-Type', type]],
    }) as Event;
  const block = (seq: number): Event => ({ ...at, seq, kind: 'sse', exchange: 2, framed: true }) as Event;
  const causes = seen(
    head(1, 1, 'application/json'),
    frame(2, 'server', { exchange: 1 }),
    head(3, 2, 'text/event-stream'),
    block(4),
    frame(5, 'server', { exchange: 2 }),
    block(6),
    frame(7, 'server', { exchange: 2 }),
  );
  const key = (seq: number) => causes.of([seq], 'server');
  expect(key(1)).toBe(key(2));
  expect(key(4)).toBe(key(5));
  expect(new Set([key(2), key(3), key(5), key(7)]).size).toBe(4);
});

test('the gravest finding tells the cause, then the most specific, then the first', () => {
  const general = finding('base.schema-valid');
  const specific = finding('tools.result');
  const later = finding('tools.list');
  const mild = finding('resources.uri-valid', 'warning');
  const same = new Set(['7']);
  const told = tellers(new Map([general, mild, specific, later].map(f => [f, same])));
  expect([general, mild, specific, later].map(f => told.get(f))).toEqual([
    specific,
    specific,
    undefined,
    specific,
  ]);
});

test('a finding about most messages tells no other one, but the end of a process does', () => {
  const keys = Array.from({ length: 5 }, (_, n) => `${n}`);
  const wide = finding('streamable-http.client-version-header');
  const one = finding('streamable-http.client-new-session-on-404');
  const causes = new Map([
    [wide, new Set(keys)],
    [one, new Set(['3'])],
  ]);
  expect(tellers(causes).get(one)).toBeUndefined();
  expect(tellers(causes, key => key === '3').get(one)).toBe(wide);
  causes.set(wide, new Set(keys.slice(1)));
  expect(tellers(causes).get(one)).toBe(wide);
});

test('a finding about most messages of short conversations tells no finding about one of them', () => {
  const of = (name: string) => ({ ...finding('streamable-http.client-version-header'), case: name });
  const [first, ...others] = ['a', 'b', 'c'].map(of);
  const one = finding('pagination.no-fixed-page-size');
  const causes = new Map([
    [first!, new Set(['1', '2'])],
    [one, new Set(['2'])],
  ]);
  expect(tellers(causes).get(one)).toBe(first);
  for (const other of others) causes.set(other, new Set([`${other.case} 1`, `${other.case} 2`]));
  expect(tellers(causes).get(one)).toBeUndefined();
  // the same message in each conversation, such as the response to initialize, is a cause
  causes.set(first!, new Set(['2']));
  expect(tellers(causes).get(one)).toBe(first);
});

test('a finding with a cause of its own is not told by another one', () => {
  const several = finding('a.row');
  const one = finding('b.row');
  const unclear = finding('c.row', 'inconclusive');
  const told = tellers(
    new Map([
      [several, new Set(['1', '2'])],
      [one, new Set(['1'])],
      [unclear, new Set(['1'])],
    ]),
  );
  expect([several, one, unclear].map(f => told.get(f))).toEqual([undefined, several, undefined]);
});
