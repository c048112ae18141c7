import { expect, test } from 'vitest';
import { fault, onReply, refusal } from '../../mocks/fault.js';
import { revisions } from '../../spec/revisions.js';
import { breaksIn } from './fault-matrix.js';

test('a fault breaks a requirement only where the requirement has a clause', () => {
  const batch = fault(
    'b',
    { what: 'B.', breaks: ['batch.receive'] },
    onReply('*', (_r, ask) => refusal(ask, 0, '')),
  );
  const shown = revisions.filter(r => breaksIn(batch, r, 'stdio').length > 0);
  expect(shown).toEqual(revisions.filter(r => r.batches));
});
