/** A subject that repeats the secrets it gets, in every way of writing and at every place: no report shows one. */

import { createInterface } from 'node:readline';
import { describe, expect, test } from 'vitest';
import type { RunEvent } from '../../harness/report/run-event.js';
import { run } from '../../harness/run/server/run.js';
import { inProcess, type Streams, type Subject, url } from '../../harness/subject/subject.js';
import { defaultTiming } from '../../harness/time/timing.js';
import { parseObject } from '../../spec/json-rpc.js';
import { suite } from '../index.js';
import { collect, reportsOf } from './reports-of.test.util.js';

/** Contains characters that each way of writing changes. */
const secret = 'aB3+/x~"K9 q<Z&7é=Wp';

const escaped = (text: string, unit: (code: number) => string): string =>
  Array.from({ length: text.length }, (_, at) => unit(text.charCodeAt(at))).join('');
const hexCode = (code: number): string => code.toString(16).padStart(4, '0');
const percent = (bytes: Buffer): string => bytes.toString('hex').replace(/../g, '%$&');
const json = (text: string): string => JSON.stringify(text).slice(1, -1);
const base64 = (prefix: string): string => Buffer.from(`${prefix}${secret}-`).toString('base64');

/** Ways that are escapes of JSON: the text of a JSON string. */
const jsonWays: Record<string, string> = {
  plain: json(secret),
  'each character escaped': escaped(secret, code => `\\u${hexCode(code)}`),
  'each character escaped, upper case': escaped(secret, code => `\\u${hexCode(code).toUpperCase()}`),
  'as .NET writes': json(secret).replace(/[+&<>"']|[^\x20-\x7e]/g, c => `\\u${hexCode(c.charCodeAt(0))}`),
  'as PHP writes': json(secret).replaceAll('/', '\\/'),
};

/** Ways that do not depend on JSON. */
const textWays: Record<string, string> = {
  percent: encodeURIComponent(secret),
  'percent, lower case': encodeURIComponent(secret).replace(/%../g, part => part.toLowerCase()),
  'percent, each byte': percent(Buffer.from(secret)),
  form: new URLSearchParams({ v: secret }).toString(),
  'base64 at offset 0': base64(''),
  'base64 at offset 1': base64('u'),
  'base64 at offset 2': base64('u:'),
  base64url: Buffer.from(secret).toString('base64url'),
  'base64url at offset 1': Buffer.from(`?${secret}`).toString('base64url'),
  hex: Buffer.from(secret).toString('hex'),
  'hex, upper case': Buffer.from(secret).toString('hex').toUpperCase(),
  'upper case': secret.toUpperCase(),
  'lower case': secret.toLowerCase(),
  HTML: secret.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;'),
  'HTML, numbers': escaped(secret, code => `&#${code};`),
  'HTML, hexadecimal numbers': escaped(secret, code => `&#x${code.toString(16)};`),
  'JSON in JSON': JSON.stringify({ text: JSON.stringify({ secret }) }),
};

const escapes: readonly [RegExp, (match: string, part: string) => string][] = [
  [/\\u([0-9a-f]{4})/gi, (_, part) => String.fromCharCode(Number.parseInt(part, 16))],
  [/\\(["\\/])/g, (_, part) => part],
  [/&#x([0-9a-f]+);/gi, (_, part) => String.fromCharCode(Number.parseInt(part, 16))],
  [/&#([0-9]+);/g, (_, part) => String.fromCharCode(Number(part))],
  [/&(amp|lt|gt|quot|apos);/g, (_, part) => ({ amp: '&', lt: '<', gt: '>', quot: '"' })[part] ?? "'"],
];

/** Whether a text contains the secret in some way. It decodes, and so does not repeat the work of the redaction. */
function shows(text: string): boolean {
  const wanted = secret.toLowerCase();
  const bytes = Buffer.from(secret);
  let decoded = text;
  for (let step = 0; step < 5; step++) {
    if (decoded.toLowerCase().includes(wanted)) return true;
    if (percentDecoded(decoded).toLowerCase().includes(wanted)) return true;
    for (const [pattern, by] of escapes) decoded = decoded.replace(pattern, by);
  }
  for (const [run] of text.matchAll(/[\w+/-]{10,}/g)) {
    if (/^[0-9a-f]+$/i.test(run) && Buffer.from(run, 'hex').includes(bytes)) return true;
    for (let at = 0; at < 4; at++)
      if (Buffer.from(run.slice(at), 'base64').includes(bytes.subarray(2, -2))) return true;
  }
  return false;
}

const percentDecoded = (text: string): string =>
  text
    .replaceAll('+', ' ')
    .replace(/(?:%[0-9a-f]{2})+/gi, part => Buffer.from(part.replaceAll('%', ''), 'hex').toString('utf8'))
    .concat(
      text.replace(/(?:%[0-9a-f]{2})+/gi, part => Buffer.from(part.replaceAll('%', ''), 'hex').toString()),
    );

/** The JSON text of a response that repeats the secret in one way; undefined for a notification. */
function respond(line: string, way: string): string | undefined {
  const { id, method } = parseObject(line) ?? {};
  if (id === undefined) return undefined;
  const info = `"serverInfo":{"name":"echo ${way}","version":"1"},"instructions":"${way}"`;
  const results: Record<string, string> = {
    initialize: `{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},${info}}`,
    ping: '{}',
    'tools/list': `{"tools":[{"name":"x","description":"${way}","inputSchema":{"type":"object","title":"${way}"}}]}`,
    'tools/call': `{"content":[{"type":"text","text":"${way}"}],"${way}":1}`,
  };
  const result = results[String(method)];
  const body = result ? `"result":${result}` : `"error":{"code":-32601,"message":"${way}","data":["${way}"]}`;
  return `{"jsonrpc":"2.0","id":${JSON.stringify(id)},${body}}`;
}

/** A server that repeats its secret in each response, in a line that is no message, and on stderr in two parts. */
async function overStdio(way: string, { stdin, stdout, stderr }: Streams): Promise<number> {
  stderr.write(`started with ${way.slice(0, 5)}`);
  stderr.write(`${way.slice(5)}\n`);
  let lines = 0;
  for await (const line of createInterface({ input: stdin })) {
    const text = respond(line, way);
    if (text !== undefined) stdout.write(`${text}\n`);
    if (++lines === 3) stdout.write(`not JSON: ${way}\n`);
  }
  return 0;
}

/** A server that repeats its secret in headers and bodies. */
async function overHttp(way: string, request: Request): Promise<Response> {
  const asIs = way.replace(/[^\x20-\x7e]/g, '?');
  const text = request.method === 'POST' ? respond(await request.text(), way) : undefined;
  const headers = { 'X-Echo': asIs, 'Set-Cookie': `echo=${asIs}`, 'Content-Type': 'application/json' };
  const login = { 'WWW-Authenticate': `Bearer realm="${asIs.replaceAll(/["\\]/g, '')}"` };
  if (request.method !== 'POST') return new Response(way, { status: 405, headers: { ...headers, ...login } });
  return new Response(text ?? null, { status: text === undefined ? 202 : 200, headers });
}

async function expectNothingShown(subject: Subject): Promise<void> {
  const timing = { ...defaultTiming, answer: 2_000, exit: 200, quiet: 20 };
  const selected = (name: string) => /\/server\/(base|lifecycle|ping)\//.test(name);
  const events: RunEvent[] = await collect(run({ subject, suite, timing, runs: 0, selected }));
  expect(events.filter(e => e.kind === 'finding').length).toBeGreaterThan(10);
  for (const [name, text] of Object.entries(await reportsOf(events))) {
    expect(text.length, name).toBeGreaterThan(100);
    expect(shows(text), name).toBe(false);
  }
}

const ways = Object.entries({
  ...jsonWays,
  ...Object.fromEntries(Object.entries(textWays).map(([name, text]) => [name, json(text)])),
});

test('the search finds the secret in each way of writing', () => {
  expect(ways.filter(([, way]) => !shows(`before ${way} after`)).map(([name]) => name)).toEqual([]);
});

describe('no report shows a secret', () => {
  test.each(ways)('written %s, over stdio', async (_, way) => {
    await expectNothingShown({
      ...inProcess(streams => overStdio(way, streams)),
      env: { SERVICE_TOKEN: secret },
    });
  });

  test.each(ways)('written %s, over HTTP', async (_, way) => {
    const headers = { 'X-Api-Key': secret };
    await expectNothingShown(
      url('http://127.0.0.1:4711/mcp', { headers, fetch: request => overHttp(way, request) }),
    );
  });
});
