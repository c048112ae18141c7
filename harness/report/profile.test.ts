/** The profile adds up what the events of a run show. */

import { expect, test } from 'vitest';
import type { NewEvent } from '../record/event.js';
import { Profile } from './profile.js';
import type { RunEvent } from './run-event.js';

let seq = 0;
const wire = (link: number, at: number, event: NewEvent): RunEvent =>
  ({ kind: 'wire', event: { seq: ++seq, at, link, case: 1, ...event } }) as RunEvent;
const frame = (link: number, at: number, by: 'client' | 'server', message: object) =>
  wire(link, at, { kind: 'frame', by, text: JSON.stringify({ jsonrpc: '2.0', ...message }) });
const opened = (link: number, at: number) =>
  wire(link, at, { kind: 'open', transport: 'stdio', revision: '2025-11-25', pid: 7 });
const ended = (durationMs: number): RunEvent => ({
  kind: 'run-end',
  durationMs,
  exitCode: 0,
  processesStarted: 1,
  own: { cpuMs: 30, judgingMs: 4 },
});

function profileOf(events: readonly RunEvent[], role: 'server' | 'client' = 'server') {
  const profile = new Profile();
  profile.add({ kind: 'run-start', role } as RunEvent);
  for (const event of events) profile.add(event);
  return profile.report();
}

test('starts, responses by method, silence, timeouts and exits', () => {
  const { activities, methods, idle, own } = profileOf([
    opened(1, 0),
    frame(1, 1, 'client', { id: 0, method: 'initialize' }),
    frame(1, 400, 'server', { id: 0, result: {} }),
    frame(1, 410, 'client', { id: 1, method: 'ping' }),
    frame(1, 430, 'server', { id: 1, result: {} }),
    frame(1, 430, 'client', { id: 2, method: 'tools/list' }),
    wire(1, 530, { kind: 'deadline', label: 'answer', ms: 100, request: 2 }),
    wire(1, 580, { kind: 'quiet', ms: 50 }),
    wire(1, 600, { kind: 'closing' }),
    wire(1, 601, { kind: 'input-closed' }),
    wire(1, 801, { kind: 'deadline', label: 'exit-after-eof', ms: 200 }),
    wire(1, 850, { kind: 'exit', code: null, signal: 'SIGTERM' }),
    ended(900),
  ]);
  const alone = Object.fromEntries([...activities].map(([activity, share]) => [activity, share.alone]));
  expect(alone).toEqual({ start: 400, response: 20, deadline: 100, quiet: 50, exit: 250 });
  expect(methods.get('ping')).toEqual({ count: 1, total: 20, alone: 20, median: 20, longest: 20 });
  // the first response is a part of the start, the request without a response is a timeout
  expect([...methods.keys()]).toEqual(['ping']);
  expect(idle).toBe(10 + 20 + 50);
  expect(own).toEqual({ cpuMs: 30, judgingMs: 4 });
});

test('conversations that are not recorded are no time of the harness', () => {
  const { activities, idle } = profileOf([
    opened(1, 500),
    frame(1, 700, 'server', { method: 'notifications/message' }),
    { ...ended(900), own: { cpuMs: 30, judgingMs: 4, unrecorded: [[0, 600]] } } as RunEvent,
  ]);
  const alone = Object.fromEntries([...activities].map(([activity, share]) => [activity, share.alone]));
  expect(alone).toEqual({ start: 100, unrecorded: 500 });
  expect(idle).toBe(200);
});

test('what several conversations wait for at once is alone for none', () => {
  const { activities } = profileOf([
    opened(1, 0),
    opened(2, 50),
    frame(1, 100, 'server', { method: 'notifications/message' }),
    frame(1, 100, 'client', { id: 'a', method: 'ping' }),
    frame(2, 200, 'server', { method: 'notifications/message' }),
    frame(1, 260, 'server', { id: 'a', result: {} }),
    ended(260),
  ]);
  expect(activities.get('start')).toMatchObject({ count: 2, total: 250, alone: 100 });
  expect(activities.get('response')).toMatchObject({ count: 1, total: 160, alone: 60 });
});

test('a client under test is waited for between its messages', () => {
  const { activities } = profileOf(
    [
      opened(1, 0),
      frame(1, 300, 'client', { id: 0, method: 'initialize' }),
      frame(1, 301, 'server', { id: 0, result: {} }),
      frame(1, 341, 'client', { method: 'notifications/initialized' }),
      ended(341),
    ],
    'client',
  );
  expect(activities.get('start')).toMatchObject({ count: 1, alone: 300 });
  expect(activities.get('client')).toMatchObject({ count: 1, alone: 40 });
});

test('a method is named by all of its text, and none is an activity', () => {
  const { methods, activities } = profileOf([
    opened(1, 0),
    frame(1, 5, 'server', { method: 'notifications/message' }),
    ...['ping', 'ping ', 'exit', 'response ping'].flatMap((method, at) => [
      frame(1, 10 + at * 10, 'client', { id: at, method }),
      frame(1, 13 + at * 10, 'server', { id: at, result: {} }),
    ]),
    ended(50),
  ]);
  const each = { count: 1, total: 3, alone: 3, median: 3, longest: 3 };
  expect(Object.fromEntries(methods)).toEqual({
    ping: each,
    'ping ': each,
    exit: each,
    'response ping': each,
  });
  expect(activities.get('response')).toMatchObject({ count: 4, alone: 12 });
});

test('cases with generated values are added up', () => {
  const { generated } = profileOf([
    { kind: 'case-start', case: 1, name: '2025-11-25/stdio/server/generated/ids/results', title: '' },
    { kind: 'case-end', case: 1, durationMs: 70 },
    { kind: 'case-start', case: 2, name: '2025-11-25/stdio/server/ping/idle', title: '' },
    { kind: 'case-end', case: 2, durationMs: 9 },
    ended(100),
  ]);
  expect(generated).toBe(70);
});

test('the last wait for a client that sends nothing more is one for its next message', () => {
  const { activities, idle } = profileOf(
    [
      opened(1, 0),
      frame(1, 100, 'client', { id: 0, method: 'initialize' }),
      frame(1, 100, 'server', { id: 0, result: {} }),
      wire(1, 600, { kind: 'closing' }),
      wire(1, 700, { kind: 'exit', code: null, signal: 'SIGTERM' }),
      ended(700),
    ],
    'client',
  );
  expect(Object.fromEntries([...activities].map(([activity, share]) => [activity, share.alone]))).toEqual({
    start: 100,
    client: 500,
    exit: 100,
  });
  expect(idle).toBe(0);
});
