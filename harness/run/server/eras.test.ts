/** Which era a server is judged in: servers of one era, of both, and servers that answer the probe with anything. */

import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { onIncoming, onReply } from '../../../mocks/fault.js';
import type { MockServerOptions } from '../../../mocks/server/server.js';
import { mockServer } from '../../../mocks/server/server.js';
import { isObject } from '../../../spec/json-rpc.js';
import { definedRevisions, latestRevision, type Revision, revisions } from '../../../spec/revisions.js';
import { suite } from '../../../suites/index.js';
import { Summary } from '../../report/summary.js';
import { inProcess, type Subject, url } from '../../subject/subject.js';
import { run } from './run.js';

const stateless = definedRevisions.at(-1)!;
const both = definedRevisions.map(r => r.id);
const timing = { answer: 1_000, exit: 250, quiet: 20 };

/** Only the cases of one page, because the era shows in each. */
const selected = (name: string) => name.includes('/server/tools/');

async function judged(subject: Subject, revision: 'latest' | 'all' | Revision = 'latest') {
  const summary = new Summary();
  for await (const event of run({ subject, suite, revision, timing, runs: 0, selected })) summary.add(event);
  const report = summary.report();
  return {
    report,
    revisions: report.runs.map(r => r.revision),
    failed: report.runs.flatMap(r => r.findings).filter(f => f.grade === 'violation' || f.grade === 'error'),
  };
}

const onStdio = (options: MockServerOptions): Subject =>
  inProcess(streams => mockServer({ delayMs: 2, ...options }).serve(streams));

const withHandshake: MockServerOptions = { revisions: revisions.map(r => r.id) };

/** A server with a handshake whose answer to server/discover is another one. */
const answering = (middleware: ReturnType<typeof onReply>): MockServerOptions => ({
  ...withHandshake,
  faults: [{ id: 'probe', role: 'server', what: 'Answers the probe.', breaks: [], middleware: [middleware] }],
});

describe('over stdio', () => {
  test('a server of both eras is judged in the newest revision, and offers the other one', async () => {
    const { report, revisions, failed } = await judged(onStdio({ revisions: both }));
    expect(revisions).toEqual([stateless.id]);
    expect(report.subject.offers).toEqual([stateless.id, latestRevision.id]);
    expect(failed).toEqual([]);
  });

  test('a server of both eras is judged in all revisions', async () => {
    const { revisions, failed } = await judged(onStdio({ revisions: both }), 'all');
    expect(revisions).toEqual([...both].reverse());
    expect(failed).toEqual([]);
  });

  test('a run for one older revision names the newer ones that the server offers', async () => {
    const older = revisions.at(-2)!;
    const { report, revisions: found, failed } = await judged(onStdio({ revisions: both }), older);
    expect(found).toEqual([older.id]);
    expect(report.subject.offers).toEqual([older.id, stateless.id, latestRevision.id]);
    expect(failed).toEqual([]);
  });

  test.each([
    ['without a handshake', [stateless.id], stateless.id],
    ['with a handshake', revisions.map(r => r.id), latestRevision.id],
  ])('a server %s is judged in its era', async (_, offered, expected) => {
    const { revisions: found, failed } = await judged(onStdio({ revisions: offered }));
    expect(found).toEqual([expected]);
    expect(failed).toEqual([]);
  });

  test.each([
    ['does not answer', onIncoming(m => (isObject(m) && m.method === 'server/discover' ? undefined : m))],
    [
      'answers with an error of its own',
      onReply('server/discover', reply => ({ ...reply, error: { code: 7, message: 'no' } })),
    ],
    [
      'answers with an empty result',
      onReply('server/discover', (_, ask) => ({ jsonrpc: '2.0', id: ask.id!, result: {} })),
    ],
    [
      'answers with a text',
      onReply('server/discover', (_, ask) => ({ jsonrpc: '2.0', id: ask.id!, result: 'hello' })),
    ],
  ])('a server with a handshake that %s to server/discover is judged in its era', async (_, middleware) => {
    const { revisions: found, failed } = await judged(onStdio(answering(middleware)));
    expect(found).toEqual([latestRevision.id]);
    expect(failed).toEqual([]);
  });

  test('a server whose counter-offer is not its newest revision is judged in its newest one', async () => {
    const supported = revisions.slice(0, -1);
    const counterOffer = onReply('initialize', (reply, { params }) => {
      const wanted = (params as { protocolVersion: string }).protocolVersion;
      if (!('result' in reply) || supported.some(r => r.id === wanted)) return reply;
      return {
        ...reply,
        result: { ...(reply.result as object), protocolVersion: supported[0]!.id },
      } as never;
    });
    const { revisions: found } = await judged(
      onStdio({ ...answering(counterOffer), revisions: supported.map(r => r.id) }),
    );
    expect(found).toEqual([supported.at(-1)!.id]);
  });

  test('a revision without a handshake that is not offered: the answer is named', async () => {
    const { report } = await judged(onStdio(withHandshake), stateless);
    expect(report.exitCode).toBe(3);
    expect(report.unjudged?.reason).toMatch(/does not offer .*server\/discover/);
  });

  test.each([
    [{ code: -32_000, message: 'The service is down.' }, /refuses initialize in each revision .*service/],
    [{ code: -32_602, message: 'Unsupported version' }, /offers no revision .*-32602/],
    [{ code: 1, message: 'no', data: { supported: ['1900-01-01'] } }, /offers no revision .*1900-01-01/],
  ])('an error to initialize is the reason: %j', async (error, reason) => {
    const refusing = onReply('initialize', (_, ask) => ({ jsonrpc: '2.0', id: ask.id!, error }) as never);
    const { report } = await judged(onStdio(answering(refusing)));
    expect(report.exitCode).toBe(3);
    expect(report.unjudged?.reason).toMatch(reason);
  });
});

describe('over Streamable HTTP', () => {
  const served = (answer?: (text: string) => Response | undefined): Subject => {
    const mock = mockServer({ delayMs: 2, ...(answer ? withHandshake : { revisions: both }) }).http();
    return url('http://localhost/mcp', {
      fetch: async request => {
        const text = request.method === 'POST' ? await request.clone().text() : '';
        const own = text.includes('"server/discover"') ? answer?.(text) : undefined;
        return own ?? mock.fetch(request);
      },
    });
  };

  test('a revision that the transport does not have: the first one that has it is named', async () => {
    const [older] = definedRevisions;
    const offering = url('http://localhost/mcp', {
      fetch: async request => {
        if (request.method !== 'POST') return new Response(null, { status: 405 });
        const { id, method } = (await request.json()) as { id?: string; method: string };
        if (id === undefined) return new Response(null, { status: 202 });
        const serverInfo = { name: 'older', version: '1' };
        const result = { protocolVersion: older!.id, capabilities: {}, serverInfo };
        const error = { code: -32_601, message: 'Method not found' };
        return Response.json({ jsonrpc: '2.0', id, ...(method === 'initialize' ? { result } : { error }) });
      },
    });
    const { report } = await judged(offering);
    expect(report.unjudged?.reason).toMatch(/has no streamable-http: offer \S+ or a later one/);
  });

  test('a fault of a server that refuses each revision is reported under the revision of its conversation', async () => {
    const refusing = url('http://localhost/mcp', {
      fetch: async request => {
        if (request.method !== 'POST') return new Response(null, { status: 405 });
        const { id = null, params } = (await request.json()) as {
          id?: string;
          params: { protocolVersion?: string };
        };
        const error = JSON.stringify({ jsonrpc: '2.0', id, error: { code: -32_601, message: 'no' } });
        // the conversation of this revision is not the first one that ends
        if (params.protocolVersion === latestRevision.id) await sleep(100);
        return new Response(`id: 1\ndata: ${error}\n\n`, {
          headers: { 'content-type': 'text/event-stream' },
        });
      },
    });
    const { report } = await judged(refusing);
    const found = report.runs.flatMap(r => r.findings.map(f => `${r.revision} ${f.requirement}`));
    expect(found).toEqual([`${latestRevision.id} streamable-http.sse-prime-event`]);
  });

  test('a server of both eras is judged in all revisions of the transport', async () => {
    const { revisions, failed } = await judged(served(), 'all');
    const expected = definedRevisions.filter(r => r.transports.includes('streamable-http')).map(r => r.id);
    expect(revisions).toEqual(expected.reverse());
    expect(failed).toEqual([]);
  });

  test('a connection that breaks once during the probe hides no revision', async () => {
    const mock = mockServer({ delayMs: 2, revisions: both }).http();
    const older = revisions.at(-2)!;
    let broken = 0;
    const subject = url('http://localhost/mcp', {
      fetch: async request => {
        const text = request.method === 'POST' ? await request.clone().text() : '';
        if (text.includes(`"protocolVersion":"${older.id}"`) && broken++ === 0) throw new Error('closed');
        return mock.fetch(request);
      },
    });
    const { revisions: found } = await judged(subject, 'all');
    expect(broken).toBeGreaterThan(1);
    expect(found).toContain(older.id);
  });

  test.each([
    ['a page', () => new Response('<html>', { headers: { 'content-type': 'text/html' } })],
    ['status 500', () => new Response('no', { status: 500 })],
    ['status 404 without a body', () => new Response(null, { status: 404 })],
    [
      'status 200 with error -32601',
      (text: string) =>
        Response.json({ jsonrpc: '2.0', id: JSON.parse(text).id, error: { code: -32_601, message: 'no' } }),
    ],
  ])('a server that answers server/discover with %s is judged with a handshake', async (_, answer) => {
    const { revisions: found, failed } = await judged(served(answer));
    expect(found).toEqual([latestRevision.id]);
    expect(failed).toEqual([]);
  });
});
