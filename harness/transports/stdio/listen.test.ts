/**
 * A client that starts the harness server process: its bytes and its steps to end the process are recorded.
 */

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { connect } from 'node:net';
import { dirname } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { listening, type TestOptions } from '../listen.test.util.js';
import { parts } from './shim-protocol.js';

const ends: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

async function bench(options: TestOptions = {}) {
  const bench = await listening('stdio', options);
  ends.push(bench.close);
  const start = (): ChildProcess => {
    const [file, ...args] = bench.command();
    const child = spawn(file!, args, { env: {} });
    ends.push(() => child.kill('SIGKILL'));
    return child;
  };
  return { ...bench, start };
}

const text = async (stream: NodeJS.ReadableStream) => {
  const parts: Buffer[] = [];
  for await (const part of stream) parts.push(Buffer.from(part as Buffer));
  return Buffer.concat(parts).toString();
};
const init =
  '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"x","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}\n';

test('frames of both sides are recorded, and the end of input ends the process', async () => {
  const { start, link, kinds } = await bench();
  const child = start();
  child.stdin!.write(init);
  const said = await once(child.stdout!, 'data');
  expect(JSON.parse(String(said[0]))).toMatchObject({ id: 1, result: { serverInfo: { name: 'test' } } });
  child.stdin!.end();
  const met = await link();
  await met.ended;
  expect(kinds(met)).toEqual(['open', 'frame', 'frame', 'input-closed', 'exit']);
  expect(met.conversation.frames('subject')[0]).toMatchObject({ by: 'client', text: init.trim() });
  expect(met.conversation.exit).toMatchObject({ code: 0, signal: null });
  expect(met.conversation.opened?.pid).toBe(child.pid);
});

test('bytes are recorded unchanged: carriage returns, invalid UTF-8, no newline at the end', async () => {
  const { start, link } = await bench();
  const child = start();
  child.stdin!.write(Buffer.concat([Buffer.from('{}\r\n'), Buffer.from([0x22, 0xff, 0x22, 0x0a])]));
  child.stdin!.end('["half"]');
  const met = await link();
  await met.ended;
  expect(met.conversation.frames('subject')).toMatchObject([
    { text: '{}\r' },
    { text: '"\uFFFD"', invalidUtf8: true },
    { text: '["half"]', unterminated: true },
  ]);
});

test('a client that continues with SIGTERM and SIGKILL is recorded doing so', async () => {
  const { start, link, eventually, kinds } = await bench({ stdio: { ignores: ['eof', 'SIGTERM'] } });
  const child = start();
  const met = await link();
  child.stdin!.end();
  await eventually(() => met.conversation.eventsOf('input-closed')[0]);
  child.kill('SIGTERM');
  await eventually(() => met.conversation.eventsOf('signal')[0]);
  child.kill('SIGKILL');
  await met.ended;
  expect(kinds(met)).toEqual(['open', 'input-closed', 'signal', 'exit']);
  expect(met.conversation.exit).toMatchObject({ code: null, signal: 'SIGKILL' });
});

test.skipIf(process.platform === 'win32')(
  'the end of input is recorded before a later signal, however late both are observed',
  async () => {
    const { start, link, eventually, kinds } = await bench({ stdio: { ignores: ['eof', 'SIGTERM'] } });
    const child = start();
    const met = await link();
    process.kill(child.pid!, 'SIGSTOP');
    // the input has ended only at this point: `end` alone delays the end
    await new Promise<void>(resolve => child.stdin!.end(resolve));
    child.kill('SIGTERM');
    process.kill(child.pid!, 'SIGCONT');
    await eventually(() => met.conversation.eventsOf('signal')[0]);
    expect(kinds(met)).toEqual(['open', 'input-closed', 'signal']);
    expect(met.conversation.eventsOf('signal')[0]!.within).toBeGreaterThanOrEqual(0);
  },
);

test('SIGTERM ends the default process', async () => {
  const { start, link } = await bench();
  const child = start();
  const met = await link();
  child.kill('SIGTERM');
  expect(await once(child, 'exit')).toEqual([0, null]);
  await met.ended;
  expect(met.conversation.eventsOf('signal')).toMatchObject([{ signal: 'SIGTERM' }]);
  expect(met.conversation.eventsOf('signal')[0]).not.toHaveProperty('within');
});

test('the harness writes bytes in pieces, writes errors, closes the output, and exits with a code', async () => {
  const { start, link, kinds } = await bench();
  const child = start();
  const [out, err] = [text(child.stdout!), text(child.stderr!)];
  const { link: ours, conversation } = await link();
  ours.stdioServer!.write('{"a":');
  expect(ours.send({ text: '{"held":1}' })).toEqual([]);
  ours.stdioServer!.write('1}\n');
  ours.stdioServer!.writeError('a warning\n');
  ours.stdioServer!.closeOutput();
  expect(await out).toBe('{"a":1}\n{"held":1}\n');
  ours.stdioServer!.exit(7);
  expect(await once(child, 'exit')).toEqual([7, null]);
  expect(await err).toBe('a warning\n');
  await ours.stdioServer!.exited;
  expect(conversation.exit).toMatchObject({ code: 7, signal: null });
  expect(kinds({ conversation } as never)).toEqual([
    'open',
    'frame',
    'frame',
    'stderr',
    'output-closed',
    'exit',
  ]);
});

test('the stderr of a client that passes it on to its server stays open when the server exits', async () => {
  const { command } = await bench();
  const client = `
    const [file, ...args] = process.argv.slice(1);
    const server = require('node:child_process').spawn(file, args, { stdio: ['pipe', 'pipe', 'inherit'] });
    server.stdin.end();
    server.on('exit', () => console.error('The server has exited.'));`;
  const child = spawn(process.execPath, ['-e', client, ...command()]);
  ends.push(() => child.kill('SIGKILL'));
  expect(await text(child.stderr)).toBe('The server has exited.\n');
  expect(child.exitCode ?? (await once(child, 'exit'))[0]).toBe(0);
});

test('a client that reads nothing delays neither signals nor the exit of the process', async () => {
  const { start, link, close, eventually } = await bench({ stdio: { ignores: ['SIGTERM'] } });
  const child = start();
  const met = await link();
  met.link.send({ text: JSON.stringify('x'.repeat(4 * 2 ** 20)) });
  child.kill('SIGTERM');
  await eventually(() => met.conversation.eventsOf('signal')[0]);
  const exited = once(child, 'exit');
  await close();
  expect(await exited).toEqual([0, null]);
});

test('large messages arrive complete in both directions', async () => {
  const { start, link } = await bench();
  const child = start();
  const long = JSON.stringify({ jsonrpc: '2.0', method: 'x', params: { x: 'ä'.repeat(2 ** 20) } });
  child.stdin!.write(`${long}\n`);
  const met = await link();
  const message = await met.message(m => m.method === 'x');
  expect(message.frame.text).toBe(long);
  met.link.send({ text: long });
  child.stdin!.end();
  expect(await text(child.stdout!)).toBe(`${long}\n`);
});

test('every process is a separate link, and close ends all processes and links', async () => {
  const { start, link, links, command, close } = await bench();
  const children = [start(), start(), start()];
  await link(2);
  const exits = children.map(child => once(child, 'exit'));
  await close();
  expect(await Promise.all(exits)).toEqual([
    [0, null],
    [0, null],
    [0, null],
  ]);
  expect(new Set(links.map(l => l.conversation.opened!.pid)).size).toBe(3);
  expect(links.map(l => l.conversation.events.map(e => e.kind))).toEqual(
    Array(3).fill(['open', 'closing', 'exit']),
  );
  expect(existsSync(dirname(command().at(-1)!))).toBe(false);
});

test('a process exits when its harness has exited', async () => {
  const { start, link, close } = await bench({ stdio: { ignores: ['eof', 'SIGTERM'] } });
  const child = start();
  await link();
  const exited = once(child, 'exit');
  await close();
  await exited;
  const late = start();
  expect((await once(late, 'exit'))[0]).toBe(1);
});

test('a connection whose hello part comes after the end is closed, and the end does not wait for its process', async () => {
  const { command, close, links } = await bench();
  const socket = connect(command().at(-1)!);
  socket.on('error', () => {});
  await once(socket, 'connect');
  const closed = close();
  socket.write(parts('h', String(process.pid)));
  await closed;
  expect(links).toEqual([]);
});

test('a flood of lines is cut off and reported', async () => {
  const { start, link } = await bench();
  const child = start();
  child.stdin!.on('error', () => {});
  const exited = once(child, 'exit');
  const flood = 'garbage\n'.repeat(8_000);
  child.stdin!.write(flood);
  expect(await exited).toEqual([1, null]);
  const met = await link();
  await met.ended;
  expect(met.conversation.eventsOf('overflow')).toMatchObject([{ what: 'frames', amount: 2_001 }]);
  expect(met.conversation.frames('subject')).toHaveLength(2_001);
});

test('a connection without the hello part is closed', async () => {
  const { command, links } = await bench();
  const socket = connect(command().at(-1)!);
  socket.on('error', () => {});
  socket.write('GET / HTTP/1.1\r\n\r\n');
  await once(socket, 'close');
  expect(links).toEqual([]);
});
