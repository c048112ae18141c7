/** A server whose well-known tool asks only clients with a handshake is judged by the tools that ask without one. */

import { expect, test } from 'vitest';
import { run } from '../../harness/run/server/run.js';
import { inProcess } from '../../harness/subject/subject.js';
import { onResult, quirk } from '../../mocks/fault.js';
import { mockServer } from '../../mocks/server/server.js';
import { isObject } from '../../spec/json-rpc.js';
import { latestStateless } from '../../spec/revisions.js';
import { suite } from '../index.js';
import { observe } from './run-mock.js';

const asksWithHandshakeOnly = quirk(
  'asks-with-a-handshake-only',
  { what: 'The tool test_elicitation completes without a question where there is no handshake.' },
  onResult('tools/call', (body, { params }) =>
    isObject(params) && params.name === 'test_elicitation'
      ? { resultType: 'complete', content: [{ type: 'text', text: 'Elicitation is not supported.' }] }
      : body,
  ),
);

const rows = [
  'elicitation.success-not-assumed',
  'mrtr.fulfilment-not-assumed',
  'mrtr.missing-responses-reasked',
  'mrtr.protocol-errors',
  'mrtr.responses-validated',
  'mrtr.state-replay-bound',
  'mrtr.state-untrusted',
  'stateless.explicit-handles',
];

test('the tools of the official suite for revisions without a handshake are used where test_elicitation asks nothing', async () => {
  const server = mockServer({ revisions: [latestStateless.id], faults: [asksWithHandshakeOnly] });
  const { failed, findings } = await observe(
    run({
      subject: inProcess(streams => server.serve(streams)),
      transport: 'stdio',
      suite,
      revision: latestStateless,
      fixtures: true,
      seed: 1,
      runs: 0,
      timing: { answer: 1_000, exit: 250, quiet: 20 },
      jobs: 16,
      selected: name => /server\/(mrtr\/|stateless\/interleaved-rounds)/.test(name),
    }),
  );
  const held = new Set<string>(findings.filter(f => f.verdict === 'pass').map(f => f.requirement));
  expect(rows.filter(row => !held.has(row))).toEqual([]);
  expect([...failed.keys()]).toEqual([]);
});
