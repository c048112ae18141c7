/**
 * The server process that a client under test starts: it forwards bytes and signals to mcp-conform, and
 * executes the commands of mcp-conform. The process makes no decisions. It is one file of plain JavaScript
 * without dependencies, for a quick start.
 *
 * Each part on the socket is a letter, a length of four bytes, and as many bytes. To mcp-conform: h hello
 * (process id) · i input · e end of input · s signal (its name, and after the end of the input the
 * milliseconds since this end) · o the client no longer reads the output. From there:     o output · r error
 * output · c close the output · x exit (code).
 */

import { readFileSync } from 'node:fs';
import { connect, Socket } from 'node:net';

const socket = connect(process.argv[2] ?? '');
const output = stream(1);
const errors = stream(2);
let exiting = false;

/**
 * Pipes are written without blocking, so that signals are handled while the client does not read; files
 * through the default streams of Node.
 */
function stream(fd) {
  try {
    return new Socket({ fd, readable: false, writable: true });
  } catch {
    return fd === 1 ? process.stdout : process.stderr;
  }
}

function tell(letter, bytes = Buffer.alloc(0)) {
  const head = Buffer.alloc(5, letter, 'latin1');
  head.writeUInt32BE(bytes.length, 1);
  return socket.write(Buffer.concat([head, bytes]));
}

function exit(code) {
  exiting = true;
  const go = () => process.exit(code);
  // unread output delays the exit by at most 250 ms
  setTimeout(go, 250);
  // the client may have passed on its own stderr: an end of this socket would end that of the client
  output.end(() => errors.write('', go));
}

const deeds = {
  o: bytes => output.write(bytes),
  r: bytes => errors.write(bytes),
  c: () => output.end(),
  x: bytes => exit(bytes[0]),
};

let rest = Buffer.alloc(0);
socket.on('data', chunk => {
  rest = Buffer.concat([rest, chunk]);
  while (rest.length >= 5 && rest.length >= 5 + rest.readUInt32BE(1)) {
    const end = 5 + rest.readUInt32BE(1);
    deeds[String.fromCharCode(rest[0])](rest.subarray(5, end));
    rest = rest.subarray(end);
  }
});
socket.on('error', () => {});
socket.on('close', () => {
  if (!exiting) exit(1);
});

/** Milliseconds for which this process has waited for a CPU, where the system reports this value. */
function waited() {
  try {
    return Number(readFileSync('/proc/self/schedstat', 'latin1').split(' ')[1]) / 1e6;
  } catch {
    return 0;
  }
}

/** Earliest possible time of the end of the input: the CPU wait of this process is subtracted. */
let ended;
let before = waited();

function end() {
  ended ??= performance.now() - (waited() - before);
  tell('e');
}

for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP', 'SIGQUIT'])
  process.on(signal, () => {
    // an earlier end of the input is handled first
    setImmediate(() =>
      setImmediate(() => {
        const within = ended === undefined ? '' : ` ${performance.now() - ended}`;
        tell('s', Buffer.from(signal + within));
      }),
    );
  });
tell('h', Buffer.from(String(process.pid)));
output.on('error', () => tell('o'));
errors.on('error', () => {});
process.stdin.on('data', chunk => {
  before = waited();
  if (tell('i', chunk)) return;
  process.stdin.pause();
  socket.once('drain', () => process.stdin.resume());
});
process.stdin.on('end', end);
process.stdin.on('error', end);
