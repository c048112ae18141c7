import { expect, test } from 'vitest';
import { authorizationFaults } from '../../mocks/authorization-server/faults/authorization-server.js';
import { clientCredentialsFaults } from '../../mocks/authorization-server/faults/ext-client-credentials.js';
import { dpopGateFaults } from '../../mocks/authorization-server/faults/ext-dpop-gate.js';
import { enterpriseFaults } from '../../mocks/authorization-server/faults/ext-enterprise.js';
import { gateFaults } from '../../mocks/authorization-server/faults/gate.js';
import { clientFaults } from '../../mocks/client/faults/index.js';
import { clientQuirks } from '../../mocks/client/quirks/index.js';
import { fault, onReply, refusal } from '../../mocks/fault.js';
import { faults } from '../../mocks/server/faults/index.js';
import { quirks } from '../../mocks/server/quirks/index.js';
import { revisions } from '../../spec/revisions.js';
import { shownAlone } from './fault-groups.js';
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

test('each deviation that is shown alone exists', () => {
  const ids = new Set(
    [
      ...[...faults, ...quirks, ...clientFaults, ...clientQuirks],
      ...[
        ...gateFaults,
        ...dpopGateFaults,
        ...authorizationFaults,
        ...clientCredentialsFaults,
        ...enterpriseFaults,
      ],
    ].map(({ id }) => id),
  );
  expect(shownAlone.filter(id => !ids.has(id))).toEqual([]);
});
