/** An HTTP with SSE client against the harness as server. */

import { afterEach, expect, test } from 'vitest';
import type { HttpListenOptions } from '../http/server/behaviour.js';
import { datas, initialize, json, send } from '../http/server/client.test.util.js';
import { listening } from '../listen.test.util.js';

const ends: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

async function bench(http: HttpListenOptions = {}) {
  const bench = await listening('http-sse', { http });
  ends.push(bench.close);
  const begin = async () => {
    const stream = await send(bench.url());
    const { data } = await stream.block(b => b.event === 'endpoint');
    const met = await bench.link(bench.links.length - 1);
    return { stream, data: data!, endpoint: new URL(data!, bench.url()).href, met };
  };
  return { ...bench, begin };
}

test('a GET opens a link and its stream, and the stream carries the replies to POSTs to the endpoint', async () => {
  const { begin } = await bench();
  const { stream, data, endpoint, met } = await begin();
  expect(data).toMatch(/^\/messages\?sessionId=[0-9a-f-]+$/);
  const taken = await send(endpoint, { body: initialize });
  expect([taken.status, await taken.text]).toEqual([202, 'Accepted']);
  await stream.block(b => b.data?.includes('serverInfo') === true);
  expect(met.conversation.http()).toMatchObject([
    { request: { method: 'GET', stream: 'sse' }, status: 200, isStream: true },
    { request: { method: 'POST', stream: 'post' }, status: 202, body: 'Accepted' },
  ]);
  const [get] = met.conversation.http();
  expect(get!.events.map(e => e.event)).toEqual(['endpoint', 'message']);
  expect(get!.received).toMatchObject([{ id: 1, frame: { stream: 'sse' } }]);
  expect(await met.link.carrier!()).toBe(true);
});

test('the link ends when the client closes the stream', async () => {
  const { begin } = await bench();
  const { stream, met } = await begin();
  stream.drop();
  await met.ended;
  expect(met.conversation.http()[0]!.closedBy).toBe('client');
  expect(met.link.send({ text: '{}' })).toEqual([]);
});

test('every stream is a link; an address without its query belongs to the latest link', async () => {
  const { begin, links } = await bench();
  const first = await begin();
  const second = await begin();
  await send(first.endpoint, { body: json(5, 'ping') });
  await first.met.message(m => m.id === 5);
  await send(new URL('/messages', first.endpoint).href, { body: json(6, 'ping') });
  await second.met.message(m => m.id === 6);
  expect(links).toHaveLength(2);
});

test('a relative, absolute or arbitrary endpoint address is sent, and requests to this address reach the link', async () => {
  const { begin, listener, url } = await bench({ endpoint: 'absolute' });
  const { data, endpoint } = await begin();
  expect(data.startsWith(new URL(url()).origin)).toBe(true);
  expect((await send(endpoint, { body: json(1, 'ping') })).status).toBe(202);
  listener.http!.behave({ endpoint: session => `odd/päth?a=b%20c&s=${session}&x` });
  const odd = await begin();
  expect((await send(odd.endpoint, { body: json(1, 'ping') })).status).toBe(202);
});

test('an attempt with the newer transport is refused and is a separate link', async () => {
  const { begin, url, links, listener } = await bench();
  expect((await send(url(), { body: initialize })).status).toBe(405);
  await begin();
  listener.http!.behave({ refusesNewer: 404 });
  expect((await send(url(), { body: initialize })).status).toBe(404);
  expect(links.map(l => l.conversation.http().map(e => e.request!.method))).toEqual([
    ['POST'],
    ['GET'],
    ['POST'],
  ]);
  expect(links.map(l => l.got.length)).toEqual([0, 0, 0]);
});

test('the SSE dialects apply to this transport too', async () => {
  const { begin } = await bench({
    dialect: { lineEnd: '\r\n', bom: true, comments: 'everywhere' },
    chunk: 1,
    multiline: true,
  });
  const { stream, endpoint } = await begin();
  await send(endpoint, { body: json(1, 'ping') });
  await stream.block(b => b.event === 'message');
  expect(datas({ ...stream, blocks: stream.blocks.slice(1) })).toMatchObject([{ id: 1, result: {} }]);
});
