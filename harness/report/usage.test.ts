/** What counts as a use of a tool, and as its failure. */

import { expect, test } from 'vitest';
import { latestRevision } from '../../spec/revisions.js';
import type { Event } from '../record/event.js';
import type { RunStart } from './run-event.js';
import { Usage } from './usage.js';

const of = (messages: readonly (readonly ['client' | 'server', object])[]) => {
  const usage = new Usage();
  const at = { at: 0, link: 1, case: 1 };
  const open = { kind: 'open', transport: 'stdio', revision: latestRevision.id, ...at, seq: 0 };
  usage.add(open as unknown as Event);
  for (const [n, [by, message]] of messages.entries())
    usage.add({ kind: 'frame', by, text: JSON.stringify(message), ...at, seq: n + 1 } as unknown as Event);
  return usage.report(latestRevision.id, 'stdio', { options: [] } as unknown as RunStart)?.tools;
};

const listed = [
  ['client', { id: 1, method: 'tools/list' }],
  ['server', { id: 1, result: { tools: [{ name: 'forecast' }] } }],
] as const;
const called = ['client', { id: 2, method: 'tools/call', params: { name: 'forecast' } }] as const;
const refused = ['server', { id: 2, error: { code: 0, message: 'Request cancelled' } }] as const;

test('an error is a failure', () => {
  expect(of([...listed, called, refused])).toMatchObject([{ uses: 1, failures: 1 }]);
});

test('an error that follows a cancellation by the harness is none', () => {
  const cancelled = ['client', { method: 'notifications/cancelled', params: { requestId: 2 } }] as const;
  expect(of([...listed, called, cancelled, refused])).toMatchObject([{ uses: 1, failures: 0 }]);
});

test('a call that gets no response is a use: over HTTP the end of its connection cancels it', () => {
  expect(of([...listed, called])).toMatchObject([{ uses: 1, failures: 0, unused: null }]);
});
