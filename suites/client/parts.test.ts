/** Clients with timeouts of their own. */

import { expect, test } from 'vitest';
import { History } from '../../harness/record/history.js';
import { latestRevision } from '../../spec/revisions.js';
import { setsOwnTimeouts } from './parts.js';

/** A client sends requests after these times (seconds); the harness waits for the next one until the last time. */
function isOwn(...times: readonly number[]): boolean {
  let now = 0;
  const history = new History('client', () => now);
  const link = history.newLink('stdio', latestRevision);
  const end = times.length - 1;
  for (const [at, seconds] of times.entries()) {
    now = seconds * 1_000;
    const text = JSON.stringify({ jsonrpc: '2.0', id: at, method: 'prompts/get' });
    if (at < end) history.record(link, { kind: 'frame', by: 'client', text });
    else history.record(link, { kind: 'deadline', label: 'message', ms: 10_000 });
  }
  const conversation = history.conversations.get(link)!;
  return setsOwnTimeouts(conversation, conversation.requests({ by: 'subject', method: 'prompts/get' }));
}

test('a wait that is hardly longer than an earlier timeout shows nothing', () => {
  expect(isOwn(0, 20, 38)).toBe(true);
  expect(isOwn(0, 20, 20.2, 40)).toBe(true);
  expect(isOwn(0, 0.2, 10.2)).toBe(false);
  expect(isOwn(0, 3, 13)).toBe(false);
});
