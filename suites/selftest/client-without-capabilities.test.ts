/** A client that lacks optional capabilities: what they would show is not tested, and is not inconclusive. */

import { expect, test } from 'vitest';
import { newestFirst } from '../../spec/revisions.js';
import { explainFindings } from './run-mock.js';
import { tryMockClient } from './run-mock-client.js';

const withHandshake = newestFirst().find(({ era }) => era === 'legacy')!;
const selected = (name: string) => /client\/(sampling|roots|elicitation|tasks)\//.test(name);

test.each([withHandshake, newestFirst()[0]!])(
  'a client that declares nothing has no inconclusive requirement: $id',
  async revision => {
    const { findings } = await tryMockClient(revision, { quirks: ['declares-nothing'], selected });
    expect(findings.some(f => f.requirement === 'sampling.capability-declared')).toBe(true);
    expect(explainFindings(findings.filter(f => f.verdict === 'inconclusive'))).toBe('');
  },
);
