/**
 * A Streamable HTTP client against the harness as server: all requests are recorded, and responses follow the
 * script.
 */

import { afterEach, describe, expect, test } from 'vitest';
import { latestRevision } from '../../../spec/revisions.js';
import type { HttpListenOptions } from '../http/server/behaviour.js';
import { datas, initialize, json, type Send, send } from '../http/server/client.test.util.js';
import { listening, plain, type TestOptions } from '../listen.test.util.js';

const ends: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

async function bench(http: HttpListenOptions = {}, options: TestOptions = {}) {
  const bench = await listening('streamable-http', { http, ...options });
  ends.push(bench.close);
  const to = (ask?: Send) => send(bench.url(), ask);
  /** A session, with the headers of its later requests. */
  const begin = async () => {
    const got = await to({ body: initialize });
    await got.text;
    const id = got.headers['mcp-session-id'];
    const headers: Record<string, string> = typeof id === 'string' ? { 'mcp-session-id': id } : {};
    const met = await bench.link(bench.links.length - 1);
    return { got, headers, met, ours: met.link.httpServer! };
  };
  return { ...bench, to, begin };
}

test('a POST with requests gets a stream that ends with the response, and is recorded as an exchange', async () => {
  const { begin } = await bench();
  const { got, met, headers } = await begin();
  expect([got.status, got.headers['content-type'], got.blocks[0]!.event]).toEqual([
    200,
    'text/event-stream',
    'message',
  ]);
  expect(datas(got)).toMatchObject([{ id: 1, result: { serverInfo: { name: 'test' } } }]);
  const [exchange] = met.conversation.http();
  expect(exchange).toMatchObject({
    number: 1,
    request: { method: 'POST', stream: 'post' },
    status: 200,
    isStream: true,
    closedBy: 'server',
  });
  expect(exchange!.requestHeader('content-type')).toBe('application/json');
  expect(exchange!.header('mcp-session-id')).toBe(headers['mcp-session-id']);
  expect(exchange!.sent).toMatchObject([{ method: 'initialize', by: 'client' }]);
  expect(exchange!.received).toMatchObject([{ kind: 'result', by: 'server' }]);
  expect(exchange!.events).toMatchObject([{ event: 'message', id: 'p1-1', framed: true }]);
  expect(met.conversation.handshake?.reply).toBe(exchange!.received[0]);
});

test('a host that is added while the listener closes has no open port', async () => {
  const { listener } = await bench();
  const closing = listener.close();
  const origin = await listener.http!.addHost({
    endpointOf: () => 'elsewhere',
    answer: () => ({ status: 200 }),
  });
  await closing;
  await expect(fetch(origin)).rejects.toThrow();
});

test('JSON responses: one object, or an array for an array', async () => {
  const { begin, to } = await bench({ answers: 'json' });
  const { got, headers, met } = await begin();
  expect(got.headers['content-type']).toBe('application/json');
  expect(headers['mcp-session-id']).toBeDefined();
  const many = await to({ headers, body: [json(2, 'ping'), json(3, 'tools/list')] });
  expect(JSON.parse(await many.text)).toMatchObject([{ id: 2 }, { id: 3 }]);
  expect(met.conversation.http()[1]!.received.map(m => m.id)).toEqual([2, 3]);
});

test('notifications and responses get status 202', async () => {
  const { begin, to } = await bench();
  const { headers, met } = await begin();
  const got = await to({ headers, body: { jsonrpc: '2.0', method: 'notifications/initialized' } });
  expect([got.status, await got.text]).toEqual([202, '']);
  expect(met.got.map(m => m.method)).toEqual(['initialize', 'notifications/initialized']);
});

test('a body that is not a message is refused with 400, recorded, and not delivered', async () => {
  const { begin, to } = await bench();
  const { headers, met } = await begin();
  const statuses = [];
  for (const body of ['{"half":', '{}', '"text"', '[]']) statuses.push((await to({ headers, body })).status);
  expect(statuses).toEqual([400, 400, 400, 400]);
  expect(met.got).toHaveLength(1);
  expect(met.conversation.frames('subject').map(f => f.text)).toEqual([
    JSON.stringify(initialize),
    '{"half":',
    '{}',
    '"text"',
    '[]',
  ]);
});

test('each session is a link; requests without an id or with an unknown id belong to the latest link', async () => {
  const { begin, to, links } = await bench();
  const first = await begin();
  const second = await begin();
  expect(links).toHaveLength(2);
  const ping = async (headers: Record<string, string>) =>
    (await to({ headers, body: json(9, 'ping') })).status;
  expect(await ping(first.headers)).toBe(200);
  expect(await ping({})).toBe(200);
  expect(await ping({ 'mcp-session-id': 'wrong' })).toBe(404);
  const pings = (met: typeof first.met) =>
    met.conversation.http().filter(e => e.sent[0]?.method === 'ping').length;
  expect([pings(first.met), pings(second.met)]).toEqual([1, 2]);
  expect(second.met.got).toHaveLength(2);
});

test('requests before the session opens are part of the same conversation', async () => {
  const { begin, to, links } = await bench({}, { answer: (...it) => plain(...it) ?? {} });
  const discover = json(0, 'server/discover');
  const open = async () => {
    await (await to({ body: discover })).text;
    return begin();
  };
  const first = await open();
  await open(); // while the first is open
  await (await to({ method: 'DELETE', headers: first.headers })).text;
  await open();
  expect(links.map(l => l.conversation.sent('subject').map(m => m.method))).toEqual(
    Array(3).fill(['server/discover', 'initialize']),
  );
});

test('after the end of the session, a request without a session id opens a new link', async () => {
  const { begin, to, links } = await bench();
  const { headers } = await begin();
  await (await to({ method: 'DELETE', headers })).text;
  expect((await to({ headers, body: json(2, 'ping') })).status).toBe(404);
  await (await to({ body: json(2, 'ping') })).text;
  expect(links.map(l => l.conversation.sent('subject').map(m => m.method))).toEqual([
    ['initialize', 'ping'],
    ['ping'],
  ]);
});

test('without sessions, a change of the behaviour applies to later requests only', async () => {
  const { to, listener } = await bench(
    { dialect: { lineEnd: '\r\n' } },
    {
      stateless: true,
      answer: () => {
        listener.http!.behave({ answers: 'json' });
        return { tools: [] };
      },
    },
  );
  expect(await (await to({ body: json(1, 'tools/list') })).text).toContain('\r\n');
  expect((await to({ body: json(2, 'tools/list') })).headers['content-type']).toBe('application/json');
});

test('media types name their charset if configured', async () => {
  const { begin, to, listener } = await bench({ charset: true });
  const { got, headers } = await begin();
  expect(got.headers['content-type']).toBe('text/event-stream; charset=utf-8');
  listener.http!.behave({ answers: 'json' });
  const more = await to({ headers, body: json(2, 'ping') });
  expect(more.headers['content-type']).toBe('application/json; charset=utf-8');
});

test('the older transport replaces the newer one if configured', async () => {
  const { to, url, links } = await bench({ older: true, refusesNewer: 404 });
  expect((await to({ body: initialize })).status).toBe(404);
  const stream = await to({});
  const { data } = await stream.block(b => b.event === 'endpoint');
  await send(new URL(data!, url()).href, { body: initialize });
  await stream.block(b => b.data?.includes('serverInfo') === true);
  expect(links.map(l => l.conversation.transport)).toEqual(['http-sse', 'http-sse']);
});

test('no sessions', async () => {
  const { begin, to } = await bench({ sessions: false });
  const { headers } = await begin();
  expect(headers).toEqual({});
  expect((await to({ body: json(2, 'ping') })).status).toBe(200);
});

test('a request for an expired session gets 404, and a new session is a new link', async () => {
  const { begin, to, links } = await bench();
  const { headers, ours, met } = await begin();
  ours.expire();
  expect((await to({ headers, body: json(2, 'ping') })).status).toBe(404);
  expect((await to({ headers })).status).toBe(404);
  const again = await begin();
  expect(again.headers).not.toEqual(headers);
  expect(links).toHaveLength(2);
  expect(met.conversation.http().map(e => e.status)).toEqual([200, 404, 404]);
});

test('DELETE ends the session, or is refused', async () => {
  const { begin, to, listener } = await bench();
  const { headers, met } = await begin();
  listener.http!.behave({ deletes: false });
  expect((await to({ method: 'DELETE', headers })).status).toBe(405);
  listener.http!.behave({ deletes: true });
  const stream = await to({ headers });
  expect((await to({ method: 'DELETE', headers })).status).toBe(200);
  await met.ended;
  expect(await stream.broken).toBe(false);
  expect((await to({ headers, body: json(2, 'ping') })).status).toBe(404);
});

describe('the stream opened with GET', () => {
  test('carries messages that belong to no request, including messages sent before the stream opened', async () => {
    const { begin, to } = await bench();
    const { headers, met, ours } = await begin();
    expect(met.link.send({ text: '{"jsonrpc":"2.0","method":"a"}' })).toEqual([]);
    const ready = met.link.carrier!();
    const stream = await to({ headers });
    expect(await ready).toBe(true);
    const [sent] = met.link.send({ text: JSON.stringify(json(1, 'ping')) });
    expect(sent).toMatchObject({ method: 'ping', by: 'server', frame: { stream: 'get', exchange: 2 } });
    await stream.block(b => b.data?.includes('ping') === true);
    expect(datas(stream)).toMatchObject([{ method: 'a' }, { method: 'ping' }]);
    expect(ours.listening?.received.map(m => m.method)).toEqual(['a', 'ping']);
  });

  test('is refused with 405 if configured; unsolicited messages are then impossible', async () => {
    const { begin, to } = await bench({ getStream: false }, { timing: { answer: 50, exit: 50, quiet: 5 } });
    const { headers, met } = await begin();
    const got = await to({ headers });
    expect([got.status, got.headers.allow]).toEqual([405, 'POST']);
    expect(await met.link.carrier!()).toBe(false);
    expect(met.conversation.eventsOf('deadline')).toMatchObject([{ label: 'http' }]);
  });

  test('resumes where it broke: earlier messages are a replay, later messages are new', async () => {
    const { begin, to } = await bench();
    const { headers, met, ours } = await begin();
    const stream = await to({ headers });
    met.link.send({ text: '{"jsonrpc":"2.0","method":"a"}' });
    met.link.send({ text: '{"jsonrpc":"2.0","method":"b"}' });
    const first = await stream.block(b => b.data?.includes('"a"') === true);
    ours.endStream(ours.listening!, 'break');
    expect(await stream.broken).toBe(true);
    met.link.send({ text: '{"jsonrpc":"2.0","method":"c"}' });
    const again = await to({ headers: { ...headers, 'last-event-id': first.id! } });
    await again.block(b => b.data?.includes('"c"') === true);
    expect(datas(again)).toMatchObject([{ method: 'b' }, { method: 'c' }]);
    const [, broken, resumed] = met.conversation.http();
    expect([broken!.closedBy, broken!.end?.code, resumed!.resumes]).toEqual([
      'error',
      'ECONNRESET',
      broken!.number,
    ]);
    expect(met.conversation.notifications().map(m => m.method)).toEqual(['a', 'b', 'c']);
  });
});

describe('the stream of a POST', () => {
  const slow: TestOptions = {
    answer: ({ method }) => (method === 'initialize' ? { protocolVersion: 'x' } : undefined),
  };

  test('carries messages related to the request, before its response', async () => {
    const { begin, to } = await bench({}, slow);
    const { headers, met } = await begin();
    const got = await to({ headers, body: json(2, 'tools/call') });
    const call = await met.message(m => m.id === 2);
    expect(await met.link.carrier!(call)).toBe(true);
    met.link.send({ text: JSON.stringify(json(7, 'ping')), during: call });
    met.link.send({ text: '{"jsonrpc":"2.0","id":2,"result":{}}' });
    await got.text;
    expect(datas(got)).toMatchObject([{ method: 'ping' }, { id: 2 }]);
  });

  test('ends with a response under an invalid id, when the send names the request', async () => {
    const { begin, to } = await bench({}, slow);
    const { headers, met } = await begin();
    const got = await to({ headers, body: json(2, 'tools/call') });
    const call = await met.message(m => m.id === 2);
    met.link.send({ text: '{"jsonrpc":"2.0","id":"2","result":{}}', during: call, deliberate: true });
    expect(await got.broken).toBe(false);
    expect(met.conversation.frames('peer').at(-1)).toMatchObject({ deliberate: true, exchange: 2 });
  });

  test('closes after an event id and the retry time, and is resumed by GET', async () => {
    const { to } = await bench({ polling: true, retry: 20 }, slow);
    const opened = await to({ body: initialize });
    await opened.text;
    expect(opened.blocks).toMatchObject([{ id: 'p1-0', data: '', retry: '20' }]);
    const headers = { 'mcp-session-id': String(opened.headers['mcp-session-id']) };
    const more = await to({ headers: { ...headers, 'last-event-id': 'p1-0' } });
    await more.text;
    expect(datas(more)).toMatchObject([{ id: 1, result: {} }]);
  });

  test('breaks, and a client that resumes gets the response', async () => {
    const { begin, to } = await bench({ primes: true }, slow);
    const { headers, met, ours } = await begin();
    const got = await to({ headers, body: json(2, 'tools/call') });
    const { id } = await got.block(b => b.id !== undefined);
    await met.message(m => m.id === 2);
    ours.endStream(met.conversation.http()[1]!, 'break');
    expect(await got.broken).toBe(true);
    expect(met.link.send({ text: '{"jsonrpc":"2.0","id":2,"result":{}}' })).toEqual([]);
    const again = await to({ headers: { ...headers, 'last-event-id': id! } });
    await again.text;
    expect(datas(again)).toMatchObject([{ id: 2 }]);
    expect(met.conversation.exchanges({ method: 'tools/call' })[0]!.reply).toBeDefined();
  });

  test('without event ids loses its response when the client disconnects, and the loss is recorded', async () => {
    const { begin, to } = await bench({ resumable: false }, slow);
    const { headers, met, ours } = await begin();
    const got = await to({ headers, body: json(2, 'tools/call') });
    await met.message(m => m.id === 2);
    got.drop();
    await ours.until(met.conversation.http()[1]!, () => false);
    expect(met.conversation.http()[1]!.closedBy).toBe('client');
    expect(met.link.send({ text: '{"jsonrpc":"2.0","id":2,"result":{}}' })).toEqual([]);
  });
});

describe('dialects', () => {
  test.each<[string, HttpListenOptions]>([
    ['CR', { dialect: { lineEnd: '\r' } }],
    ['CRLF, a byte order mark', { dialect: { lineEnd: '\r\n', bom: true } }],
    [
      'comments, unknown fields, no space',
      { dialect: { comments: 'everywhere', unknownFields: true, space: false } },
    ],
    ['data first, empty lines', { dialect: { order: 'data-first', emptyLines: 2 } }],
    ['no event type, no ids', { namesMessages: false, resumable: false }],
    ['over several lines', { multiline: true }],
    ['byte by byte', { chunk: 1, multiline: true, dialect: { lineEnd: '\r\n', bom: true } }],
    ['other events before', { before: [{ event: 'other', data: '{}' }, ': nothing\n\n', { event: 'x' }] }],
    ['primed, with a retry time', { primes: true, retry: 3_000 }],
  ])('%s: the same message is read and recorded', async (_, http) => {
    const { begin } = await bench(http);
    const { got, met } = await begin();
    const messages = got.blocks.filter(b => b.data && [undefined, 'message'].includes(b.event));
    expect(messages.map(b => JSON.parse(b.data!))).toMatchObject([{ id: 1, result: {} }]);
    const [exchange] = met.conversation.http();
    expect(exchange!.received).toHaveLength(1);
    expect(
      exchange!.events.map(({ event, id, data, retry, comments }) => ({ event, id, data, retry, comments })),
    ).toEqual(
      got.blocks.map(({ event, id, data, retry, comments }) => ({ event, id, data, retry, comments })),
    );
  });
});

test('streams begin with an event id where the revision requires it, and both sides support this', async () => {
  const { begin, to } = await bench();
  const { got } = await begin();
  expect(got.blocks.map(b => b.data === '')).toEqual([false]);
  const modern = structuredClone(initialize);
  Object.assign(modern.params, { protocolVersion: latestRevision.id });
  const primed = await to({ body: modern });
  await primed.text;
  expect(primed.blocks.map(b => [b.id, b.data === ''])).toEqual([
    ['p1-0', true],
    ['p1-1', false],
  ]);
});

describe('responses made by a scenario', () => {
  test('the next matching request gets the scripted response, and is not delivered', async () => {
    const { begin, to, listener } = await bench();
    const { headers, met } = await begin();
    const used = listener.http!.answerNext(
      { status: 401, headers: { 'WWW-Authenticate': 'Bearer' }, body: { error: 'no' } },
      ask => ask.messages[0]?.method === 'ping',
    );
    expect((await to({ headers, body: json(2, 'tools/list') })).status).toBe(200);
    const refused = await to({ headers, body: json(3, 'ping') });
    expect([refused.status, refused.headers['www-authenticate'], refused.headers['content-type']]).toEqual([
      401,
      'Bearer',
      'application/json',
    ]);
    expect((await used).status).toBe(401);
    expect(met.got.map(m => m.method)).toEqual(['initialize', 'tools/list']);
    expect((await to({ headers, body: json(4, 'ping') })).status).toBe(200);
  });

  test('a response waits for its release, and other paths get responses too', async () => {
    let tell = () => {};
    const told = new Promise<void>(resolve => {
      tell = resolve;
    });
    const { to, begin, url } = await bench({
      intercept: async ({ url, messages }) => {
        if (url.pathname.startsWith('/.well-known/')) return { status: 200, body: { resource: url.origin } };
        if (messages[0]?.method === 'ping') await told;
        return undefined;
      },
    });
    const { headers, met } = await begin();
    const waiting = to({ headers, body: json(2, 'ping') });
    const known = await send(new URL('/.well-known/x', url()).href, {});
    expect([known.status, JSON.parse(await known.text)]).toEqual([200, { resource: new URL(url()).origin }]);
    expect((await send(new URL('/else', url()).href, {})).status).toBe(404);
    expect(met.got).toHaveLength(1);
    tell();
    expect((await waiting).status).toBe(200);
    expect(met.conversation.http().map(e => [e.request!.method, e.stream, e.status])).toEqual([
      ['POST', 'post', 200],
      ['POST', 'post', 200],
      ['GET', undefined, 200],
      ['GET', undefined, 404],
    ]);
  });

  test('a form on another path is recorded without its secrets', async () => {
    const { url, link } = await bench();
    await send(new URL('/token?access_token=qrstuvwx', url()).href, {
      body: 'grant_type=authorization_code&code=abcdefgh&code_verifier=ijklmnop',
      headers: { 'content-type': 'application/x-www-form-urlencoded', authorization: 'Basic c2VjcmV0' },
    });
    const { conversation } = await link();
    const [exchange] = conversation.http();
    expect(exchange!.requestBody).toMatch(
      /^grant_type=authorization_code&code=~[0-9a-f]{8}&code_verifier=~[0-9a-f]{8}$/,
    );
    expect(exchange!.requestHeader('authorization')).toMatch(/^Basic ~[0-9a-f]{8}$/);
    expect(exchange!.request!.url).toMatch(/access_token=~[0-9a-f]{8}$/);
  });

  test('a connection closes instead of a response', async () => {
    const { to, listener } = await bench();
    void listener.http!.answerNext({ status: 500, reset: true });
    await expect(to({ body: initialize })).rejects.toThrow();
  });

  test('a scenario writes a raw stream', async () => {
    const { begin, to } = await bench({ primes: false });
    const { headers, met, ours } = await begin();
    const stream = await to({ headers });
    const exchange = (await ours.request(e => e.request?.method === 'GET'))!;
    await met.link.carrier!();
    ours.write(exchange, ': hello\n\ndata: {"jsonrpc":"2.0",\ndata: "method":"x"}\n\ndata: half');
    ours.endStream(exchange, 'complete');
    await stream.text;
    expect(stream.blocks).toMatchObject([{ comments: ['hello'] }, {}, { unfinished: true }]);
    expect(met.conversation.http()[1]!.events).toMatchObject([
      { comments: ['hello'] },
      { framed: true },
      { unfinished: true },
    ]);
    expect(met.conversation.notifications()).toMatchObject([{ method: 'x', frame: { deliberate: true } }]);
  });
});
