import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { declined } from '../../harness/scenario/script.js';
import type { Json } from '../../spec/json-rpc.js';
import { performTask } from './process.js';

const address = { url: 'http://127.0.0.1:9/mcp' };
const unknown = '[["no-such-verb"]]';

test.each<[where: string, script: Json]>([
  ['the script', JSON.parse(unknown)],
  ['the steps that follow it', [['restart', { ...address, steps: `data:application/json,${unknown}` }]]],
])('an unknown verb in %s is reported as unsupported', async (_, script) => {
  const stderr = new PassThrough();
  const { signal } = new AbortController();
  const code = await performTask({ address, transport: 'streamable-http', script }, { stderr, signal });
  expect(code).toBe(declined);
  expect(String(stderr.read())).toBe('Step 1 has an unknown verb: ["no-such-verb"].\n');
});
