/**
 * Abusive HTTP clients: every effect on the harness server is bounded, recorded, and absent after `close`.
 */

import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import type { TransportId } from '../../../../spec/revisions.js';
import { intakeLimits } from '../../intake.js';
import { listening } from '../../listen.test.util.js';
import { limits } from '../limits.js';
import { initialize, send } from './client.test.util.js';

const ends: (() => unknown)[] = [];
const former = { ...limits };
const formerIntake = { ...intakeLimits };
afterEach(async () => {
  Object.assign(limits, former);
  Object.assign(intakeLimits, formerIntake);
  for (const end of ends.splice(0).reverse()) await end();
});

async function bench(transport: TransportId = 'streamable-http') {
  const bench = await listening(transport, { timing: { answer: 1_000, exit: 200, quiet: 20 } });
  ends.push(bench.close);
  const { port, pathname } = new URL(bench.url());
  const open = async (): Promise<Socket> => {
    const socket = connect(Number(port), '127.0.0.1');
    socket.on('error', () => {});
    ends.push(() => socket.destroy());
    await once(socket, 'connect');
    return socket;
  };
  const head = (length: number, more = '') =>
    `POST ${pathname} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: ${length}\r\n${more}\r\n`;
  /** However the connection ends. */
  const closed = (socket: Socket) => new Promise(resolve => socket.resume().once('close', resolve));
  return { ...bench, open, head, closed };
}

describe.each<TransportId>(['streamable-http', 'http-sse'])('over %s', transport => {
  test('bytes that are not HTTP are recorded and refused', async () => {
    const { open, link, closed } = await bench(transport);
    const socket = await open();
    const over = closed(socket);
    socket.write(Buffer.from([0x16, 0x03, 0x01, 0x02, 0x00, 0x01, 0x0a]));
    await over;
    const { conversation } = await link();
    expect(conversation.http()[0]).toMatchObject({
      request: undefined,
      end: { by: 'error', code: expect.stringMatching(/^HPE_/) },
    });
    expect(conversation.http()[0]!.requestBody).toBeDefined();
  });

  test('an unfinished request and idle connections end with close', async () => {
    const { open, head, closed, close, url, link } = await bench(transport);
    await (await send(url(), { method: 'PUT' })).text;
    const sockets = [await open(), await open(), await open()];
    // the response `100 Continue` means that the server has read the head
    sockets[0]!.write(head(100, 'Expect: 100-continue\r\n'));
    await once(sockets[0]!, 'data');
    sockets[1]!.write('POST / HT');
    const over = sockets.map(closed);
    await close();
    await Promise.all(over);
    const { conversation } = await link();
    expect(conversation.http()).toMatchObject([
      { status: 405 },
      { request: { method: 'POST' }, closedBy: 'error' },
    ]);
  });

  test('requests that wait behind another one on a connection end with close', async () => {
    const { open, head, close, link, eventually } = await bench(transport);
    const socket = await open();
    const method = (name: string) => head(0).replace('POST', name);
    // Node hands over a CONNECT request as a socket of its own
    socket.write(['TRACE', 'OPTIONS', 'PUT', 'CONNECT'].map(method).join(''));
    const { conversation } = await link();
    await eventually(() => conversation.http().length === 3);
    socket.destroy();
    await close();
    expect(conversation.http().every(({ end }) => end)).toBe(true);
  });

  test('a request cut off by the client is recorded with the bytes received', async () => {
    const { open, head, link, eventually } = await bench(transport);
    const socket = await open();
    socket.write(`${head(100)}{"jsonrpc":`, () => socket.destroy());
    const { conversation } = await link();
    const exchange = await eventually(() => conversation.http().find(e => e.end));
    expect(exchange).toMatchObject({
      closedBy: 'client',
      requestBody: '{"jsonrpc":',
      status: undefined,
      sent: [],
    });
  });

  test('an endless body is cut off', async () => {
    intakeLimits.messageBytes = 100_000;
    const { open, head, link, closed } = await bench(transport);
    const socket = await open();
    const over = closed(socket);
    socket.write(head(10_000_000));
    const more = () => {
      while (socket.writable && socket.write('x'.repeat(10_000)));
    };
    socket.on('drain', more);
    more();
    await over;
    const { conversation, ended } = await link();
    await ended;
    expect(conversation.eventsOf('overflow')).toMatchObject([{ what: 'line' }]);
    expect(conversation.eventsOf('frame').every(f => f.text.length <= limits.kept)).toBe(true);
  });

  test('a flood of requests is cut off', async () => {
    limits.requests = 50;
    const { open, head, link, closed } = await bench(transport);
    const socket = await open();
    const over = closed(socket);
    socket.write(`${head(2)}{}`.repeat(200));
    await over;
    await link();
    const { links } = await bench(transport);
    expect(links).toEqual([]);
  });
});

test('a flood of requests is reported once, on the link that received the flood', async () => {
  limits.requests = 50;
  const { open, head, link, closed } = await bench();
  const socket = await open();
  const over = closed(socket);
  socket.write(`${head(2)}{}`.repeat(200));
  await over;
  const { conversation, ended } = await link();
  await ended;
  expect(conversation.eventsOf('overflow')).toMatchObject([{ what: 'frames', amount: 51 }]);
  expect(conversation.http()).toHaveLength(51);
});

test('an endless number of refused requests without authorization is cut off', async () => {
  limits.refused = 20;
  const { open, head, link, closed, listener } = await bench();
  listener.http!.behave({
    authGate: { admit: () => ({ status: 401 }), endpointOf: () => undefined, noted: () => {} },
  });
  const socket = await open();
  const over = closed(socket);
  socket.write(`${head(2)}{}`.repeat(200));
  await over;
  const { conversation } = await link();
  expect(conversation.eventsOf('overflow')).toMatchObject([{ what: 'frames', amount: 21 }]);
});

test('an endless number of sessions is cut off', async () => {
  limits.links = 10;
  const { url, links, eventually } = await bench();
  await Promise.allSettled(Array.from({ length: 30 }, () => send(url(), { body: initialize })));
  await eventually(() => links.find(l => l.conversation.eventsOf('overflow').length > 0));
  expect(links.length).toBeLessThanOrEqual(12);
});

test('too many connections are cut off', async () => {
  limits.connections = 20;
  const { open, link, closed } = await bench();
  const sockets = await Promise.all(Array.from({ length: 21 }, open));
  await Promise.all(sockets.map(closed));
  const { conversation } = await link();
  expect(conversation.eventsOf('overflow')).toMatchObject([{ what: 'connections', amount: 20 }]);
});

test('hundreds of simultaneous connections are served, and none stays open', async () => {
  const { url, links, close } = await bench();
  const got = await send(url(), { body: initialize });
  const headers = { 'mcp-session-id': String(got.headers['mcp-session-id']) };
  const streams = await Promise.all(Array.from({ length: 300 }, () => send(url(), { headers })));
  expect(links[0]!.conversation.http()).toHaveLength(301);
  await close();
  await Promise.all(streams.map(s => s.broken));
  expect(links[0]!.conversation.http().every(e => e.end)).toBe(true);
});

test('unusual methods and targets cause no failure', async () => {
  const { open, closed, link } = await bench();
  const lines = [
    'OPTIONS * HTTP/1.1',
    'HEAD /mcp HTTP/1.1',
    'PUT /mcp HTTP/1.1',
    'GET //x:y/ HTTP/1.1',
    'CONNECT a:1 HTTP/1.1',
  ];
  for (const line of lines) {
    const socket = await open();
    const over = closed(socket);
    socket.write(`${line}\r\nHost: [bad\r\nConnection: close\r\nUpgrade: websocket\r\n\r\n`);
    await over;
  }
  const { conversation } = await link();
  expect(conversation.http().map(e => [e.request?.method, e.status])).toEqual([
    ['OPTIONS', 404],
    ['HEAD', 405],
    ['PUT', 405],
    ['GET', 404],
  ]);
});

test('a client that does not read its stream does not delay close', async () => {
  const { open, link, close } = await bench();
  const socket = await open();
  socket.pause();
  socket.write(`GET /mcp HTTP/1.1\r\nHost: localhost\r\n\r\n`);
  const met = await link();
  await met.link.carrier!();
  met.link.send({ text: JSON.stringify('x'.repeat(32 * 2 ** 20)) });
  await close();
});
