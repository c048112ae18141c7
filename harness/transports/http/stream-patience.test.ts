import { expect, test } from 'vitest';
import type { JsonObject } from '../../../spec/json-rpc.js';
import { findRevision, latestRevision } from '../../../spec/revisions.js';
import { dialerTo, quick, rawServer } from './links.test.util.js';

test('a GET without a response gets the whole timeout once; later ones, also of other connections, get a fifth', async () => {
  const silent = await rawServer(() => {});
  const dialer = dialerTo(silent.address, 'streamable-http', { ...quick, answer: 100 });
  for (const expected of [{ ms: 100 }, { ms: 20, hurried: true }, { ms: 20, hurried: true }]) {
    const { conversation, link } = dialer.dial(latestRevision);
    const get = await link.http!.openGet();
    expect(get.status).toBeUndefined();
    expect(conversation.eventsOf('deadline')).toMatchObject([
      { label: 'http', exchange: get.number, ...expected },
    ]);
  }
  await dialer.end();
  await silent.close();
});

/** A server that accepts all requests but the handshake with 202, and responds on the GET stream, or not at all. */
function onlyOnGet(responds: boolean) {
  let stream: ReadableStreamDefaultController<Uint8Array> | undefined;
  return async (request: Request): Promise<Response> => {
    if (request.method === 'GET') {
      const body = new ReadableStream<Uint8Array>({
        start(controller) {
          stream = controller;
        },
      });
      return new Response(body, { headers: { 'Content-Type': 'text/event-stream' } });
    }
    if (request.method !== 'POST') return new Response(null, { status: 405 });
    const { id, method, params } = (await request.json()) as JsonObject;
    const respond = (result: JsonObject) => ({ jsonrpc: '2.0', id: id!, result });
    if (method === 'initialize') {
      const { protocolVersion } = params as JsonObject;
      const result = {
        protocolVersion: protocolVersion!,
        capabilities: {},
        serverInfo: { name: 'x', version: '1' },
      };
      return Response.json(respond(result));
    }
    const event = `data: ${JSON.stringify(respond({}))}\n\n`;
    if (id !== undefined && responds) setTimeout(() => stream?.enqueue(new TextEncoder().encode(event)), 10);
    return new Response(null, { status: 202 });
  };
}

test('a response on the GET stream ends the wait of a request that got 202', async () => {
  const dialer = dialerTo('http://localhost/mcp', 'streamable-http', quick, { fetch: onlyOnGet(true) });
  const { peer } = await dialer.open(findRevision('2025-11-25')!);
  for (let times = 0; times < 3; times++) expect((await peer.request('ping')).reply?.kind).toBe('result');
  await dialer.end();
});

test('a server that responds to no request that got 202 is waited for twice', async () => {
  const dialer = dialerTo('http://localhost/mcp', 'streamable-http', quick, { fetch: onlyOnGet(false) });
  const { peer } = await dialer.open(findRevision('2025-11-25')!);
  const waits: number[] = [];
  for (let times = 0; times < 4; times++) {
    const began = performance.now();
    expect(await peer.request('ping')).toMatchObject({ reply: undefined, deadline: undefined });
    waits.push(performance.now() - began);
  }
  expect(waits.map(ms => ms >= quick.quiet * 10 - 5)).toEqual([true, true, false, false]);
  await dialer.end();
});
