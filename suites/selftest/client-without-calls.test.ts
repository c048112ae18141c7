/** A client that goes on with other requests than those of the script. */

import { expect, test } from 'vitest';
import { clientQuirk, onStep } from '../../mocks/client/fault.js';
import { latestRevision } from '../../spec/revisions.js';
import { explainFindings } from './run-mock.js';
import { tryMockClient } from './run-mock-client.js';

const listsAgain = clientQuirk(
  'lists-again',
  { what: 'The client lists the tools once more where the user wants to call one.' },
  onStep(step => (step[0] === 'call' ? ['list', 'tools'] : step)),
);

test('a client that lists again after its GET was refused with 405 goes on', async () => {
  const { findings } = await tryMockClient(latestRevision, {
    transport: 'streamable-http',
    selected: name => name.endsWith('client/streamable-http/stream-refused'),
    quirks: [listsAgain],
  });
  const judged = findings.filter(f => f.requirement === 'streamable-http.client-tolerates-405');
  expect(explainFindings(judged.filter(f => f.verdict !== 'pass'))).toBe('');
  expect(judged.length).toBeGreaterThan(0);
});
