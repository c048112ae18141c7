/** A server behind a gateway that fails: the run ends, and is not a pass. */

import { expect, test } from 'vitest';
import { scenario } from '../../scenario/scenario.js';
import { url } from '../../subject/subject.js';
import type { Suite } from '../plan.js';
import { run } from './run.js';

const suite: Suite = {
  rules: [],
  scenarios: Array.from({ length: 50 }, (_, n) =>
    scenario(`server/ping/number-${n}`, {
      title: 'a ping gets a response',
      verifies: ['ping.answered-empty'],
      async run({ peer, expect }) {
        expect('ping.answered-empty', await peer.request('ping')).result();
      },
    }),
  ),
};

const introduction = {
  protocolVersion: '2025-11-25',
  capabilities: {},
  serverInfo: { name: 'a', version: '1' },
};

/** @param refuses whether the request with this number is answered with the status */
async function endOf(status: number, refuses: (at: number) => boolean) {
  let requests = 0;
  const fetch = async (request: Request): Promise<Response> => {
    if (request.method !== 'POST') return new Response(null, { status: 405 });
    const { id, method } = (await request.json()) as { id?: number; method: string };
    if (id === undefined) return new Response(null, { status: 202 });
    const isPing = method === 'ping';
    if (isPing && refuses(++requests)) return new Response(null, { status });
    const result = { ping: {}, initialize: introduction }[method];
    const error = { code: -32601, message: 'Method not found' };
    return Response.json({ jsonrpc: '2.0', id, ...(result ? { result } : { error }) });
  };
  const subject = url('http://127.0.0.1:4711/mcp', { fetch });
  let last: { exitCode: number; stopped?: string } | undefined;
  for await (const event of run({ subject, suite, jobs: 1, seed: 1, revision: 'latest' }))
    if (event.kind === 'run-end') last = event as typeof last;
  return { ...last, requests };
}

test.each([
  [503, 'a gateway answers in place of the server'],
  [429, 'the server limits the rate of requests'],
])('a server that always answers with %i cannot be judged', async (status, why) => {
  const { exitCode, stopped, requests } = await endOf(status, at => at > 3);
  expect(stopped).toBe(`the last 30 responses have status ${status}: ${why}`);
  expect(exitCode).toBe(3);
  expect(requests).toBeLessThan(40);
});

test('a server that sometimes answers with 503 is judged to the end', async () => {
  const { stopped, requests } = await endOf(503, at => at % 20 !== 0);
  expect(stopped).toBeUndefined();
  expect(requests).toBeGreaterThan(45);
});
