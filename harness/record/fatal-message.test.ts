import { expect, test } from 'vitest';
import { latestRevision } from '../../spec/revisions.js';
import { record, request } from '../../suites/rules/record.test.util.js';
import { lastOutput } from './fatal-message.js';

test('the last output of a process has the parts that it wrote at one time, and nothing from before', () => {
  const conversation = record(latestRevision, [
    { kind: 'stderr', text: 'ready\n' },
    ['c', request(1, 'ping')],
    { kind: 'stderr', text: 'Error: no\n', at: 500 },
    { kind: 'stderr', text: 'Usage: server\n', at: 501 },
    { kind: 'exit', code: 1, signal: null, at: 510 },
  ] as never);
  expect(lastOutput(conversation).map(({ text }) => text)).toEqual(['Error: no\n', 'Usage: server\n']);
  const [asked] = conversation.messages;
  expect(lastOutput(conversation, asked!.seq)).toHaveLength(2);
});

test('of a text in many parts, the first and the last ones are shown', () => {
  const parts = Array.from({ length: 30 }, (_, n) => ({ kind: 'stderr', text: `${n}`, at: 500 + n * 2 }));
  const conversation = record(latestRevision, [
    ['c', request(1, 'ping')],
    { kind: 'stderr', text: 'ready\n', at: 450 },
    ...parts,
    { kind: 'exit', code: 1, signal: null, at: 570 },
  ] as never);
  expect(lastOutput(conversation).map(({ text }) => Number(text))).toEqual([0, 1, 2, 3, 26, 27, 28, 29]);
});
