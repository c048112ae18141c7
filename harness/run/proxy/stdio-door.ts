/**
 * A command that a client starts as its server: the command forwards its streams to this process, where the proxy
 * starts the server.
 */

import { randomUUID } from 'node:crypto';
import { createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { PassThrough, type Readable, Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { PartReader, parts } from '../../transports/stdio/shim-protocol.js';
import { temporaryFolder } from '../../transports/temporary-folder.js';

const shim = fileURLToPath(new URL('../../transports/stdio/shim.mjs', import.meta.url));

/** The streams of one process that the client has started. */
interface Visit {
  readonly input: Readable;
  readonly output: Writable;
  readonly errors: Writable;
  readonly onSignal: (listener: (signal: string) => void) => void;
  /** Ends the process of the client. @param code exit code of the real server */
  leave(code: number): void;
}

interface StdioDoor {
  readonly command: readonly string[];
  close(): Promise<void>;
}

/** Opens a door. @param onVisit called for each process that the client starts */
export async function openStdioDoor(onVisit: (visit: Visit) => void): Promise<StdioDoor> {
  const made = process.platform === 'win32' ? undefined : temporaryFolder('mcp-conform');
  const path = made ? join(made.folder, 's') : `\\\\.\\pipe\\mcp-conform-${randomUUID()}`;
  const sockets = new Set<Socket>();
  const server = createServer(socket => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
    meet(socket, onVisit);
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(path, resolve);
  });
  return {
    command: [process.execPath, shim, path],
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise(resolve => server.close(resolve));
      made?.remove();
    },
  };
}

function meet(socket: Socket, onVisit: (visit: Visit) => void): void {
  const input = new PassThrough();
  let listener: (signal: string) => void = () => {};
  const reader = new PartReader((letter, bytes) => {
    if (letter === 'h')
      onVisit({
        input,
        output: forward(socket, 'o'),
        errors: forward(socket, 'r'),
        onSignal: given => {
          listener = given;
        },
        leave: code => {
          socket.write(parts('c'));
          socket.write(parts('x', Buffer.of(code & 255)));
        },
      });
    else if (letter === 'i') {
      if (!input.write(bytes)) {
        socket.pause();
        input.once('drain', () => socket.resume());
      }
    } else if (letter === 'e') input.end();
    else if (letter === 's') listener(bytes.toString().split(' ')[0]!);
  });
  socket.on('error', () => {});
  socket.on('data', chunk => {
    if (!reader.push(chunk)) socket.destroy();
  });
  socket.on('close', () => input.end());
}

const forward = (socket: Socket, letter: string): Writable =>
  new Writable({
    write(chunk: Buffer, _, done) {
      if (socket.destroyed || socket.write(parts(letter, chunk))) done();
      else {
        const go = () => {
          socket.off('drain', go).off('close', go);
          done();
        };
        socket.once('drain', go).once('close', go);
      }
    },
  });
