/** Why a subject does not respond, in words. */

import { expect, test } from 'vitest';
import { latestRevision } from '../../spec/revisions.js';
import { History } from '../record/history.js';
import { defaultTiming } from '../time/timing.js';
import { describeFailure } from './failure.js';
import type { Peer } from './peer.js';

const said = (starved?: { waited: number; kept: number; share: number }): string => {
  const history = new History('server', () => 0);
  const link = history.newLink('stdio', latestRevision);
  const text = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize' });
  history.record(link, { kind: 'frame', by: 'client', text });
  history.record(link, { kind: 'deadline', label: 'answer', ms: 2_000, ...(starved && { starved }) });
  const conversation = history.conversations.get(link)!;
  const peer = { link: {}, conversation, timing: defaultTiming } as unknown as Peer;
  return describeFailure(peer)[0];
};

test('the reason names the time that the harness waited, and a lack of CPU time', () => {
  expect(said()).toBe('The server did not answer initialize within 2 s.');
  expect(said({ waited: 12_100, kept: 0, share: 0.18 })).toBe(
    'The server did not answer initialize within 2 s; the subject got 18 % CPU in 12.1 s.',
  );
});
