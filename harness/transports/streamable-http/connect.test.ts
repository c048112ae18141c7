/** When a client over HTTP knows that its session has ended. */

import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { latestRevision } from '../../../spec/revisions.js';
import { suite } from '../../../suites/index.js';
import { Summary } from '../../report/summary.js';
import { run } from '../../run/server/run.js';
import { type FetchHandler, url } from '../../subject/subject.js';

const sleep = (ms: number) => new Promise(resolve => setTimeout(resolve, ms));
const sessions = new Set<string | null>();
/** Methods of the requests in a session. */
const served: (string | undefined)[] = [];

/** A server that refuses requests without its session with 404, later than it answers initialize. */
const server: FetchHandler = async request => {
  const message =
    request.method === 'POST' ? ((await request.json()) as { id?: unknown; method?: string }) : {};
  const answer = (result: object, headers = {}) =>
    Response.json({ jsonrpc: '2.0', id: message.id, result }, { headers });
  if (message.method === 'initialize') {
    await sleep(40);
    const id = randomUUID();
    sessions.add(id);
    const serverInfo = { name: 'refuses-late', version: '1' };
    return answer(
      { protocolVersion: latestRevision.id, capabilities: {}, serverInfo },
      { 'Mcp-Session-Id': id },
    );
  }
  if (!sessions.has(request.headers.get('Mcp-Session-Id'))) {
    await sleep(80);
    return new Response('Invalid session ID', { status: 404 });
  }
  if (request.method !== 'POST') return new Response(null, { status: 405 });
  if (message.id === undefined) return new Response(null, { status: 202 });
  served.push(message.method);
  return answer({});
};

test('a server that converts the ids of requests to text gives its session, too', async () => {
  const retyping: FetchHandler = async request => {
    const response = await server(request);
    const text = (await response.text()).replace(/"id":(\d+)/, '"id":"$1"');
    return new Response(text || null, { status: response.status, headers: response.headers });
  };
  served.length = 0;
  const subject = url('http://localhost/mcp', { fetch: retyping });
  const timing = { answer: 1_000, exit: 100, quiet: 20 };
  const selected = (name: string) => name.endsWith('server/lifecycle/slow-handshake');
  const summary = new Summary();
  for await (const event of run({ suite, subject, timing, runs: 0, selected, revision: latestRevision }))
    summary.add(event);
  const { findings } = summary.report().runs[0]!;
  expect(new Set(findings.map(f => f.requirement))).toEqual(new Set(['jsonrpc.response-id-matches']));
  expect(served).toContain('ping');
});

test('status 404 for a request without the session does not end the session', async () => {
  const subject = url('http://localhost/mcp', { fetch: server });
  const timing = { answer: 1_000, exit: 100, quiet: 20 };
  const selected = (name: string) => name.endsWith('server/lifecycle/slow-handshake');
  const summary = new Summary();
  for await (const event of run({ suite, subject, timing, runs: 0, selected, revision: latestRevision }))
    summary.add(event);
  expect(summary.report().runs[0]!.findings).toEqual([]);
  expect(served).toContain('ping');
});
