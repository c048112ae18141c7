import { expect, test } from 'vitest';
import type { Event } from '../record/event.js';
import { EvidenceCases } from './evidence-cases.js';

const frame = (seq: number, by: 'client' | 'server', of: number, link = 1): Event =>
  ({ kind: 'frame', text: '', at: seq, seq, by, case: of, link }) as Event;

test('the cases of the evidence, without the handshake and the probe', () => {
  const cases = new EvidenceCases();
  const events = [
    frame(1, 'client', 1),
    frame(2, 'server', 1),
    frame(3, 'client', 2),
    frame(4, 'server', 2),
    frame(5, 'server', 3),
    frame(6, 'server', 4, 2),
    frame(7, 'server', 0, 2),
  ];
  for (const event of events) cases.add(event, 'server');
  expect(cases.of([1, 2, 4, 5])).toEqual([2, 3]);
  expect(cases.of([6, 7])).toEqual([]);
});
