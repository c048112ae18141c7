import { expect, test } from 'vitest';
import { type HttpReply, type Streaming, toPlain, toResponse } from './reply.js';

const once = (text: string): Streaming => ({
  start(writer) {
    writer.write({ event: 'message', data: text });
    writer.close();
    return () => {};
  },
});

async function standard(reply: HttpReply) {
  const response = toResponse(reply);
  return { status: response.status, headers: [...response.headers], body: await response.text() };
}

function plain(reply: HttpReply) {
  const { status, headers, body = '' } = toPlain(reply);
  const pieces: Uint8Array[] = [];
  if (typeof body === 'object' && 'start' in body)
    body.start({ write: piece => void pieces.push(piece), close: () => {}, reset: () => {} });
  else pieces.push(Buffer.from(body));
  return { status, headers, body: Buffer.concat(pieces).toString() };
}

const replies: readonly HttpReply[] = [
  { status: 202, headers: {} },
  { status: 200, headers: { 'X-B': '2', 'Content-Type': 'application/json', 'A-x': '1' }, body: '{}' },
  { status: 200, headers: { b: '2' }, body: 'text without a type' },
  { status: 200, headers: {}, body: '' },
  { status: 200, headers: {}, body: Buffer.from('bytes') },
  { status: 200, headers: { 'X-Padded': ' a ', 'x-b': 'caf\u00e9', 'Set-Cookie': 'a=1' }, body: 'x' },
  { status: 200, headers: { 'X-Two': '1', 'x-two': '2' } },
  { status: 200, headers: { 'Content-Type': 'text/event-stream' }, body: once('é') },
];

test.each(replies)('a reply is the same as a plain response: %j', async reply => {
  expect(plain(reply)).toEqual(await standard(reply));
});

const broken: readonly HttpReply[] = [
  { status: 200, headers: {}, reset: true },
  { status: 204, headers: {}, body: '' },
  { status: 700, headers: {} },
  { status: 200, headers: { 'X-A': '\u2026' } },
  { status: 200, headers: { 'not a name': 'a' } },
];

test.each(broken)('a reply that no response can hold breaks the connection in both forms: %j', reply => {
  expect(() => toResponse(reply)).toThrow();
  expect(() => toPlain(reply)).toThrow();
});
