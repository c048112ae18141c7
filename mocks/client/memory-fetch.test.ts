import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import {
  addLocalServer,
  LocalServer,
  removeLocalServer,
  type ServerReply,
  type ServerRequest,
} from '../../harness/transports/http/server/local-servers.js';
import type { HttpSend, HttpSendOptions } from './http-message.js';
import { memoryFetch } from './memory-fetch.js';

type Handler = (request: ServerRequest, response: ServerReply) => void;

/** The handler at a port, over sockets and without. */
async function serve(handler: Handler) {
  const server = createServer(handler);
  await new Promise<void>(resolve => void server.listen(0, '127.0.0.1', resolve));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const counts = { connections: 0 };
  const local = new LocalServer(handler, () => counts.connections++);
  addLocalServer(origin, local);
  onTestFinished(() => {
    removeLocalServer(origin);
    server.close();
    server.closeAllConnections();
  });
  return { origin, local, counts };
}

async function outcome(send: HttpSend, url: string, options: HttpSendOptions) {
  try {
    const { status, headers, body, text } = await send(url, options).then(answer => ({
      status: answer.status,
      headers: answer.headers,
      body: answer.body !== null,
      text: () => answer.text(),
    }));
    const type = headers.get('content-type');
    return {
      status,
      type,
      two: headers.get('x-two'),
      location: headers.get('location'),
      body,
      text: await text(),
    };
  } catch (error) {
    return { error: (error as Error).name };
  }
}

const echo: Handler = async (request, response) => {
  const pieces: Buffer[] = [];
  for await (const piece of request) pieces.push(piece as Buffer);
  const { method, url, rawHeaders } = request;
  const heard = JSON.stringify([method, url, rawHeaders, Buffer.concat(pieces).toString()]);
  response.writeHead(200, ['Content-Type', 'application/json', 'X-Two', '1', 'X-Two', '2']);
  response.end(Buffer.from(heard));
};

test.each<HttpSendOptions>([
  { method: 'GET', headers: { accept: 'text/event-stream', zz: '1' } },
  { method: 'POST', headers: { 'content-type': 'application/json', accept: 'a' }, body: '{"é":1}' },
  { method: 'POST', headers: {}, body: 'abc' },
  { method: 'POST', body: '' },
  { method: 'POST' },
  { method: 'DELETE', headers: { 'X-Up': '1', 'User-Agent': 'me' } },
  { method: 'POST', headers: { 'accept-language': 'q', 'accept-encoding': 'br' }, body: 'a' },
  { method: 'HEAD' },
  { method: 'GET', headers: { 'x-a': ' padded ' } },
  { method: 'GET', headers: { 'x-a': '\u2026' } },
])('a server sees of a request what it sees of fetch, and the response is the same: %j', async options => {
  const { origin } = await serve((request, response) => void echo(request, response));
  const all = { ...options, redirect: 'manual' } as const;
  const url = `${origin}/a?b=c#d`;
  expect(await outcome(memoryFetch, url, all)).toEqual(await outcome(fetch, url, all));
});

const answers: readonly (readonly [string, (response: ServerReply) => void])[] = [
  ['no body', response => response.writeHead(204, {}).end()],
  ['a redirect', response => response.writeHead(302, { Location: 'http://127.0.0.1:1/' }).end()],
  ['a broken connection', response => response.destroy()],
  [
    'a broken stream',
    response => {
      response.writeHead(200, ['Content-Type', 'text/event-stream']).flushHeaders();
      setImmediate(() => setImmediate(() => response.destroy()));
    },
  ],
  [
    'a stream',
    response => {
      response.writeHead(200, ['Content-Type', 'text/event-stream']).write(Buffer.from('data: 1\n\n'));
      setImmediate(() => {
        response.write(Buffer.from('data: 2\n\n'));
        response.end();
      });
    },
  ],
];

test.each(answers)('the outcome is that of fetch: %s', async (_, answer) => {
  const { origin } = await serve((_request, response) => answer(response));
  const options = { redirect: 'manual' } as const;
  expect(await outcome(memoryFetch, origin, options)).toEqual(await outcome(fetch, origin, options));
});

test('a client that aborts closes the response, before and after its head', async () => {
  for (const hasHead of [false, true]) {
    const abort = new AbortController();
    let closed = () => {};
    const gone = new Promise<void>(resolve => {
      closed = resolve;
    });
    const { origin } = await serve((_, response) => {
      response.once('close', closed);
      if (hasHead) response.writeHead(200, ['Content-Type', 'text/event-stream']).flushHeaders();
      else abort.abort();
    });
    const answer = memoryFetch(origin, { redirect: 'manual', signal: abort.signal });
    if (hasHead) {
      const { body } = await answer;
      const read = body![Symbol.asyncIterator]().next();
      abort.abort();
      await expect(read).rejects.toThrow();
    } else await expect(answer).rejects.toMatchObject({ name: 'AbortError' });
    await gone;
  }
});

test('requests one after the other share a connection; a server that closes breaks open ones', async () => {
  const { origin, counts, local } = await serve((request, response) => {
    if (request.url === '/open') response.writeHead(200, {}).flushHeaders();
    else response.writeHead(200, {}).end();
  });
  const options = { redirect: 'manual' } as const;
  for (let times = 0; times < 2; times++) await (await memoryFetch(origin, options)).text();
  expect(counts.connections).toBe(1);
  const { text } = await memoryFetch(`${origin}/open`, options);
  const rest = text();
  local.closeAllConnections();
  await expect(rest).rejects.toThrow();
});
