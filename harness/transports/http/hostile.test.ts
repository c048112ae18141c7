/** URLs without an MCP server, or with a broken one: each run ends in bounded time and gives the reason. */

import type { Socket } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import type { TransportId } from '../../../spec/revisions.js';
import { Summary } from '../../report/summary.js';
import { run } from '../../run/server/run.js';
import { url } from '../../subject/subject.js';
import type { Timing } from '../../time/timing.js';
import { rawServer } from './links.test.util.js';

const timing: Timing = { answer: 400, exit: 200, quiet: 20 };
const suite = { scenarios: [], rules: [] };

const cleanUp: (() => unknown)[] = [];
afterEach(async () => {
  for (const act of cleanUp.splice(0)) await act();
});

/** Runs against a raw server; returns the exit code, the reason and the duration of the run. */
async function outcome(answer: (socket: Socket) => void, transport: TransportId = 'streamable-http') {
  const server = await rawServer(answer);
  cleanUp.push(server.close);
  const summary = new Summary();
  const began = process.cpuUsage();
  let text = '';
  for await (const event of run({ subject: url(server.address), suite, transport, timing })) {
    summary.add(event);
    text += JSON.stringify(event);
  }
  const { exitCode, unjudged } = summary.report();
  await expect.poll(server.open).toBe(0);
  const { user, system } = process.cpuUsage(began);
  // time of the CPU, which other programs do not change
  return { exitCode, unjudged, text, cpuMs: (user + system) / 1_000 };
}

const head = (status: string, ...headers: string[]) =>
  `HTTP/1.1 ${status}\r\n${headers.join('\r\n')}\r\n\r\n`;
const stream = head('200 OK', 'Content-Type: text/event-stream', 'Transfer-Encoding: chunked');
const last = '0\r\n\r\n';
const chunk = (text: string) => `${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n`;

/** Writes repeatedly until the socket closes. */
function every(ms: number, socket: Socket, say: () => void): void {
  const timer = setInterval(() => socket.writable && say(), ms);
  socket.on('close', () => clearInterval(timer));
}

function flood(socket: Socket, text: string): void {
  const more = () => {
    while (socket.writable && socket.write(text));
  };
  socket.on('drain', more);
  more();
}

const cases: [string, (socket: Socket) => void, RegExp][] = [
  ['says nothing', () => {}, /did not answer initialize within 0.4 s/],
  ['closes immediately', socket => socket.destroy(), /did not answer initialize in HTTP/],
  [
    'does not use HTTP',
    socket => socket.end('SSH-2.0-OpenSSH_9.6\r\n\r\n'),
    /did not answer initialize in HTTP/,
  ],
  [
    'writes its response head slowly, byte by byte',
    socket => {
      let at = 0;
      every(20, socket, () => socket.write(stream[at++ % stream.length]!));
    },
    /did not answer initialize within 0.4 s/,
  ],
  [
    'opens a stream and sends nothing',
    socket => socket.write(stream),
    /began to answer initialize, but did not finish/,
  ],
  [
    'sends only keep-alive comments on the stream',
    socket => {
      socket.write(stream);
      every(10, socket, () => socket.write(chunk(': ping\n\n')));
    },
    /began to answer initialize, but did not finish/,
  ],
  [
    'ends the stream without a response',
    socket => socket.end([stream, chunk(': bye\n\n'), last].join('')),
    /the response ended before the reply/,
  ],
  [
    'ends each stream after an event with an id',
    socket => socket.end([stream, chunk('id: 1\nretry: 1\ndata: \n\n'), last].join('')),
    /the response ended before the reply/,
  ],
  [
    'closes the connection in the middle of the body',
    socket =>
      socket.end(`${head('200 OK', 'Content-Type: application/json', 'Content-Length: 99')}{"jsonrpc"`),
    /the connection broke/,
  ],
  [
    'writes an endless body',
    socket => {
      socket.write(head('200 OK', 'Content-Type: application/json', 'Transfer-Encoding: chunked'));
      flood(socket, chunk(' '.repeat(2 ** 20)));
    },
    /wrote too much: |did not finish/,
  ],
  [
    'writes endless events',
    socket => {
      socket.write(stream);
      flood(socket, chunk(': no\n\n'.repeat(5_000)));
    },
    /wrote too much: /,
  ],
  [
    'sends an endless response head',
    socket => {
      socket.write('HTTP/1.1 200 OK\r\n');
      flood(socket, `X-More: ${'x'.repeat(1000)}\r\n`);
    },
    /did not answer initialize in HTTP.*HEADERS_OVERFLOW/,
  ],
  [
    'redirects',
    socket => socket.end(head('307 Temporary Redirect', 'Location: /mcp/', 'Content-Length: 0')),
    /redirects initialize to another URL/,
  ],
  [
    'serves a page',
    socket => socket.end(`${head('200 OK', 'Content-Type: text/html', 'Content-Length: 11')}<h1>Hi</h1>`),
    /is no MCP server of this transport: it answered initialize with 200 and text\/html/,
  ],
  [
    'wants authorization',
    socket => socket.end(head('401 Unauthorized', 'WWW-Authenticate: Bearer', 'Content-Length: 0')),
    /requires authorization/,
  ],
  [
    'returns 404 for the path',
    socket => socket.end(head('404 Not Found', 'Content-Length: 0')),
    /answered initialize with 404 Not Found/,
  ],
  [
    'labels JSON as an event stream',
    socket => {
      const body = '{"jsonrpc":"2.0","id":1,"result":{}}';
      socket.end(head('200 OK', 'Content-Type: text/event-stream', `Content-Length: ${body.length}`) + body);
    },
    /the response ended before the reply/,
  ],
];

test('a redirect to a file is not recommended as an address', async () => {
  const { unjudged } = await outcome(socket =>
    socket.end(head('302 Found', 'Location: file:///etc/passwd', 'Content-Length: 0')),
  );
  expect(unjudged?.details).toEqual(['Location: file:///etc/passwd']);
});

describe('a server that', () => {
  test.each(cases)('%s', async (_, answer, reason) => {
    const { exitCode, unjudged, cpuMs } = await outcome(answer);
    expect(unjudged?.reason).toMatch(reason);
    expect(exitCode).toBe(3);
    expect(cpuMs).toBeLessThan(8_000);
  });

  test.each<[string, (socket: Socket) => void, RegExp]>([
    ['says nothing', () => {}, /did not answer the request for its event stream/],
    ['sends no endpoint event', socket => socket.write(stream), /sent no endpoint event within 0.4 s/],
    [
      'sends an endpoint event and nothing else',
      socket => socket.write(stream + chunk('event: endpoint\ndata: /m\n\n')),
      /named its endpoint but did not answer initialize/,
    ],
    [
      'names an endpoint on another host',
      socket => socket.write(stream + chunk('event: endpoint\ndata: http://evil.example/\n\n')),
      /not an address on the server's own host/,
    ],
    [
      'uses only the newer transport',
      socket => socket.end(head('405 Method Not Allowed', 'Content-Length: 0')),
      /answered the request for its event stream with 405/,
    ],
  ])('over http-sse %s', async (_, answer, reason) => {
    const { exitCode, unjudged, cpuMs } = await outcome(answer, 'http-sse');
    expect(unjudged?.reason).toMatch(reason);
    expect(exitCode).toBe(3);
    expect(cpuMs).toBeLessThan(8_000);
  });
});

test('nobody listens', async () => {
  const server = await rawServer(() => {});
  await server.close();
  const summary = new Summary();
  for await (const event of run({ subject: url(server.address), suite, timing })) summary.add(event);
  expect(summary.report().unjudged?.reason).toMatch(/No server accepts connections at/);
});

test('a host that does not exist', async () => {
  const summary = new Summary();
  const subject = url('http://no-such-host.invalid/mcp');
  for await (const event of run({ subject, suite, timing: { ...timing, answer: 4_000 } })) summary.add(event);
  expect(summary.report().unjudged?.reason).toMatch(/is unknown|cannot be reached/);
});
