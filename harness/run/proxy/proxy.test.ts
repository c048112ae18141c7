import { once } from 'node:events';
import { createServer, type IncomingMessage, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { PassThrough } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { describe, expect, it, test } from 'vitest';
import { host } from '../../../mocks/host.js';
import { mockServer } from '../../../mocks/server/server.js';
import { definedRevisions, latestRevision, latestStateless } from '../../../spec/revisions.js';
import { rules } from '../../../suites/rules/index.js';
import type { RunEvent } from '../../report/run-event.js';
import { type Report, Summary } from '../../report/summary.js';
import { inProcess, type ProcessSubject } from '../../subject/subject.js';
import { rejudge } from '../rejudge.js';
import { watchHttp } from './http.js';
import { watchStdio } from './stdio.js';

const report = (events: Iterable<RunEvent>): Report => {
  const summary = new Summary();
  for (const event of events) summary.add(event);
  return summary.report();
};

const failures = ({ runs }: Report) =>
  runs.map(({ side, findings }) => [
    side,
    [...new Set(findings.filter(f => f.grade === 'violation').map(f => f.requirement))],
  ]);

/** Number of frames of the server so far. */
const seen = (events: readonly RunEvent[]): number =>
  events.filter(e => e.kind === 'wire' && e.event.kind === 'frame' && e.event.by === 'server').length;

/** Runs the proxy for a server and a client that writes one request after the other. */
async function onStdio(server: ProcessSubject, bytes: readonly (string | Buffer)[]) {
  const [input, output, errors] = [new PassThrough(), new PassThrough(), new PassThrough()];
  const told = buffer(output);
  const events: RunEvent[] = [];
  const watching = (async () => {
    for await (const e of watchStdio({ rules, server, input, output, errors, onSignal: () => {} }))
      events.push(e);
    output.end();
  })();
  for (const part of bytes) {
    const answers = seen(events);
    input.write(part);
    if (String(part).includes('"id"')) await expect.poll(() => seen(events)).toBeGreaterThan(answers);
  }
  input.end();
  await watching;
  return { events, told: await told };
}

const line = (json: object): string => `${JSON.stringify({ jsonrpc: '2.0', ...json })}\n`;
const handshake = [
  line({
    id: 1,
    method: 'initialize',
    params: {
      protocolVersion: latestRevision.id,
      capabilities: {},
      clientInfo: { name: 'test', version: '1' },
    },
  }),
  line({ method: 'notifications/initialized' }),
];

describe('watch on stdio', () => {
  it('forwards bytes unchanged, in both directions', async () => {
    const sent = [Buffer.from('{"a":"é'), Buffer.from([0xff, 0xfe, 0x0a]), Buffer.from('\r\n\n[1]')];
    const said = Buffer.concat([
      Buffer.from('banner\r\n{"jsonrpc"'),
      Buffer.from([0xc3, 0x28]),
      Buffer.from('x'),
    ]);
    let got: Buffer | undefined;
    const server = inProcess(async ({ stdin, stdout }) => {
      stdout.write(said.subarray(0, 5));
      stdout.write(said.subarray(5));
      got = await buffer(stdin);
      return 0;
    });
    const { told } = await onStdio(server, sent);
    expect(got).toEqual(Buffer.concat(sent));
    expect(told).toEqual(said);
  });

  it('judges both sides, and gives the same result from the record', async () => {
    const server = inProcess(streams => mockServer({ faults: ['id-retyped'] }).serve(streams));
    const again = line({ id: 1, method: 'ping' });
    const { events } = await onStdio(server, [...handshake, line({ id: 2, method: 'tools/list' }), again]);
    const first = report(events);
    expect(failures(first)).toEqual([
      ['server', ['jsonrpc.response-id-matches']],
      ['client', ['jsonrpc.request-id-unique-in-session']],
    ]);
    expect(first.exitCode).toBe(1);
    expect(failures(report(rejudge(events, rules)))).toEqual(failures(first));
  });

  it('reports no violation for a conforming client and server', async () => {
    const server = inProcess(streams => mockServer().serve(streams));
    const { events } = await onStdio(server, [...handshake, line({ id: 2, method: 'tools/list' })]);
    const { runs, exitCode } = report(events);
    expect(failures({ runs } as Report)).toEqual([
      ['server', []],
      ['client', []],
    ]);
    expect(exitCode).toBe(0);
  });
});

const asksWithout = (id: number, method: string, capabilities?: object): string =>
  line({
    id,
    method,
    params: {
      _meta: {
        'io.modelcontextprotocol/protocolVersion': latestStateless.id,
        'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
        ...(capabilities && { 'io.modelcontextprotocol/clientCapabilities': capabilities }),
      },
    },
  });

test('what a client writes before the newline of a response is recorded after the response', async () => {
  const server = inProcess(async ({ stdin, stdout }) => {
    const answer = {
      id: 1,
      result: {
        protocolVersion: latestRevision.id,
        capabilities: {},
        serverInfo: { name: 's', version: '1' },
      },
    };
    let lines = 0;
    stdin.on('data', () => {
      const text = lines++ === 0 ? line(answer).trimEnd() : `\n${line({ id: 2, result: {} })}`;
      setImmediate(() => stdout.write(text));
    });
    await once(stdin, 'end');
    return 0;
  });
  const [input, output, errors] = [new PassThrough(), new PassThrough(), new PassThrough()];
  const events: RunEvent[] = [];
  const watching = (async () => {
    for await (const e of watchStdio({ rules, server, input, output, errors, onSignal: () => {} }))
      events.push(e);
  })();
  input.write(handshake[0]!);
  await once(output, 'data');
  input.write(handshake[1]! + line({ id: 2, method: 'ping' }));
  await once(output, 'data');
  input.end();
  await watching;
  const frames = events.flatMap(e => (e.kind === 'wire' && e.event.kind === 'frame' ? [e.event.by] : []));
  expect(frames).toEqual(['client', 'server', 'client', 'client', 'server']);
  expect(failures(report(events))).toEqual([
    ['server', []],
    ['client', []],
  ]);
});

describe('watch without a handshake', () => {
  const newer = inProcess(streams =>
    mockServer({ revisions: definedRevisions.map(r => r.id) }).serve(streams),
  );

  it('judges both sides in the revision that the client names', async () => {
    const parts = [asksWithout(1, 'server/discover', {}), asksWithout(2, 'tools/list')];
    const { events } = await onStdio(newer, parts);
    const first = report(events);
    expect(first.runs.map(r => r.revision)).toEqual([latestStateless.id, latestStateless.id]);
    expect(failures(first)).toEqual([
      ['server', []],
      ['client', ['meta.request-required-fields', 'base.schema-valid']],
    ]);
    expect(failures(report(rejudge(events, rules)))).toEqual(failures(first));
  });

  it('judges a client that asks for the revisions of the server without metadata', async () => {
    const bare = [line({ id: 1, method: 'server/discover' }), line({ id: 2, method: 'tools/list' })];
    const { events } = await onStdio(newer, bare);
    const { runs } = report(events);
    const [, [, broken]] = failures({ runs } as Report) as [unknown, [string, string[]]];
    expect(runs.map(r => r.revision)).toEqual([latestStateless.id, latestStateless.id]);
    expect(broken).toContain('meta.request-required-fields');
    const { runs: session } = report((await onStdio(newer, [bare[0]!, ...handshake])).events);
    expect(new Set(session.map(r => r.revision))).toEqual(new Set([latestRevision.id]));
    expect(failures({ runs: session } as Report).map(([, of]) => of)).toEqual([[], []]);
  });

  it.each([
    ['older', inProcess(streams => mockServer().serve(streams))],
    ['dual', newer],
  ])(
    'a client that asks first whether the server is newer, then begins a session: %s server',
    async (_, server) => {
      const parts = [
        asksWithout(1, 'server/discover', {}),
        ...handshake,
        line({ id: 2, method: 'tools/list' }),
      ];
      const { events } = await onStdio(server, parts);
      const { runs } = report(events);
      expect(new Set(runs.map(r => r.revision))).toEqual(new Set([latestRevision.id]));
      expect(failures({ runs } as Report).map(([, broken]) => broken)).toEqual([[], []]);
    },
  );
});

describe('watch over HTTP', () => {
  it('a message that names no revision belongs to the conversation whose headers it has', async () => {
    const mock = mockServer({ revisions: definedRevisions.map(r => r.id) }).http();
    const server = await host(mock.fetch);
    let enough = () => {};
    const until = new Promise<void>(resolve => {
      enough = resolve;
    });
    const events: RunEvent[] = [];
    const post = async (at: string, headers: Record<string, string>, body: string) => {
      const accept = 'application/json, text/event-stream';
      const all = { 'Content-Type': 'application/json', Accept: accept, ...headers };
      await (await fetch(at, { method: 'POST', headers: all, body })).text();
    };
    const onListening = async (at: string) => {
      await (await fetch(at, { headers: { Accept: 'text/event-stream' } })).text();
      const revision = { 'MCP-Protocol-Version': latestStateless.id };
      await post(at, { ...revision, 'Mcp-Method': 'tools/list' }, asksWithout(2, 'tools/list', {}));
      const note = line({ method: 'notifications/cancelled', params: { requestId: 2 } });
      await post(at, { 'Mcp-Method': 'notifications/cancelled' }, note);
      enough();
    };
    const options = {
      rules,
      transport: 'streamable-http',
      url: `${server.origin}/mcp`,
      port: 0,
      until,
    } as const;
    for await (const e of watchHttp({ ...options, onListening: at => void onListening(at) })) events.push(e);
    await server.close();
    const { runs } = report(events);
    expect(runs.map(r => [r.side, r.revision])).toEqual([
      ['server', latestStateless.id],
      ['client', latestStateless.id],
    ]);
    const broken = failures({ runs } as Report).flatMap(([, ids]) => ids);
    expect(broken).not.toContain('cancellation.own-in-flight-request');
  });

  it('a response whose JSON has arrived is a message, though the client closes before the end of the body', async () => {
    const result = {
      protocolVersion: latestRevision.id,
      capabilities: {},
      serverInfo: { name: 's', version: '1' },
    };
    const text = JSON.stringify({ jsonrpc: '2.0', id: 1, result });
    const server = createServer((request, response) => {
      request.resume();
      // no length, and no end: only the JSON tells that it is whole
      response.writeHead(200, { 'Content-Type': 'application/json' }).write(text.slice(0, 20));
      if (request.headers['x-whole'] === 'yes') response.write(text.slice(20));
    });
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    let enough = () => {};
    const until = new Promise<void>(resolve => {
      enough = resolve;
    });
    const events: RunEvent[] = [];
    const ends = () => events.filter(e => e.kind === 'wire' && e.event.kind === 'http-end').length;
    const onListening = async (at: string) => {
      for (const [whole, length] of [
        ['no', 20],
        ['yes', text.length],
      ] as const) {
        const before = ends();
        const ask = request(at, {
          method: 'POST',
          headers: { 'Content-Type': 'application/json', 'X-Whole': whole },
        });
        ask.end(handshake[0]!);
        const [response] = (await once(ask, 'response')) as [IncomingMessage];
        let size = 0;
        for await (const chunk of response) {
          size += (chunk as Buffer).length;
          if (size === length) break;
        }
        ask.destroy();
        await expect.poll(ends).toBeGreaterThan(before);
      }
      enough();
    };
    const options = {
      rules,
      transport: 'streamable-http',
      url: `http://127.0.0.1:${port}/mcp`,
      port: 0,
      until,
    } as const;
    for await (const e of watchHttp({ ...options, onListening: at => void onListening(at) })) events.push(e);
    server.closeAllConnections();
    server.close();
    const wire = events.flatMap(e => (e.kind === 'wire' ? [e.event] : []));
    expect(wire.flatMap(e => (e.kind === 'frame' && e.by === 'server' ? [e.text] : []))).toEqual([text]);
    expect(wire.flatMap(e => (e.kind === 'http-body' ? [e.text] : []))).toEqual([text.slice(0, 20)]);
  });

  it('forwards heads and bodies unchanged, and judges both sides', async () => {
    const mock = mockServer().http();
    const got: string[] = [];
    const server = createServer(async (request, response) => {
      const body = await buffer(request);
      got.push(body.toString());
      const answer = await mock.fetch(
        new Request(`http://127.0.0.1${request.url}`, {
          method: request.method!,
          headers: { ...(request.headers as Record<string, string>), host: '127.0.0.1' },
          ...(body.length > 0 && { body }),
        }),
      );
      response.writeHead(answer.status, {
        ...Object.fromEntries(answer.headers),
        'X-Of-Its-Own': 'é'.normalize(),
      });
      response.end(Buffer.from(await answer.arrayBuffer()));
    });
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`;
    let enough = () => {};
    const until = new Promise<void>(resolve => {
      enough = resolve;
    });
    const events: RunEvent[] = [];
    let own = '';
    const listening = new Promise<void>(resolve => {
      void (async () => {
        const onListening = (at: string) => {
          own = at;
          resolve();
        };
        for await (const e of watchHttp({
          rules,
          transport: 'streamable-http',
          url,
          port: 0,
          onListening,
          until,
        }))
          events.push(e);
        server.close();
      })();
    });
    await listening;
    const headers = { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream' };
    const text = handshake[0]!.replace('"test"', '"tést"');
    const opened = await fetch(own, { method: 'POST', headers, body: text });
    expect(opened.headers.get('x-of-its-own')).toBe('é');
    expect(await opened.text()).toContain('"protocolVersion"');
    expect(got).toEqual([text]);
    const session = { 'Mcp-Session-Id': opened.headers.get('mcp-session-id')! };
    const noted = await fetch(own, {
      method: 'POST',
      headers: { ...headers, ...session },
      body: handshake[1]!,
    });
    expect(noted.status).toBe(202);
    enough();
    await expect.poll(() => events.at(-1)?.kind).toBe('run-end');
    // a client of this revision sends the revision in every later request
    expect(failures(report(events))).toEqual([
      ['server', []],
      ['client', ['streamable-http.client-version-header']],
    ]);
    mock.close();
  });
});
