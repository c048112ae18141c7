/** Limits of the bytes that the connections of the harness take. */

import type { Socket } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { rawServer } from './links.test.util.js';
import { boundedAgent } from './undici.js';

const cleanUp: (() => unknown)[] = [];
afterEach(async () => {
  for (const act of cleanUp.splice(0)) await act();
});

/** Sends one request to a raw server. @returns the code of the failure, or the number of bytes of the body */
async function outcome(answer: (socket: Socket) => void): Promise<string | number> {
  const server = await rawServer(answer);
  const agent = boundedAgent();
  cleanUp.push(() => agent.destroy(), server.close);
  return new Promise(resolve => {
    let size = 0;
    agent.dispatch(
      { origin: new URL(server.address).origin, path: '/', method: 'GET', headersTimeout: 0, bodyTimeout: 0 },
      {
        onRequestStart: () => {},
        onResponseData: (_, chunk) => {
          size += chunk.length;
        },
        onResponseEnd: () => resolve(size),
        onResponseError: (_, error) => resolve(`${(error as NodeJS.ErrnoException).code}`),
      },
    );
  });
}

function flood(socket: Socket, begin: string, text: string): void {
  const more = () => {
    while (socket.writable && socket.write(text));
  };
  socket.write(begin);
  socket.on('drain', more);
  more();
}

const stream = 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n';

test.each<[string, string, string]>([
  ['a status line', 'HTTP/1.1 200 ', 'x'.repeat(100_000)],
  ['informational responses', '', 'HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n'.repeat(1_000)],
  ['the extension of a chunk', `${stream}1;`, 'x'.repeat(100_000)],
])('%s without end closes the connection', async (_, begin, text) => {
  expect(await outcome(socket => flood(socket, begin, text))).toBe('HTTP_OVERHEAD');
});

test('a body of 3.4 MB in chunks of one byte arrives', async () => {
  const count = 3_400_000;
  const body = '1\r\nx\r\n'.repeat(count);
  expect(await outcome(socket => socket.end(`${stream}${body}0\r\n\r\n`))).toBe(count);
});
